#include "tools/shared/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace vta::tools {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

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
