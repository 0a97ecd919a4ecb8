// Random networks on random accelerator variants, through compiler, checker, runtime and functional
// device, against the graph's evaluator and the interpreter.
//
// usage: network_fuzz FIRST_SEED NETWORKS      prints the first failure with its network, or what
// was covered
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "compiler/graph/text.h"
#include "isa/support/error.h"
#include "tests/network/random_network.h"
#include "tests/network/trial.h"
#include "tools/vta/common/configs.h"

namespace vta::test {
namespace {

void PrintCounts(const char* where, const std::map<std::string, int64_t>& counts) {
  std::cout << where << ":";
  for (const auto& [name, count] : counts) std::cout << " " << count << " " << name;
  std::cout << "\n";
}

int Fuzz(uint64_t first, uint64_t networks) {
  std::vector<isa::Config> shipped;
  for (const std::string& name : tools::ShippedConfigs())
    shipped.push_back(tools::FindConfig(name));
  NetworkTally tally;
  for (uint64_t seed = first; seed < first + networks; ++seed) {
    Draws draw(seed);
    const isa::Config config = draw.Once(6) ? draw.Of(shipped) : RandomConfig(draw);
    const auto rounding = draw.Once(2) ? isa::Rounding::kDouble : isa::Rounding::kSingle;
    const compiler::Graph graph = RandomNetwork(draw, rounding);
    const std::string text = TryNetwork(config, graph, seed, &tally);
    if (text.empty()) continue;
    std::cout << "seed " << seed << ": " << text << "\n"
              << isa::ConfigToJson(config) << compiler::Print(graph);
    return 1;
  }
  std::cout << tally.networks << " networks (" << tally.exact << " equal to the evaluator), "
            << tally.programs << " programs, " << tally.instructions << " instructions, "
            << tally.runs << " runs without a difference\n";
  PrintCounts("on vta", tally.on_vta);
  PrintCounts("on the CPU", tally.on_cpu);
  return 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: network_fuzz FIRST_SEED NETWORKS\n";
    return 2;
  }
  return vta::test::Fuzz(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
}
