// The one file that knows every backend by name.
#pragma once
#include <memory>
#include <vector>

#include "core/backend.h"
#include "core/case.h"

namespace ringscope {

// Every backend of this build, in the order of `ringscope list backends`; the first is what "cpu" means.
std::vector<BackendInfo> backend_infos();

// Throws Error(bad_request) for a word nobody knows, with the nearest right one, and Error(unsupported) for a backend
// that this build or machine lacks.
std::unique_ptr<Backend> make_backend(const BackendChoice& choice);

}  // namespace ringscope
