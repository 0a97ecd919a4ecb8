// Words and numbers of a line of assembly text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vta::isa {

/// The words of a line before its '#' comment, separated by blanks.
std::vector<std::string_view> SplitWords(std::string_view line);

/// The parts between separators; "a,,b" has an empty one.
std::vector<std::string_view> SplitAt(std::string_view text, char separator);

/// A decimal, 0x or 0b number with an optional '-', or nothing where it is none or does not fit.
std::optional<int64_t> ParseInteger(std::string_view text);
/// The same without a sign, up to 2^64 - 1.
std::optional<uint64_t> ParseUnsigned(std::string_view text);

bool IsIdentifier(std::string_view text);

/// Errors: throws Error(where, token, value, "must be in [low, high]") or "must be an integer ...".
int64_t IntegerIn(std::string_view text, int64_t low, int64_t high, const std::string& where,
                  std::string_view token, const std::string& note = "");

}  // namespace vta::isa
