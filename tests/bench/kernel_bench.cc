// Speed of native kernels on one core, beside the peak of its multiply-adds: convolutions in float
// over blocks of 16 channels, each computed in tiles of columns and blocks of outputs that stay in
// registers until bias and relu are applied to them. Best of many runs, since other work on the
// machine only slows one down. Runs on x86-64 with AVX-512; --dump FOLDER writes kernels' texts.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/llvm/module.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/lower/cpu.h"
#include "compiler/te/te.h"
#include "runtime/elf_module.h"

using namespace vta;
using namespace vta::compiler;
using loop::Expr;

namespace {

using Clock = std::chrono::steady_clock;

template <typename F>
double BestSeconds(int runs, F run) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

#define VTA_SUMS \
  ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,30,31\n\t"

/// 28 chains of multiply-adds of 16 lanes.
double PeakGflops() {
  constexpr int64_t kSteps = 40000;
  const double seconds = BestSeconds(400, [] {
    int64_t steps = kSteps;
    asm volatile(VTA_SUMS
                 "vpxord %%zmm\\r, %%zmm\\r, %%zmm\\r\n.endr\n"
                 "1:\n" VTA_SUMS
                 ".if \\r < 28\n vfmadd231ps %%zmm30, %%zmm31, %%zmm\\r\n.endif\n.endr\n"
                 "dec %0\n jnz 1b\n"
                 : "+r"(steps)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  });
  return 2.0 * 16 * 28 * kSteps / seconds * 1e-9;
}

struct Conv {
  int64_t channels, outputs, size, kernel, stride;  // `size` of the output
  int64_t columns, blocks;                          // of a tile
  int64_t Input() const { return (size - 1) * stride + kernel; }
};

/// x [C/16][Hi][Wi][16], w [O/16][C/16][K][K][16 i][16 o], bias [O/16][16] -> y [O/16][H][W][16].
loop::Function Expression(const Conv& c) {
  constexpr auto kF32 = loop::DType::kFloat32;
  const int64_t cbs = c.channels / 16, obs = c.outputs / 16;
  te::Tensor x = te::Placeholder("x", {cbs, c.Input(), c.Input(), 16}, kF32);
  te::Tensor w = te::Placeholder("w", {obs, cbs, c.kernel, c.kernel, 16, 16}, kF32);
  te::Tensor bias = te::Placeholder("bias", {obs, 16}, kF32);
  te::ReduceAxis cb("cb", cbs), p("p", c.kernel), q("q", c.kernel), i("i", 16);
  const std::vector<te::Axis> axes = {{"ob", obs}, {"h", c.size}, {"w", c.size}, {"o", 16}};
  te::Tensor s = te::Compute("s", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    return te::ReduceSum(x(cb, h * c.stride + p, v * c.stride + q, i) * w(ob, cb, p, q, i, o),
                         {cb, p, q, i});
  });
  te::Tensor y = te::Compute("y", axes, [&](Expr ob, Expr h, Expr v, Expr o) {
    return Max(s(ob, h, v, o) + bias(ob, o), loop::FloatConst(0));
  });
  return te::Lower("conv", {x, w, bias, y});
}

loop::Function Scheduled(const Conv& c) {
  loop::Schedule s(Expression(c));
  s.Do("set_scope", "s", "local");
  s.Do("split", "y", "ob", c.blocks);
  s.Do("split", "y", "w", c.columns);
  s.Do("reorder", "y", "obo", "h", "wo", "wi", "obi", "o");
  s.Do("compute_at", "s", "y", "wo");
  // Columns around blocks: an input is used up at once, and only the blocks' weights stay.
  s.Do("reorder", "s", "cb", "p", "q", "i", "w", "ob", "o");
  s.Do("decompose_reduction", "s", "cb");
  for (const auto& [block, columns, blocks] :
       {std::array{"s", "w", "ob"}, {"s_init", "w", "ob"}, {"y", "wi", "obi"}}) {
    s.Do("unroll", block, columns);
    if (c.blocks > 1) s.Do("unroll", block, blocks);
    s.Do("vectorize", block, "o");
  }
  s.Do("parallel", "y", "obo");
  return s.function();
}

struct Floats {
  explicit Floats(int64_t size) : storage(size + 16) {
    void* at = storage.data();
    size_t space = storage.size() * sizeof(float);
    data = static_cast<float*>(std::align(64, size * sizeof(float), at, space));
    for (int64_t i = 0; i < size; ++i) data[i] = static_cast<float>(i * 7919 % 201 - 100) / 100;
  }
  std::vector<float> storage;
  float* data;
};

void Require(const Conv& c, const float* x, const float* w, const float* bias, const float* y) {
  const int64_t n = c.Input(), k = c.kernel, cbs = c.channels / 16;
  for (int64_t at = 0; at < c.outputs * c.size * c.size; at += 37) {
    const int64_t o = at % 16, v = at / 16 % c.size, h = at / 16 / c.size % c.size,
                  ob = at / 16 / c.size / c.size;
    double sum = bias[ob * 16 + o];
    for (int64_t cb = 0; cb < cbs; ++cb)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t q = 0; q < k; ++q)
          for (int64_t i = 0; i < 16; ++i)
            sum += double{x[((cb * n + h * c.stride + p) * n + v * c.stride + q) * 16 + i]} *
                   w[((((ob * cbs + cb) * k + p) * k + q) * 16 + i) * 16 + o];
    sum = std::max(sum, 0.0);
    if (std::abs(sum - y[at]) > 1e-4 * std::max(1.0, std::abs(sum))) {
      std::printf("y[%ld] = %g, must be %g\n", at, y[at], sum);
      std::exit(1);
    }
  }
}

void Measure(const std::string& cpu, int64_t vector_bits, const std::string& name, const Conv& c,
             double peak, const char* dump) {
  const lower::CpuSpec spec = lower::FindCpu(cpu);
  const llvm::Machine machine{"x86_64-unknown-linux-gnu", spec.tune, spec.features, vector_bits};
  const auto before = Clock::now();
  const std::vector<lower::Kernel> kernels = {lower::PlanKernel(Scheduled(c))};
  isa::PackageModule module{"elf", "x86_64", {}, llvm::BuildModule(kernels, machine)};
  const double build = std::chrono::duration<double>(Clock::now() - before).count();
  if (dump) {
    const llvm::ModuleText text = llvm::DumpModule(kernels, machine);
    std::ofstream(std::string(dump) + "/" + cpu + "_" + name + ".s") << text.assembly;
    std::ofstream(std::string(dump) + "/" + cpu + "_" + name + ".ll") << text.optimized;
    std::ofstream(std::string(dump) + "/" + cpu + "_" + name + ".txt")
        << Print(kernels[0].function);
  }
  isa::PackageKernel kernel;
  kernel.name = "conv";
  kernel.tasks = kernels[0].tasks;
  kernel.workspace_bytes = kernels[0].workspace_bytes;
  const runtime::ElfModule loaded(module, std::span(&kernel, 1), "module");
  Floats x(c.channels * c.Input() * c.Input()), w(c.channels * c.outputs * c.kernel * c.kernel),
      bias(c.outputs), y(c.outputs * c.size * c.size), workspace(kernel.workspace_bytes / 4);
  void* tensors[] = {x.data, w.data, bias.data, y.data};
  const auto run = [&] { loaded.Run(0, tensors, workspace.data, 0, kernel.tasks); };
  run();
  Require(c, x.data, w.data, bias.data, y.data);
  const double ops = 2.0 * c.channels * c.outputs * c.kernel * c.kernel * c.size * c.size;
  const double seconds = BestSeconds(std::max(20, static_cast<int>(8e10 / ops)), run);
  std::printf(
      "%-10s %-7s %2ld columns x %ld blocks  %8.1f us  %6.1f GFLOP/s  %5.1f %% of peak, built in "
      "%3.0f "
      "ms\n",
      cpu.c_str(), name.c_str(), c.columns, c.blocks, seconds * 1e6, ops / seconds * 1e-9,
      ops / seconds * 1e-7 / peak, build * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx512vl")) return std::puts("this CPU has no AVX-512"), 0;
  const char* dump = argc > 2 && std::strcmp(argv[1], "--dump") == 0 ? argv[2] : nullptr;
  const double peak = PeakGflops();
  std::printf("peak %.1f GFLOP/s\n", peak);
  // Columns times blocks, blocks and one must fit into the registers together: 32 of 512 bits, or
  // 16 of 256, where a block takes two.
  const struct {
    const char* name;
    Conv conv;
  } kWide[] = {{"3x3", {64, 64, 56, 3, 1, 14, 2}},   {"3x3_s2", {64, 128, 28, 3, 2, 14, 2}},
               {"1x1", {64, 256, 56, 1, 1, 14, 2}},  {"1x1_s2", {256, 128, 28, 1, 2, 14, 2}},
               {"3x3_7", {512, 512, 7, 3, 1, 7, 2}}, {"1x1_7", {512, 2048, 7, 1, 1, 7, 2}},
               {"tail", {64, 64, 54, 3, 1, 14, 2}}},
    kNarrow[] = {{"3x3", {64, 64, 56, 3, 1, 6, 1}},
                 {"1x1", {64, 256, 56, 1, 1, 6, 1}},
                 {"3x3_7", {512, 512, 7, 3, 1, 4, 1}}};
  for (const auto& row : kWide) Measure("zen4", 512, row.name, row.conv, peak, dump);
  for (const auto& row : kNarrow) Measure("x86-64-v3", 256, row.name, row.conv, peak, dump);
  return 0;
}
