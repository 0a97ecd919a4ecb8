// What a program does in other orders of its modules: all of them, or chosen and random ones.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/reference_machine.h"

namespace vta::test {

/// How a run ended and what it left in memory.
struct Outcome {
  std::string end;  // isa::OutcomeName
  uint64_t memory_hash = 0;
  auto operator<=>(const Outcome&) const = default;
};
Outcome OutcomeOf(const TestProgram& program, const ReferenceMachine& machine);

struct Exploration {
  std::set<Outcome> outcomes;
  /// Wherever the modules stand, everything that later instructions can see is the same however
  /// they came there.
  bool states_agree = true;
  bool complete = true;  // false: stopped at the most states
  int64_t states = 0;
};
/// Runs the program in every order of its modules, whole instructions at a time.
Exploration ExploreAll(const TestProgram& program, int64_t most_states);

/// The outcomes of load-first, compute-first and store-first (with either order of the other two)
/// and of `random` random orders.
std::set<Outcome> SampleOrders(const TestProgram& program, int random, std::mt19937_64& rng);

}  // namespace vta::test
