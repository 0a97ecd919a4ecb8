// The checker against programs with a wrong token bit: what it accepts must end the same in every
// order of the modules.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/explore.h"

namespace vta::test {

/// Programs up to this size are run in every order of their modules, larger ones in chosen and
/// random orders.
inline constexpr int64_t kExhaustiveInstructions = 40;

struct MutantTally {
  int64_t programs = 0, mutants = 0;
  int64_t rejected = 0;
  int64_t rejected_harmful =
      0;  // seen to end in several ways, or not to finish, in the orders tried
  int64_t accepted_all_orders = 0, accepted_some_orders = 0;
  int64_t states = 0;                 // visited by exhaustive runs
  std::vector<std::string> failures;  // right programs refused, harmful mutants accepted

  MutantTally& operator+=(const MutantTally& other);
};

/// The ways in which a program ends in orders of a machine's choice.
using RunOrders = std::function<std::set<Outcome>(const TestProgram& program, uint64_t seed)>;

/// Makes the seed's program, checks it, and tries `mutants` mutants of it. `run_orders` is an extra
/// machine, or empty.
MutantTally TryMutants(uint64_t seed, int64_t tiles, int64_t mutants, const RunOrders& run_orders);

}  // namespace vta::test
