// The golden model: a VTA of one config that runs launches bit-exactly by the rules of
// isa/README.md, tokens, faults and deadlocks included. It counts work; it has no notion of time.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <span>

#include "isa/launch.h"
#include "sim/functional/scratchpads.h"
#include "sim/functional/simd_engine.h"
#include "sim/trace/trace.h"

namespace vta::sim {

/// Which of the modules that can move runs its next instruction. A race-free program ends the same
/// in every order.
enum class ModuleOrder : uint8_t {
  kOldestFirst,  // that with the earliest instruction: stream order where the program allows it
  kLoadFirst,
  kComputeFirst,
  kStoreFirst,
  kRandom,  // drawn from Options::seed, anew at each launch
};

struct MachineOptions {
  ModuleOrder order = ModuleOrder::kOldestFirst;
  uint64_t seed = 0;
  Simd simd = Simd::kBest;     // how GEMM and ALU are computed; the bytes are the same
  TraceSink* trace = nullptr;  // borrowed
  /// A launch stops before the GEMM or ALU that would take it past this many micro-ops,
  int64_t micro_op_limit = std::numeric_limits<int64_t>::max();
  /// or soon after this much time. A stopped launch leaves the memories as they happen to be.
  std::chrono::steady_clock::duration time_limit = std::chrono::steady_clock::duration::max();
};

class Machine {
 public:
  /// Errors: throws Error where the processor lacks a set of instructions that the options name.
  explicit Machine(const isa::Config& config, const MachineOptions& options = {});

  const isa::Layout& layout() const { return layout_; }
  /// Between launches; simd is fixed at construction.
  MachineOptions& options() { return options_; }
  const Scratchpads& scratchpads() const { return pads_; }

  /// Runs until nothing moves. The scratchpads keep what the launch leaves. Addresses outside
  /// `dram` are bus errors.
  isa::LaunchResult Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram);

 private:
  isa::Layout layout_;
  MachineOptions options_;
  Scratchpads pads_;
  std::optional<SimdEngine> simd_;  // none: the in-order reference does everything
};

}  // namespace vta::sim
