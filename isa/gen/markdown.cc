#include "isa/gen/markdown.h"

#include "isa/support/error.h"

namespace vta::isa {

std::string Row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += StrCat(" ", cell, cell.empty() ? "|" : " |");
  return out + "\n";
}

std::string Head(const std::vector<std::string>& cells) {
  std::string out = Row(cells) + "|";
  for (size_t i = 0; i < cells.size(); ++i) out += "---|";
  return out + "\n";
}

std::string Code(std::string_view name) { return StrCat("`", name, "`"); }

}  // namespace vta::isa
