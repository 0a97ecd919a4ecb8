// Dependency tokens: closes every hazard between modules with the fewest pushes and pops.
//
// Each task must wait for the latest conflicting task of each other module. What program order and
// other edges imply is dropped (a vector clock a task: the transitive reduction). What remains on
// one queue has producers and consumers in the same order, so the k-th pop meets the k-th push and
// no instruction needs more than one token a side.
#pragma once

#include <cstdint>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

struct TokenStats {
  int64_t hazards = 0;      // task pairs of different modules that conflict, latest of each module
  int64_t edges = 0;        // of these, pushed and popped
  int64_t nops = 0;         // tasks inserted only to carry tokens
  int64_t most_tokens = 0;  // worst occupancy of a queue
};

/// Sets the token bits of all tasks (which must be clear) and inserts nops where nothing else can
/// carry a token: between a store and a load that conflict without a compute task in between, and,
/// on ISA 0.0.2, before finish, whose hardware waits for compute alone.
TokenStats InsertTokens(const isa::Config& config, TaskProgram* program);

}  // namespace vta::compiler::targets
