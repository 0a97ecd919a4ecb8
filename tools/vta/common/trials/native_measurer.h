// What kernels take on this machine's CPU.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "compiler/lower/cpu.h"
#include "compiler/tune/measurer.h"

namespace vta::tools {

/// Runs a trial's kernel in a process of its own, on one core, on random inputs: what it takes is
/// the median of several times of that thread. A kernel that faults or takes too long ends with
/// that process. Units: nanoseconds.
class NativeMeasurer : public compiler::tune::Measurer {
 public:
  static constexpr int kLimitMs = 20'000;
  static constexpr char kName[] = "native";

  /// `cpu`: one that this machine can run code for. `core`: where trials run, one at a time, none
  /// longer than the limit.
  NativeMeasurer(compiler::lower::CpuSpec cpu, int64_t core, int limit_ms = kLimitMs);

  std::string Name() const override { return kName; }
  /// Of this machine's CPU.
  uint64_t Hash() const override { return HashOfMachine(); }
  static uint64_t HashOfMachine();
  bool is_noisy() const override { return true; }
  /// Errors: as Measurer; and where a trial's outputs are not those of the first one with its
  /// workload.
  int64_t Measure(const compiler::tune::Trial& trial) const override;

 private:
  const compiler::lower::CpuSpec cpu_;
  const int64_t core_;
  const int limit_ms_;
  mutable std::mutex running_;
  mutable std::map<std::string, uint64_t> outputs_;  // hashes, by workloads
};

}  // namespace vta::tools
