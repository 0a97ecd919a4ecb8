#include "isa/support/plural.h"

namespace vta {

std::string Plural(int64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  for (const char* hiss : {"s", "x", "ch", "sh"})
    if (noun.ends_with(hiss)) return StrCat(noun, "es");
  return StrCat(noun, "s");
}

std::string VerbOf(int64_t part, int64_t whole, std::string_view verb) {
  return StrCat(verb, part == 1 || whole == 1 ? "s" : "");
}

}  // namespace vta
