#include "tests/support/explore.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/support/hash.h"

namespace vta::test {

using isa::Module;

Outcome OutcomeOf(const TestProgram& program, const ReferenceMachine& machine) {
  const ModuleLists lists = Distribute(program);
  bool all_run = true;
  for (int m = 0; m < isa::kModules; ++m) all_run &= machine.positions()[m] == std::ssize(lists[m]);
  const isa::Outcome end = machine.finished()  ? isa::Outcome::kFinished
                           : machine.faulted() ? isa::Outcome::kFault
                           : all_run           ? isa::Outcome::kNoFinish
                                               : isa::Outcome::kDeadlock;
  return {std::string(isa::OutcomeName(end)), Hasher().Bytes(machine.memory()).value()};
}

Exploration ExploreAll(const TestProgram& program, int64_t most_states) {
  Exploration out;
  std::map<std::array<int64_t, isa::kModules>, std::set<uint64_t>> seen;
  std::vector<ReferenceMachine> open = {ReferenceMachine(&program)};
  while (!open.empty()) {
    const ReferenceMachine machine = std::move(open.back());
    open.pop_back();
    std::set<uint64_t>& here = seen[machine.positions()];
    if (!here.insert(machine.StateHash()).second) continue;
    out.states_agree &= here.size() == 1;
    if (++out.states > most_states) {
      out.complete = false;
      return out;
    }
    bool stuck = true;
    for (int m = 0; m < isa::kModules; ++m) {
      if (!machine.CanRun(static_cast<Module>(m))) continue;
      stuck = false;
      open.push_back(machine);
      open.back().Run(static_cast<Module>(m));
    }
    if (stuck) out.outcomes.insert(OutcomeOf(program, machine));
  }
  return out;
}

namespace {

/// Runs with `choose` picking one of the modules that can run, in order load, compute, store.
template <typename Choose>
Outcome RunInOrder(const TestProgram& program, Choose choose) {
  ReferenceMachine machine(&program);
  for (;;) {
    std::vector<Module> ready;
    for (int m = 0; m < isa::kModules; ++m)
      if (machine.CanRun(static_cast<Module>(m))) ready.push_back(static_cast<Module>(m));
    if (ready.empty()) return OutcomeOf(program, machine);
    machine.Run(choose(ready));
  }
}

}  // namespace

std::set<Outcome> SampleOrders(const TestProgram& program, int random, std::mt19937_64& rng) {
  std::set<Outcome> outcomes;
  std::array<int, isa::kModules> rank = {0, 1, 2};
  do {
    outcomes.insert(RunInOrder(program, [&](const std::vector<Module>& ready) {
      return *std::ranges::min_element(ready, {},
                                       [&](Module m) { return rank[static_cast<int>(m)]; });
    }));
  } while (std::ranges::next_permutation(rank).found);
  for (int i = 0; i < random; ++i)
    outcomes.insert(RunInOrder(
        program, [&](const std::vector<Module>& ready) { return ready[rng() % ready.size()]; }));
  return outcomes;
}

}  // namespace vta::test
