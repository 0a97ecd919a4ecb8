#include "tools/timing/delays.h"

#include <algorithm>

#include "isa/support/error.h"
#include "tools/timing/families.h"

namespace vta::tools {

const DelayTable& FindDelays(std::string_view family) {
  if (family == "xc7") return Xc7Delays();
  if (family == "xcup") return XcupDelays();
  if (family == "ecp5") return Ecp5Delays();
  throw Error("timing", std::string(family), "", "has no delay table");
}

bool HasPin(std::string_view list, std::string_view port, size_t bit) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    const std::string_view word = list.substr(at, end - at);
    at = end + 1;
    if (word == port || word == StrCat(port, "[", bit, "]")) return true;
    if (word.ends_with('#') && port.starts_with(word.substr(0, word.size() - 1)) &&
        port.find_first_not_of("0123456789", word.size() - 1) == std::string_view::npos &&
        port.size() >= word.size())
      return true;
  }
  return false;
}

bool HasWord(std::string_view list, std::string_view word) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace vta::tools
