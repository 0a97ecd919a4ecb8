// What Xilinx's tools write a bitstream into: a .bit file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// The bytes of a file, which begins with fields a to e (design, part, date, time, length of the
/// rest); lengths are big-endian. `device` is what the part's name must have in it: "zu3eg".
/// Errors: throws Error naming the file: it is none, it is of another part, it is cut off or longer
/// than it says.
std::vector<uint8_t> ReadBitFile(const std::string& file, std::string_view device);

}  // namespace vta::tools
