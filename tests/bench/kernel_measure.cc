#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "compiler/llvm/module.h"
#include "compiler/lower/cpu.h"
#include "runtime/elf/module.h"
#include "tests/bench/kernel_conv.h"

namespace vta::compiler::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

double BestSeconds(int runs, const std::function<void()>& run) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    run();
    best = std::min(best, SecondsSince(start));
  }
  return best;
}

#define VTA_SUMS \
  ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,30,31\n\t"
#define VTA_CHAINS(INSTRUCTION)                                                             \
  asm volatile(VTA_SUMS                                                                     \
               "vpxord %%zmm\\r, %%zmm\\r, %%zmm\\r\n.endr\n"                               \
               "1:\n" VTA_SUMS ".if \\r < 28\n " INSTRUCTION                                \
               " %%zmm30, %%zmm31, %%zmm\\r\n.endif\n.endr\n"                               \
               "dec %0\n jnz 1b\n"                                                          \
               : "+r"(steps)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                 "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

namespace {

constexpr int64_t kPeakRuns = 400, kPeakSteps = 40000;

double PeakOf(int64_t ops_a_lane, const std::function<void()>& run) {
  return 1e-9 * 16 * 28 * kPeakSteps * ops_a_lane / BestSeconds(kPeakRuns, run);
}

}  // namespace

double FloatPeak() {
  return PeakOf(2, [] {
    int64_t steps = kPeakSteps;
    VTA_CHAINS("vfmadd231ps");
  });
}

double BytePeak() {
  return PeakOf(8, [] {
    int64_t steps = kPeakSteps;
    VTA_CHAINS("vpdpbusd");
  });
}

void Measure(const Setting& setting, const std::string& name, const Conv& c, double peak_gops,
             const loop::Function& function, const std::vector<void*>& tensors,
             const std::function<void()>& check) {
  const lower::CpuSpec spec = lower::FindCpu(setting.cpu);
  const llvm::Machine machine{"x86_64-unknown-linux-gnu", spec.tune, spec.features,
                              setting.vector_bits};
  const auto before = Clock::now();
  const std::vector<lower::Kernel> kernels = {lower::PlanKernel(function)};
  isa::PackageModule module{"elf", "x86_64", {}, llvm::BuildModule(kernels, machine)};
  const double build_seconds = SecondsSince(before);
  if (setting.dump) {
    const llvm::ModuleText text = llvm::DumpModule(kernels, machine);
    const std::string path = std::string(setting.dump) + "/" + setting.cpu + "_" + name;
    std::ofstream(path + ".s") << text.assembly;
    std::ofstream(path + ".ll") << text.optimized;
    std::ofstream(path + ".txt") << Print(kernels[0].function);
  }
  isa::PackageKernel kernel;
  kernel.name = function.name;
  kernel.tasks = kernels[0].tasks;
  kernel.workspace_bytes = kernels[0].workspace_bytes;
  const runtime::ElfModule loaded(module, std::span(&kernel, 1), "module");
  const Memory<std::byte> workspace(kernel.workspace_bytes);
  const auto run = [&] { loaded.Run(0, tensors.data(), workspace.data(), 0, kernel.tasks); };
  run();
  check();
  const double seconds = BestSeconds(std::max(20, static_cast<int>(8e10 / c.Ops())), run);
  std::printf(
      "%-10s %-12s %2ld columns x %ld blocks  %8.1f us  %6.1f GOP/s  %5.1f %% of peak, built in "
      "%3.0f ms\n",
      setting.cpu.c_str(), name.c_str(), c.columns, c.blocks, seconds * 1e6,
      c.Ops() / seconds * 1e-9, c.Ops() / seconds * 1e-7 / peak_gops, build_seconds * 1e3);
}

}  // namespace vta::compiler::bench
