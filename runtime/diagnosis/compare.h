// Values of two runs beside each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/launch.h"
#include "isa/package.h"

namespace vta::runtime {

/// Units: an address in bytes of device memory.
struct ValueDifference {
  std::string what;      // "tensor conv1", "the constants"
  int64_t element = 0;   // the first that differs
  uint64_t address = 0;  // of its first byte, on the device
  std::string expected, actual;
  int64_t differing = 0, elements = 0;
};

/// Bit by bit; absent where nothing differs. `address` is that of the first element.
/// Errors: aborts where the sizes differ.
std::optional<ValueDifference> CompareValues(const std::string& what, isa::ElementType type,
                                             uint64_t address, std::span<const uint8_t> expected,
                                             std::span<const uint8_t> actual);
/// "element 3 at 0x2003: expected 5, is -3; 2 of 64 elements differ", behind what it is of.
std::string Describe(const ValueDifference& difference);

/// The counts of work that any two engines must agree on, where these do not: "gemm_uops 12,
/// expected 16".
std::vector<std::string> CompareCounters(const isa::Counters& expected,
                                         const isa::Counters& actual);

}  // namespace vta::runtime
