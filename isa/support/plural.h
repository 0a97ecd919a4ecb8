// Numbers in messages, and nouns after them.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/support/error.h"

namespace vta {

/// "byte" of 1, else "bytes"; "launch", "launches".
std::string Plural(int64_t count, std::string_view noun);

/// The verb behind a part of a whole: "1 of 4 values differs", "2 of 4 values differ".
std::string VerbOf(int64_t part, int64_t whole, std::string_view verb);

/// "1 byte", "2 bytes".
template <std::integral Count>
std::string Counted(Count count, std::string_view noun) {
  return StrCat(count, " ", Plural(count == 1 ? 1 : 2, noun));
}

/// "1,234,567".
std::string WithCommas(int64_t value);
/// "1 cycle", "1,234 cycles".
std::string CountedWithCommas(int64_t value, std::string_view noun);

}  // namespace vta
