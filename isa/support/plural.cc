#include "isa/support/plural.h"

namespace vta {

std::string Plural(int64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  for (const char* hiss : {"s", "x", "ch", "sh"})
    if (noun.ends_with(hiss)) return StrCat(noun, "es");
  return StrCat(noun, "s");
}

}  // namespace vta
