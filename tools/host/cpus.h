// The CPUs of boards, as a model has them: what each moves and computes in a second. Every constant
// of the model stands here; docs/host.md says what it is worth.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/work.h"

namespace vta::tools {

/// All cores together.
struct HostCpu {
  std::string_view key, name;  // in JSON, for people
  int64_t cores, mhz;
  double gb_per_s;                                // moved bytes, read and written together
  std::array<double, isa::kWorkKinds> per_cycle;  // operations, by kind
};

/// Bandwidth: what copies in C reach on boards with these, in round numbers. float_products:
/// fitted to what TVM 0.4 reported of networks in float32 at batch 1 ("Automatic Kernel
/// Optimization for Deep Learning on All Hardware Platforms", 2018), on PYNQ and on a Raspberry Pi
/// 3B, which have these CPUs at these clocks; channel_products, too, of MobileNet. code_products:
/// twice float_products, as lanes are half as wide. elements: a load, an operation and a store in
/// the vector unit of each core, of 64 bits on the A9 and of 128 on the A53. functions: polynomials
/// of some twenty operations in registers, which need no load and no store.
inline constexpr HostCpu kHostCpus[] = {
    {"cortex_a9", "Cortex-A9", 2, 650, 1.0, {1.9, 3.8, 0.2, 1, 0.2}},
    {"cortex_a53", "Cortex-A53", 4, 1200, 2.0, {4.8, 9.6, 0.8, 4, 0.8}},
};
inline constexpr int kHosts = std::size(kHostCpus);

/// Which of them a board has, by the preset of its memory.
struct BoardHost {
  std::string_view preset, key;
};
inline constexpr BoardHost kBoardHosts[] = {
    {"pynq", "cortex_a9"},
    {"ultra96", "cortex_a53"},
    {"zcu104", "cortex_a53"},
    {"kv260", "cortex_a53"},
};

/// A result is also given at these shares of the rates.
inline constexpr double kHalfRate = 0.5, kDoubleRate = 2;

}  // namespace vta::tools
