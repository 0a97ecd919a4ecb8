// Nouns in messages, after numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/error.h"

namespace vta {

/// "byte" of 1, else "bytes"; "launch", "launches".
std::string Plural(int64_t count, std::string_view noun);

/// "1 byte", "2 bytes".
template <std::integral Count>
std::string Counted(Count count, std::string_view noun) {
  return StrCat(count, " ", Plural(count == 1 ? 1 : 2, noun));
}

}  // namespace vta
