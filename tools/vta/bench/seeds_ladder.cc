// The ladder of vta bench seeds: one layer of VGG-16 by more and more steps of a schedule.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/native_code.h"
#include "compiler/te/te.h"
#include "isa/support/error.h"
#include "runtime/aligned_memory.h"
#include "runtime/elf/module.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/bench/products.h"
#include "tools/vta/bench/seeds.h"
#include "tools/vta/common/cpu_facts.h"
#include "tools/vta/common/native_cpu.h"

namespace vta::tools {
namespace {

using compiler::te::Expr;

/// S4's layer: 56x56 pixels, so many channels in and out, windows of 3x3.
constexpr int64_t kLadderSize = 56, kLadderChannels = 256, kLadderWindow = 3, kLadderBlock = 16;
constexpr double kLadderFlop = 2.0 * kLadderSize * kLadderSize * kLadderChannels * kLadderChannels *
                               kLadderWindow * kLadderWindow;

/// The layer with a ReLU, its border there already, its channels in blocks and its weights packed.
compiler::loop::Function LadderLayer() {
  using compiler::te::DType;
  constexpr int64_t kBlocks = kLadderChannels / kLadderBlock;
  const int64_t padded = kLadderSize + kLadderWindow - 1;
  const compiler::te::Tensor x =
      compiler::te::Placeholder("x", {padded, padded, kLadderChannels}, DType::kFloat32);
  const compiler::te::Tensor w = compiler::te::Placeholder(
      "w", {kBlocks, kLadderWindow, kLadderWindow, kLadderChannels, kLadderBlock}, DType::kFloat32);
  const compiler::te::ReduceAxis ky("ky", kLadderWindow), kx("kx", kLadderWindow),
      c("c", kLadderChannels);
  const std::vector<compiler::te::Axis> axes = {
      {"b", kBlocks}, {"h", kLadderSize}, {"j", kLadderSize}, {"o", kLadderBlock}};
  const compiler::te::Tensor sum =
      compiler::te::Compute("sum", axes, [&](Expr b, Expr h, Expr v, Expr o) {
        return compiler::te::ReduceSum(x(h + ky, v + kx, c) * w(b, ky, kx, c, o), {ky, kx, c});
      });
  const compiler::te::Tensor y = compiler::te::Compute(
      "y", axes, [&](Expr b, Expr h, Expr v, Expr o) { return Max(sum(b, h, v, o), 0); });
  return compiler::te::Lower("layer", {x, w, y});
}

/// The least of some calls. Units: ns.
int64_t TimeOfLoops(const compiler::loop::Function& function, int64_t runs) {
  const compiler::lower::CpuSpec cpu = NativeCpu();
  const compiler::lower::Kernel kernel = compiler::lower::PlanKernel(function);
  const isa::PackageModule code{std::string(isa::kElfFormat), cpu.arch, cpu.features,
                                compiler::BuildModule({&kernel, 1}, cpu, false).code};
  const isa::PackageKernel name{.name = function.name};
  const runtime::ElfModule module(code, {&name, 1}, function.name);
  const runtime::AlignedMemory workspace(std::max<int64_t>(kernel.workspace_bytes, 1),
                                         function.name);
  std::vector<std::vector<float>> tensors;
  std::vector<void*> addresses;
  std::mt19937 random(1);
  for (const compiler::loop::Buffer& parameter : function.params) {
    std::vector<float>& values = tensors.emplace_back(parameter->SizeElems());
    for (float& value : values) value = static_cast<float>(random() % 201) / 100 - 1;
    addresses.push_back(values.data());
  }
  int64_t least = INT64_MAX;
  for (int64_t run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    module.Run(0, addresses.data(), workspace.data(), 0, kernel.tasks);
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
    least = std::min<int64_t>(least, time.count());
  }
  return least;
}

/// The same layer as the compiler's rule has it.
int64_t TimeOfRule(int64_t runs) {
  compiler::Graph graph("layer");
  const compiler::ValueId x = graph.AddInput(
      "x", {compiler::DType::kFloat32, {1, kLadderChannels, kLadderSize, kLadderSize}});
  compiler::Tensor weights({compiler::DType::kFloat32,
                            {kLadderChannels, kLadderChannels, kLadderWindow, kLadderWindow}});
  std::ranges::fill(weights.mutable_data<float>(), 0.01F);
  const compiler::ValueId y =
      graph.Emit(compiler::Op::kConv2d, "y", {x, graph.AddConstant("w", std::move(weights))},
                 {{"strides", compiler::Shape{1, 1}},
                  {"dilations", compiler::Shape{1, 1}},
                  {"pads", compiler::Shape{1, 1, 1, 1}},
                  {"groups", int64_t{1}}});
  graph.AddOutput("relu", graph.Emit(compiler::Op::kRelu, "relu", {y}, {}));
  return TimeOfCompute(graph, runs);
}

}  // namespace

SeedsTable SeedsLadder(const SeedsOptions& options, Progress& progress) {
  constexpr char kTile[] =
      "split y j 4\ncompute_at sum y jo\nset_scope sum local\nreorder sum ky kx c j o\n"
      "fuse y b h\nparallel y bh\n";
  struct Rung {
    const char* title;
    const char* steps;
    double published;
  };
  const Rung rungs[] = {
      {"tiles", "", 0.6588},
      {"+ unrolling", "unroll sum j\nunroll sum o\n", 9.9796},
      {"+ vectorization", "unroll sum j\nvectorize sum o\nvectorize y o\n", 28.3679},
  };
  SeedsTable table{
      {{"kernel", "kernel"}, {"ms", "ms", 2}, {"gflops", "GFLOPS", 2}, {"published", "there", 2}},
      {}};
  const OnCores pinned({AllowedCores().front()});
  std::vector<double> gflops;
  const auto add = [&](const char* title, int64_t ns, double published) {
    const auto time = static_cast<double>(ns);
    table.rows.push_back({title, time / 1e6, kLadderFlop / time, published});
    return kLadderFlop / time;
  };
  progress.At("ladder, the product of im2col");
  add("product of im2col, without making its columns",
      Measured({kLadderSize * kLadderSize, kLadderChannels * kLadderWindow * kLadderWindow,
                kLadderChannels},
               NativeCpu(), {})
          .ns,
      20.3111);
  for (const Rung& rung : rungs) {
    progress.At(StrCat("ladder, ", rung.title));
    compiler::loop::Schedule schedule(LadderLayer());
    schedule.Replay(StrCat(kTile, rung.steps));
    gflops.push_back(add(rung.title,
                         TimeOfLoops(schedule.function(), std::min<int64_t>(options.runs, 3)),
                         rung.published));
  }
  progress.At("ladder, Winograd");
  gflops.push_back(add("Winograd, as the compiler has it", TimeOfRule(options.runs), 45.1546));
  const int64_t channels = kLadderChannels * kLadderSize * kLadderSize * sizeof(float);
  table.notes = {
      "float32 on one core, effective: counted with the products of the plain sum; there by OpenCL "
      "on a Mali-T860, im2col by ARM's Compute Library",
      fmt::format("the columns of im2col take {:.1f} MB, nine times the {:.1f} MB of the input",
                  static_cast<double>(9 * channels) / 1e6, static_cast<double>(channels) / 1e6)};
  table.claims = {{7,
                   fmt::format("GFLOPS {:.2f}, unrolled {:.2f}, vectorised {:.2f}, by Winograd's "
                               "way {:.2f}: each is more than the one before",
                               gflops[0], gflops[1], gflops[2], gflops[3]),
                   std::ranges::is_sorted(gflops, std::ranges::less_equal())}};
  return table;
}

}  // namespace vta::tools
