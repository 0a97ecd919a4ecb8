// Tables of the generated Markdown pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::isa {

/// "| a | b |" and a line feed.
std::string Row(const std::vector<std::string>& cells);

/// A row of titles with the rule below it.
std::string Head(const std::vector<std::string>& cells);

/// "`name`".
std::string Code(std::string_view name);

}  // namespace vta::isa
