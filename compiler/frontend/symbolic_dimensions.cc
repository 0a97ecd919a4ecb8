#include "compiler/frontend/symbolic_dimensions.h"

#include "isa/support/error.h"

namespace vta::compiler {

int64_t SymbolicDimensions::SizeOf(const std::string& input, int64_t axis,
                                   const std::string& name) {
  const std::string known = name.empty() ? StrCat(input, "[", axis, "]") : name;
  names_.insert(known);
  const auto listed = options_.dimensions.find(known);
  if (listed != options_.dimensions.end()) return listed->second;
  if (axis == 0) return options_.batch;
  throw Error(StrCat("input \"", input, "\""), StrCat("dimension ", axis), known,
              StrCat("is symbolic: give its size, such as --dim ", known, "=224"));
}

void SymbolicDimensions::Check() const {
  std::string names;
  for (const std::string& name : names_) names += StrCat(names.empty() ? "" : ", ", name);
  for (const auto& [name, size] : options_.dimensions)
    if (!names_.contains(name))
      throw Error("", "--dim", StrCat(name, "=", size),
                  StrCat("the model has no such symbolic dimension; it has ",
                         names.empty() ? "none" : names));
}

}  // namespace vta::compiler
