#include "isa/support/plural.h"

#include <cstdlib>

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

std::string WithCommas(int64_t value) {
  std::string digits = std::to_string(std::abs(value));
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, 1, ',');
  return value < 0 ? "-" + digits : digits;
}

std::string CountedWithCommas(int64_t value, std::string_view noun) {
  return StrCat(WithCommas(value), " ", Plural(value, noun));
}

}  // namespace vta
