// A launch as a host makes it: through the registers, wherever they are.
#pragma once

#include <cstdint>

#include "isa/config.h"
#include "isa/launch.h"
#include "isa/spec/memories.h"
#include "isa/spec/registers.h"

namespace vta::isa {

/// Bits of an address on the hardware's bus.
inline constexpr int kAddressBits = 48;
/// What an address of the bus keeps.
inline constexpr uint64_t kAddressMask = (uint64_t{1} << kAddressBits) - 1;

/// What the hardware expects of a base register.
/// Units: bytes; a power of two.
int64_t BaseAlignmentBytes(const Config& config, MemoryType type);

/// Errors: throws Error when an address of the request breaks an alignment rule of the hardware.
void CheckAlignment(const Config& config, const LaunchRequest& launch);

/// Moves all addresses of a request, or of a result that has any, by so many bytes, modulo what the
/// bus has: between places in a memory and the bus addresses of that memory.
void Move(LaunchRequest& request, uint64_t by);
void Move(LaunchResult& result, uint64_t by);

/// The host's end of the registers.
/// Errors: both throw Error where the register does not answer, or refuses.
class RegisterPort {
 public:
  virtual ~RegisterPort() = default;
  /// Units: `offset` is a byte address inside the register page, a multiple of 4.
  virtual uint32_t ReadWord(uint32_t offset) = 0;
  virtual void WriteWord(uint32_t offset, uint32_t value) = 0;

  uint32_t Read(Register first, int64_t word = 0) { return ReadWord(OffsetOf(first, word)); }
  void Write(Register first, uint32_t value, int64_t word = 0) {
    WriteWord(OffsetOf(first, word), value);
  }

 private:
  static uint32_t OffsetOf(Register first, int64_t word) {
    return static_cast<uint32_t>(static_cast<int64_t>(first) + 4 * word);
  }
};

/// Writes the request, whose addresses are the bus's, acknowledges and enables the interrupt, and
/// starts the accelerator.
void WriteLaunch(RegisterPort& port, const LaunchRequest& request);

/// How the launch ended, once STATUS says that it has. Addresses are the bus's; the instructions
/// themselves (ModuleState::word) are not among the registers.
LaunchResult ReadResult(RegisterPort& port, const Config& config);

}  // namespace vta::isa
