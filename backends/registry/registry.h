// The one file that knows every backend by name.
#pragma once
#include <memory>
#include <vector>

#include "core/backend.h"
#include "core/case.h"

namespace ringscope {

// Every backend that this build brings along; the first is what "cpu" means.
std::vector<BackendInfo> backend_infos();
// For `ringscope list backends`: those, and how to bring one along.
std::vector<BackendInfo> backend_sentences();

// Throws Error(bad_request) for a word nobody knows, with the nearest right one, Error(unsupported) for a backend that
// this build or machine lacks, Error(bad_file) for a plug-in that is none, Error(broken_kernel) for one that dies.
std::unique_ptr<Backend> make_backend(const BackendChoice& choice);

}  // namespace ringscope
