// The terminal that a program may write to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vta::tools {

inline constexpr char kColorAuto[] = "auto", kColorAlways[] = "always", kColorNever[] = "never";

/// The width of the terminal behind a file descriptor, in columns; nothing where there is none.
/// COLUMNS in the environment, a number above 0, goes before what the terminal says of itself.
std::optional<size_t> TerminalColumns(int descriptor);

/// Columns that a terminal shows a text of UTF-8 in: two for characters such as those of Chinese.
size_t ColumnsOf(std::string_view text);
/// Bytes of its longest beginning, of whole characters, that fits into so many; at least one.
size_t BytesWithin(std::string_view text, size_t columns);

/// Whether to colour what goes to a file descriptor, by what --color says. auto: a terminal other
/// than a "dumb" one, unless NO_COLOR is set and not empty (no-color.org).
bool UsesColor(const std::string& when, int descriptor);

}  // namespace vta::tools
