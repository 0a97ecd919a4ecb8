#include "tools/shared/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cwchar>

namespace vta::tools {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Calls visit(end, columns) behind each character, with all columns so far, while it returns true.
template <typename Visit>
void ForEachCharacter(std::string_view text, const Visit& visit) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = utf8 ? uselocale(utf8) : nullptr;
  std::mbstate_t state{};
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    wchar_t character = 0;
    size_t bytes = std::mbrtowc(&character, text.data() + at, text.size() - at, &state);
    int width = 1;
    if (bytes == 0 || bytes > text.size())  // no text
      bytes = 1, state = {};
    else
      width = std::max(wcwidth(character), 0);
    at += bytes, columns += static_cast<size_t>(width);
    if (!visit(at, columns)) break;
  }
  if (before) uselocale(before);
}

}  // namespace

size_t ColumnsOf(std::string_view text) {
  size_t all = 0;
  ForEachCharacter(text, [&](size_t, size_t columns) {
    all = columns;
    return true;
  });
  return all;
}

size_t BytesWithin(std::string_view text, size_t columns) {
  size_t bytes = 0;
  ForEachCharacter(text, [&](size_t end, size_t used) {
    const bool fits = bytes == 0 || used <= columns;
    if (fits) bytes = end;
    return fits;
  });
  return bytes;
}

std::optional<size_t> TerminalColumns(int descriptor) {
  if (!isatty(descriptor)) return std::nullopt;
  const std::string_view given = Variable("COLUMNS");
  size_t columns = 0;
  const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), columns);
  if (error == std::errc() && stop == given.data() + given.size() && columns > 0) return columns;
  constexpr size_t kUsual = 80;
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

bool UsesColor(const std::string& when, int descriptor) {
  if (when != kColorAuto) return when == kColorAlways;
  return isatty(descriptor) && Variable("NO_COLOR").empty() && Variable("TERM") != "dumb";
}

}  // namespace vta::tools
