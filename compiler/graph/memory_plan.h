// Static memory planning: where each tensor that crosses steps lies in one arena, and the checker
// of that.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/graph/in_place.h"
#include "compiler/graph/schedule.h"
#include "compiler/memory_planner.h"

namespace vta::compiler {

/// A tensor's place. It is alive from the step that writes it to the last that reads it; graph
/// inputs from before the first step (-1), graph outputs until after the last (the number of
/// steps). Units: bytes from the arena's start.
struct PlannedTensor : Lifetime {
  ValueId value = kNone;
};

struct MemoryPlan {
  std::vector<PlannedTensor> tensors;  // in order of their first step, then of value
  int64_t arena_bytes = 0;
  int64_t first_bytes = 0;   // of the arena what is not `apart`, all before what is
  int64_t tensor_bytes = 0;  // what they would take without sharing

  /// The tensor's place, or nullptr for a value that has none (constants, values inside a step).
  const PlannedTensor* Find(ValueId value) const;
};

/// Places the largest tensors first, each at the lowest offset that is free for its whole life.
/// Parts lie where `in_place` says in what they are parts of, which is taken as soon as one of them
/// is made. `alignment_bytes` is a power of two. Values that are `apart` lie behind all others and
/// share no memory with them; empty for none.
MemoryPlan PlanMemory(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                      const InPlace& in_place = {}, const std::vector<bool>& apart = {});

/// Re-derives the lifetimes from the graph and checks the plan against them.
/// Errors: throws Error naming the tensor that is missing, misplaced, misaligned (but for parts,
/// which lie where the whole has them) or overlaps another one that is alive at the same step and
/// is not what it is a part of.
void CheckMemoryPlan(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                     const MemoryPlan& plan, const InPlace& in_place = {});

/// "arena 1234 bytes, tensors 5678 bytes" and a line for each tensor.
std::string Print(const Graph& graph, const MemoryPlan& plan);

}  // namespace vta::compiler
