// The self-test of hw/synth/vta_selftest.sv for one config.
#pragma once

#include <string>

#include "isa/config.h"

namespace vta::tools {

/// 115,200 bits a second at the 25 MHz that boards of the ECP5 have.
inline constexpr int64_t kBitCycles = 217;

/// What the hardware's self-test is made of.
struct Selftest {
  std::string package;          // vta_selftest_pkg
  std::string image, expected;  // memory before and after, for $readmemh: a bus word a line
};

/// A program that loads, multiplies, shifts, clips and stores what a seed draws; what it leaves
/// comes from the functional engine. `bit_cycles` is how long the UART's bits take. Errors: throws
/// Error where the engine does not finish it.
Selftest MakeSelftest(const isa::Config& config, int64_t bit_cycles);

/// Writes vta_pkg.sv, vta_selftest_pkg.sv, image.hex and expected.hex into a folder that is there.
/// Errors: throws Error where one cannot be written.
void WriteSelftest(const isa::Config& config, int64_t bit_cycles, const std::string& folder);

}  // namespace vta::tools
