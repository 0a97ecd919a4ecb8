// Nouns in messages, after numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vta {

/// "byte" of 1, else "bytes"; "launch", "launches".
std::string Plural(int64_t count, std::string_view noun);

/// "1 byte", "2 bytes".
std::string Counted(int64_t count, std::string_view noun);

}  // namespace vta
