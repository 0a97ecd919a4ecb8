#include "driver/numbered_path.h"

#include <charconv>

#include "isa/support/error.h"

namespace vta::driver {

NumberedPath ParseNumberedPath(const std::string& where, std::string_view usage) {
  const size_t at = where.rfind('@');
  NumberedPath place{where.substr(0, at), std::nullopt};
  bool is_number = true;
  if (at != std::string::npos) {
    const char* const end = where.data() + where.size();
    const auto [stop, error] = std::from_chars(where.data() + at + 1, end, place.number.emplace());
    is_number = error == std::errc() && stop == end;
  }
  if (place.path.empty() || !is_number)
    throw Error("--engine", "", StrCat(usage.substr(0, usage.find(':') + 1), where),
                StrCat("must be ", usage));
  return place;
}

}  // namespace vta::driver
