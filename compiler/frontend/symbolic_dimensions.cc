#include "compiler/frontend/symbolic_dimensions.h"

#include <algorithm>
#include <cctype>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::compiler {

namespace {

/// Whether a name can stand on a command line as it is, and is more than a "?".
bool IsPlain(const std::string& name) {
  return std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-.:/+,").find(c) != std::string_view::npos;
  });
}

}  // namespace

int64_t SymbolicDimensions::SizeOf(const std::string& input, int64_t axis,
                                   const std::string& name) {
  const std::string place = StrCat(input, ":", axis), bracketed = StrCat(input, "[", axis, "]");
  const std::string& known = name.empty() || !IsPlain(name) ? place : name;
  names_.insert(known);
  aliases_.insert({place, bracketed, name});
  for (const std::string& key : {place, bracketed, name})
    if (const auto listed = options_.dimensions.find(key); listed != options_.dimensions.end())
      return listed->second;
  if (axis == 0) return options_.batch;
  if (std::ranges::find(open_, known) == open_.end()) open_.push_back(known);
  return 1;
}

void SymbolicDimensions::Check() const {
  const auto join = [](const auto& list, const char* before, const char* after) {
    std::string text;
    for (const std::string& name : list)
      text += StrCat(text.empty() ? "" : before[0] ? " " : ", ", before, name, after);
    return text;
  };
  for (const auto& [name, size] : options_.dimensions)
    if (!names_.contains(name) && !aliases_.contains(name))
      throw Error("", "--dim", StrCat(name, "=", size),
                  StrCat("the model has no such symbolic dimension; it has ",
                         names_.empty() ? "none" : join(names_, "", "")));
  if (!open_.empty())
    throw Error("", Plural(std::ssize(open_), "symbolic dimension"), join(open_, "", ""),
                StrCat("give ", open_.size() == 1 ? "its size" : "their sizes", ", such as ",
                       join(open_, "--dim ", "=224")));
}

}  // namespace vta::compiler
