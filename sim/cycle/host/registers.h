// The host's registers, as vta_regs keeps them, around a launch that runs somewhere else.
#pragma once

#include <array>

#include "isa/config.h"
#include "isa/launch.h"
#include "isa/spec/registers.h"

namespace vta::sim {

/// While a launch runs, counters and the states of modules read 0: they are what it left, once it
/// has ended.
class HostRegisters {
 public:
  explicit HostRegisters(const isa::Config& config) : config_(config) {}

  struct Read {
    bool allowed = false;
    uint32_t value = 0;
  };
  /// Units: `offset` is a byte address, a multiple of 4.
  Read ReadWord(uint64_t offset) const;

  struct Written {
    bool allowed = false, start = false, reset = false;  // start: and nothing runs
  };
  /// Bit n of `strobes`: byte n is written.
  Written WriteWord(uint64_t offset, uint32_t value, uint8_t strobes);

  /// What a start runs. Addresses are the bus's.
  isa::LaunchRequest Launch() const;
  int64_t watchdog_cycles() const { return Stored(isa::Register::kWatchdogCycles); }

  void Begin() { status_ = isa::kStatusBusy, result_ = {}; }
  /// `result`: its addresses are the bus's. `watchdog`: it ended the launch.
  void End(const isa::LaunchResult& result, bool watchdog = false);
  /// A soft reset, up to the cycle in which the bus is idle.
  void Reset() { status_ = isa::kStatusBusy; }
  void EndReset() { status_ = 0; }
  bool busy() const { return status_ & isa::kStatusBusy; }
  bool interrupt() const { return pending_ && enabled_; }

 private:
  static constexpr int64_t kWords = 1 << (isa::kRegisterAddressBits - 2);
  uint32_t Stored(isa::Register first, int64_t word = 0) const {
    return words_[static_cast<size_t>(first) / 4 + static_cast<size_t>(word)];
  }
  uint64_t Pair(isa::Register first, int64_t word = 0) const {
    return Stored(first, word) | uint64_t{Stored(first, word + 1)} << 32;
  }
  uint32_t ModuleWord(int64_t word) const;
  uint64_t CounterValue(int64_t counter) const;

  isa::Config config_;
  std::array<uint32_t, kWords> words_ = {};  // those that keep what is written
  uint32_t status_ = 0;
  bool pending_ = false, enabled_ = false;
  isa::LaunchResult result_;
};

}  // namespace vta::sim
