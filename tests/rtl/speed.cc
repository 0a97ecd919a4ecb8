// How fast the RTL simulates: a network-shaped program on the default config of VTA 0.0.2 or, with
// its block and buffer sizes, another one; tracing off.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "isa/support/error.h"
#include "sim/rtl/machine.h"
#include "tests/rtl/trial.h"
#include "tests/support/conv_stream.h"

namespace {

// Prints what a run of the stream takes.
void Measure(const vta::test::ConvStream& shape, const std::string& config) {
  vta::test::TestProgram program = vta::test::MakeConvStream(shape);
  if (!config.empty()) program.config = vta::isa::LoadConfig(config);
  vta::test::Image image = vta::test::ImageOf(program);
  vta::sim::RtlMachine machine(program.config);
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t begin_cpu = std::clock();
  const vta::isa::LaunchResult result = machine.Run(image.launch, image.dram);
  const double cpu = static_cast<double>(std::clock() - begin_cpu) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const auto cycles = static_cast<double>(result.counters.time.value().cycles);
  using Counter = vta::isa::HardwareCounter;
  std::printf("%s: %.0f cycles, %.2f s of CPU (%.2f s of wall): %.3f Mcycle/s\n",
              std::string(OutcomeName(result.outcome)).c_str(), cycles, cpu, wall.count(),
              cycles / cpu * 1e-6);
  const char* names[] = {"load", "compute", "store"};
  for (int m = 0; m < 3; ++m)
    std::printf("%-8s busy %5.1f %%, waits for tokens %5.1f %%, for memory %5.1f %%\n", names[m],
                100.0 * machine.ReadCounter(Counter::kBusy, m) / cycles,
                100.0 * machine.ReadCounter(Counter::kWaitToken, m) / cycles,
                100.0 * machine.ReadCounter(Counter::kWaitMemory, m) / cycles);
  std::printf("GEMM micro-ops: %.1f %% of cycles\n", 100.0 * result.counters.gemm_uops / cycles);
}

}  // namespace

int main(int argc, char** argv) {
  vta::test::ConvStream shape;
  shape.layers = 1;
  shape.tiles = 40;
  CLI::App app("How fast the RTL of the default config simulates.");
  app.add_option("tiles", shape.tiles, "output tiles of the convolution")
      ->check(CLI::Range(1, 1000000));
  std::string config;
  app.add_option("--config", config, "a config file with the default block and buffer sizes")
      ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    Measure(shape, config);
    return 0;
  } catch (const vta::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
