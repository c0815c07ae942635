// As much of an XML parser as it takes to refuse what a browser would.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ringscope {

// The reason why the text is not well-formed: tags that do not nest, attributes without quotes or twice, bare & or <,
// more or less than one root.
std::optional<std::string> xml_fault(std::string_view text);

}  // namespace ringscope
