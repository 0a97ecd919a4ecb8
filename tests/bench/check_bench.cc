// Time of the proof on network-sized programs.
//
// usage: check_bench [--brief]
#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/support/conv_stream.h"

namespace vta::test {
namespace {

bool Measure(const char* name, const ConvStream& shape) {
  const TestProgram program = MakeConvStream(shape);
  int64_t best_ns = INT64_MAX;
  bool ok = true;
  isa::Report report;
  for (int round = 0; round < 5; ++round) {
    report = program.Check();
    ok &= report.ok();
    best_ns = std::min(best_ns, report.statistics.scan_ns);
  }
  const isa::Statistics& s = report.statistics;
  std::printf("%-28s %8ld %14ld %8ld %9.1f %9.0f %s\n", name, static_cast<long>(s.instructions),
              static_cast<long>(s.uops_executed), static_cast<long>(s.kernels), best_ns / 1e6,
              static_cast<double>(best_ns) / static_cast<double>(s.instructions),
              ok ? "proved" : "REFUSED");
  return ok;
}

int Main(bool brief) {
  std::printf("%-28s %8s %14s %8s %9s %9s\n", "stream", "insns", "micro-ops", "kernels",
              "ms (of 5)", "ns/insn");
  const int64_t layers = brief ? 1 : 53;
  bool ok = Measure("36 uops x 196 trips", {.layers = layers});
  ok &= Measure("2044 uops x 196 trips", {.layers = layers, .kernel_uops = 2044});
  ok &= Measure("36 uops x 14000 trips", {.layers = layers, .loop_trips = 14000});
  ok &= Measure("1 step a tile", {.layers = layers, .tiles = 360, .reduction = 1});
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  return vta::test::Main(argc > 1 && std::string(argv[1]) == "--brief");
}
