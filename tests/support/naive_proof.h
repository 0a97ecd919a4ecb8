// The checker's question answered the slow way, for small programs: every reachable combination of
// what the modules are doing is visited, and rows are found by unrolling every loop.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "isa/spec/modules.h"
#include "tests/support/test_program.h"

namespace vta::test {

struct NaiveVerdict {
  bool deadlock = false;
  std::array<int64_t, isa::kQueues> occupancy = {};
  /// Instructions of different modules that can run at once and touch the same row or byte, one
  /// writing.
  std::set<std::pair<int64_t, int64_t>> races;
  /// Instructions that read a row that no instruction surely before them writes.
  std::set<int64_t> uninitialised;
  /// LOADs of micro-ops from bytes that an instruction stores to that is not surely after them.
  std::set<int64_t> overwritten_uops;

  bool ok(int64_t token_capacity) const;
};

/// Each step of an instruction (pop, pop, run, push, push) is an event of its own; queues hold
/// `capacity` tokens, or any number of them. Nothing where an instruction faults. Programs hold at
/// most a few dozen instructions.
std::optional<NaiveVerdict> NaiveProve(const TestProgram& program,
                                       std::optional<int64_t> capacity = std::nullopt);

}  // namespace vta::test
