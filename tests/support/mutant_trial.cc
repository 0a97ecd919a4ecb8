#include "tests/support/mutant_trial.h"

#include "isa/support/error.h"
#include "tests/support/mutate.h"
#include "tests/support/random_program.h"

namespace vta::test {
namespace {

constexpr int64_t kMostStates = 200000;
constexpr int kRandomOrders = 8;

bool Harmless(const std::set<Outcome>& outcomes) {
  return outcomes.size() == 1 && outcomes.begin()->end == "finished";
}

/// Why an accepted program is not harmless after all; empty where it is.
std::string FindHarm(const TestProgram& program, uint64_t seed, const RunOrders& run_orders,
                     MutantTally& tally) {
  std::mt19937_64 rng(seed);
  std::set<Outcome> outcomes = SampleOrders(program, kRandomOrders, rng);
  if (run_orders) outcomes.merge(run_orders(program, seed));
  if (std::ssize(program.instructions) <= kExhaustiveInstructions) {
    const Exploration all = ExploreAll(program, kMostStates);
    tally.states += all.states;
    ++tally.accepted_all_orders;
    if (!all.complete) return "more states than the exploration visits";
    if (!all.states_agree) return "the order of the modules shows in the memories";
    outcomes.insert(all.outcomes.begin(), all.outcomes.end());
  } else {
    ++tally.accepted_some_orders;
  }
  return Harmless(outcomes)
             ? ""
             : StrCat("ends in ", outcomes.size(), " ways, one: ", outcomes.begin()->end);
}

}  // namespace

MutantTally& MutantTally::operator+=(const MutantTally& other) {
  programs += other.programs, mutants += other.mutants;
  rejected += other.rejected, rejected_harmful += other.rejected_harmful;
  accepted_all_orders += other.accepted_all_orders;
  accepted_some_orders += other.accepted_some_orders;
  states += other.states;
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
  return *this;
}

MutantTally TryMutants(uint64_t seed, int64_t tiles, int64_t mutants, const RunOrders& run_orders) {
  MutantTally tally{.programs = 1};
  const TestProgram program = RandomProgram(seed, tiles);
  auto fail = [&](std::string_view what, std::string_view why) {
    tally.failures.push_back(StrCat("seed ", seed, ", ", tiles, " tiles, ", what, ": ", why));
  };
  if (const isa::Report report = program.Check(); !report.ok())
    fail("right program refused", ReportToText(report));
  MutantTally unused;
  if (const std::string harm = FindHarm(program, seed, run_orders, unused); !harm.empty())
    fail("the generator's program", harm);

  std::mt19937_64 rng(seed);
  for (int64_t k = 0; k < mutants; ++k) {
    std::string description;
    const TestProgram mutant = MutateTokens(program, rng, description);
    ++tally.mutants;
    if (mutant.Check().ok()) {
      const std::string harm = FindHarm(mutant, seed, run_orders, tally);
      if (!harm.empty()) fail(description, harm);
    } else {
      ++tally.rejected;
      tally.rejected_harmful += !Harmless(SampleOrders(mutant, kRandomOrders, rng));
    }
  }
  return tally;
}

}  // namespace vta::test
