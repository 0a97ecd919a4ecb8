// Mutation trials of the checker: random right programs, each with many wrong token bits. What the
// checker accepts must end the same in every order of the modules: on the reference interpreter in
// all orders up to 40 instructions, otherwise in load-first, compute-first, store-first and random
// orders; and on the functional simulator in its orders.
//
// usage: check_mutants [--brief] [PROGRAMS [MUTANTS_EACH [FIRST_SEED]]]      (default 4000 10 0: a
// few minutes)
#include <cstdio>
#include <cstdlib>
#include <string>

#include "isa/support/hash.h"
#include "sim/functional/machine.h"
#include "tests/support/mutant_trial.h"

namespace vta::test {
namespace {

/// The same program in the orders of the functional simulator.
std::set<Outcome> RunOnSimulator(const TestProgram& program, uint64_t seed) {
  const isa::Layout layout(program.config);
  // The program lies behind the data, where nothing stores.
  const auto code = (program.memory.size() + 15) / 16 * 16;
  isa::LaunchRequest launch{.instruction_address = code,
                            .instruction_count = std::ssize(program.instructions)};
  std::ranges::copy(program.bases, launch.base.begin());
  std::set<Outcome> outcomes;
  for (sim::ModuleOrder order : {sim::ModuleOrder::kLoadFirst, sim::ModuleOrder::kComputeFirst,
                                 sim::ModuleOrder::kStoreFirst, sim::ModuleOrder::kRandom}) {
    std::vector<uint8_t> dram = program.memory;
    dram.resize(code + program.instructions.size() * isa::kInstructionBytes);
    for (size_t i = 0; i < program.instructions.size(); ++i)
      isa::StoreWord(Encode(layout, program.instructions[i]), &dram[code + 16 * i]);
    sim::Machine machine(program.config, {.order = order, .seed = seed});
    const isa::LaunchResult result = machine.Run(launch, dram);
    dram.resize(program.memory.size());
    outcomes.insert({std::string(isa::OutcomeName(result.outcome)), Hasher().Bytes(dram).value()});
  }
  return outcomes;
}

int Main(int64_t programs, int64_t mutants, uint64_t first_seed) {
  MutantTally tally;
  for (int64_t i = 0; i < programs; ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    // Four of five small enough for all orders, the others larger.
    const int64_t tiles = i % 5 == 4 ? 5 + i % 8 : 1 + i % 4;
    tally += TryMutants(seed, tiles, mutants, RunOnSimulator);
  }
  std::printf("right programs        %8ld\n", static_cast<long>(tally.programs));
  std::printf("mutants               %8ld\n", static_cast<long>(tally.mutants));
  std::printf("  rejected            %8ld\n", static_cast<long>(tally.rejected));
  std::printf("    seen to do harm   %8ld\n", static_cast<long>(tally.rejected_harmful));
  std::printf("  accepted, all orders%8ld (%ld states)\n",
              static_cast<long>(tally.accepted_all_orders), static_cast<long>(tally.states));
  std::printf("  accepted, some      %8ld\n", static_cast<long>(tally.accepted_some_orders));
  std::printf("failures              %8zu\n", tally.failures.size());
  for (const std::string& failure : tally.failures) std::printf("  %s\n", failure.c_str());
  return tally.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--brief") return vta::test::Main(10, 5, 1000000);
  auto number = [&](int i, int64_t otherwise) {
    return i < argc ? std::strtoll(argv[i], nullptr, 10) : otherwise;
  };
  return vta::test::Main(number(1, 4000), number(2, 10), static_cast<uint64_t>(number(3, 0)));
}
