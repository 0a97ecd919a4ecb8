// What the proof needs of each instruction: its module, its tokens, the rows and bytes that it
// touches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/check/check.h"
#include "isa/check/collector.h"
#include "isa/check/kernels.h"
#include "isa/check/operands.h"
#include "isa/spec/memories.h"

namespace vta::isa {

/// One instruction, resolved. Which flags and tiles are set says what it does.
struct Step {
  Module module = Module::kCompute;
  bool pop_prev = false, pop_next = false, push_prev = false, push_next = false;
  bool finish = false;
  bool carrier = false;  // moves and computes nothing

  // LOAD and STORE: the scratchpad, its rows, and DRAM.
  std::optional<MemoryType> pad;
  bool store = false;
  RowRun pad_rows;
  DramTile dram;

  bool computes = false;  // GEMM and ALU: an OperandWalk finds its rows
};

/// Calls take(queue) for each token that the step pops, in the order in which it pops them.
template <typename Take>
void ForEachPop(const Step& step, Take take) {
  if (step.pop_prev) take(PopQueue(step.module, false));
  if (step.pop_next) take(PopQueue(step.module, true));
}
template <typename Give>
void ForEachPush(const Step& step, Give give) {
  if (step.push_prev) give(PushQueue(step.module, false));
  if (step.push_next) give(PushQueue(step.module, true));
}

/// The program up to its FINISH, and what is remembered of its kernels.
struct Steps {
  explicit Steps(const Layout& layout) : kernels(layout) {}

  Kernels kernels;
  std::vector<Step> steps;
  bool legal = true;       // every instruction decodes
  bool rows_known = true;  // and lies inside its bounds
};

/// Decodes and resolves the program. Findings: everything about one instruction alone, and
/// micro-ops.
Steps Resolve(const Layout& layout, const Launch& launch, Collector& findings,
              Statistics& statistics);

/// The scratchpad and base register of a memory type: acc8 is a way into acc.
constexpr MemoryType PadOf(MemoryType type) {
  return type == MemoryType::kAcc8 ? MemoryType::kAcc : type;
}

}  // namespace vta::isa
