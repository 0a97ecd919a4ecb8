// SHA-256, by which people pin files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vta {

/// As sha256sum prints it: 64 hexadecimal digits.
/// Source: FIPS 180-4.
std::string Sha256(std::span<const uint8_t> bytes);

}  // namespace vta
