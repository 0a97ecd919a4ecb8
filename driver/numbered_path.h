// PATH[@NUMBER], by which engines name some of their boards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vta::driver {

struct NumberedPath {
  std::string path;
  std::optional<uint32_t> number;
};

/// `where` is what stands behind "xrt:" in --engine; `usage` is all of it:
/// "xrt:FILE.xclbin[@INDEX]". Errors: throws Error where there is no path, or no number behind the
/// last @. So a path with an @ of its own takes a number behind it.
NumberedPath ParseNumberedPath(const std::string& where, std::string_view usage);

}  // namespace vta::driver
