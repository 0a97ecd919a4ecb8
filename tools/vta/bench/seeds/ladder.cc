// Tables of vta bench seeds about schedules that are written out: one layer of VGG-16 by more and
// more steps, and a product of matrices with shared memory and without.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/native_code.h"
#include "compiler/targets/step_code.h"
#include "compiler/te/te.h"
#include "isa/spec/gpu.h"
#include "isa/support/error.h"
#include "runtime/aligned_memory.h"
#include "runtime/elf/module.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/bench/products.h"
#include "tools/vta/bench/seeds/seeds.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::tools {
namespace {

using compiler::te::Expr;

/// S4's layer: 56x56 pixels, so many channels in and out, windows of 3x3.
constexpr int64_t kLadderSize = 56, kLadderChannels = 256, kLadderWindow = 3, kLadderBlock = 16;
constexpr int64_t kProductSize = 1024;
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

/// The same layer as the compiler takes it.
compiler::Graph LadderGraph() {
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
  return graph;
}

/// A product of square matrices, rectified.
compiler::loop::Function SquareProduct() {
  const compiler::te::Tensor a = compiler::te::Placeholder("a", {kProductSize, kProductSize},
                                                           compiler::te::DType::kFloat32),
                             b = compiler::te::Placeholder("b", {kProductSize, kProductSize},
                                                           compiler::te::DType::kFloat32);
  const compiler::te::ReduceAxis k("k", kProductSize);
  const std::vector<compiler::te::Axis> axes = {{"i", kProductSize}, {"j", kProductSize}};
  const compiler::te::Tensor sum = compiler::te::Compute(
      "sum", axes, [&](Expr i, Expr j) { return compiler::te::ReduceSum(a(i, k) * b(k, j), {k}); });
  const compiler::te::Tensor y =
      compiler::te::Compute("y", axes, [&](Expr i, Expr j) { return Max(sum(i, j), 0); });
  return compiler::te::Lower("product", {a, b, y});
}

/// A kind of GPU that kernels are timed on, if one is here.
class SeedsGpu {
 public:
  explicit SeedsGpu(const isa::GpuRow& kind) : kind_(kind) {
    try {
      measurer_.emplace(kind, StrCat(kind.name, ":0"), kLimitS);
    } catch (const Error& error) {
      why_not_ = error.what();
    }
  }
  std::string name() const { return std::string(kind_.name); }
  bool is_here() const { return measurer_.has_value(); }
  const std::string& why_not() const { return why_not_; }

  /// Of a function of two inputs and an output, by steps of a schedule. Kernels of one function
  /// must give the same outputs. Units: ns.
  int64_t TimeOf(const compiler::loop::Function& function, const char* steps) const {
    compiler::loop::Schedule schedule(function);
    schedule.Replay(steps);
    const std::vector<compiler::KernelInput> inputs(2, compiler::ValueId{0});
    return measurer_->Measure(
        {.code = compiler::KernelCode{{schedule.function()}, inputs}, .workload = function.name});
  }
  /// Of a graph, as the compiler has it. Units: ns.
  int64_t TimeOf(const compiler::Graph& graph) const {
    ModelOptions model;
    model.model = graph.name();
    model.targets = kind_.name;
    model.graph = &graph;
    return measurer_->Measure(OpenModel(model).package, "");
  }

 private:
  static constexpr double kLimitS = 180;  // a device may be a CPU

  const isa::GpuRow& kind_;
  std::string why_not_;
  std::optional<GpuMeasurer> measurer_;
};

}  // namespace

SeedsTable SeedsLadder(const SeedsOptions& options, Progress& progress) {
  constexpr char kTile[] =
      "split y j 4\ncompute_at sum y jo\nset_scope sum local\nreorder sum ky kx c j o\n"
      "fuse y b h\nparallel y bh\n";
  constexpr char kBound[] =
      "split y j 8\ncompute_at sum y o\nset_scope sum local\nfuse y b h\nfuse y bh jo\n"
      "bind y bhjo blockIdx\nbind y ji threadIdx\nbind y o threadIdx\n";
  constexpr char kVectors[] =
      "split y j 28\nsplit y o 4\ncompute_at sum y oo\nset_scope sum local\n"
      "reorder sum ky kx c o\nsplit sum c 8\nfuse y b h\nfuse y bh jo\nbind y bhjo blockIdx\n"
      "bind y ji threadIdx\nbind y oo threadIdx\nunroll sum ci\nvectorize sum o\nvectorize y oi\n";
  struct Rung {
    const char* title;
    const char* steps;
    std::string on_gpu;
    double published;
  };
  const Rung rungs[] = {
      {"tiles; on GPUs threads", "", kBound, 0.6588},
      {"+ unrolling", "unroll sum j\nunroll sum o\n",
       StrCat(kBound, "split sum c 8\nunroll sum ci\n"), 9.9796},
      {"+ vectorization", "unroll sum j\nvectorize sum o\nvectorize y o\n", kVectors, 28.3679},
  };
  SeedsTable table{{{"kernel", "kernel"},
                    {"ms", "ms", 2},
                    {"gflops", "GFLOPS", 2},
                    {"opencl", "OpenCL", 2},
                    {"cuda", "CUDA", 1},
                    {"published", "there", 2}},
                   {}};
  const OnCores pinned({AllowedCores().front()});
  std::vector<double> gflops;
  const auto add = [&](const char* title, int64_t ns, double published) {
    const auto time = static_cast<double>(ns);
    table.rows.push_back({title, time / 1e6, kLadderFlop / time, {}, {}, published});
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
  gflops.push_back(
      add("Winograd, as the compiler has it", TimeOfCompute(LadderGraph(), options.runs), 45.1546));
  table.rows.push_back({"tiles in shared memory, as the compiler has it", {}, {}, {}, {}, {}});
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
  table.ratios = {{"Winograd to tiles", gflops.back() / gflops.front()}};
  size_t column = 3;
  for (const isa::GpuRow* const kind : {&isa::kOpenClGpu, &isa::kCudaGpu}) {
    const SeedsGpu gpu(*kind);
    const size_t at = column++;
    if (!gpu.is_here()) {
      table.absent.push_back({gpu.name(), gpu.why_not()});
      table.claims.push_back({7, StrCat("on ", gpu.name(), ": it is not here")});
      continue;
    }
    std::vector<double> here;
    for (size_t i = 0; i < std::size(rungs); ++i) {
      progress.At(StrCat("ladder, ", gpu.name(), ", ", rungs[i].title));
      here.push_back(kLadderFlop /
                     static_cast<double>(gpu.TimeOf(LadderLayer(), rungs[i].on_gpu.c_str())));
      table.rows[1 + i][at] = here.back();
    }
    table.rows.back()[at] = kLadderFlop / static_cast<double>(gpu.TimeOf(LadderGraph()));
    table.claims.push_back(
        {7,
         fmt::format("GFLOPS on {}: {:.2f}, unrolled {:.2f}, vectorised {:.2f}: each is more than "
                     "the one before",
                     gpu.name(), here[0], here[1], here[2]),
         std::ranges::is_sorted(here, std::ranges::less_equal())});
  }
  return table;
}

SeedsTable SeedsShared(const SeedsOptions&, Progress& progress) {
  struct Way {
    const char* title;
    const char* steps;
  };
  constexpr Way kWays[] = {
      {"an output a thread, no shared memory",
       "split y i 16\nsplit y j 16\nreorder y io jo ii ji\ncompute_at sum y ji\n"
       "set_scope sum local\nfuse y io jo\nbind y iojo blockIdx\nbind y ii threadIdx\n"
       "bind y ji threadIdx\n"},
      {"tiles that a block's threads bring together",
       "split y i 32\nsplit y j 128\nreorder y io jo ii ji\nfuse y io jo\ncompute_at sum y iojo\n"
       "set_scope sum local\nsplit sum i 8\nsplit sum j 4\nsplit sum k 32\n"
       "reorder sum ko io jo ki ii ji\ncache_read sum a shared\ncache_read sum b shared\n"
       "compute_at a_shared sum ko\ncompute_at b_shared sum ko\nfuse a_shared ax0 ax1\n"
       "split a_shared ax0ax1 128\nbind a_shared ax0ax1i threadIdx\nfuse b_shared ax0 ax1\n"
       "split b_shared ax0ax1 128\nbind b_shared ax0ax1i threadIdx\nbind sum io threadIdx\n"
       "bind sum jo threadIdx\nunroll sum ii\nvectorize sum ji\nsplit y ii 8\nsplit y ji 4\n"
       "reorder y iio jio iii jii\nbind y iio threadIdx\nbind y jio threadIdx\n"
       "bind y iojo blockIdx\nvectorize y jii\n"},
  };
  constexpr double kFlop = 2.0 * kProductSize * kProductSize * kProductSize;
  SeedsTable table{
      {{"device", "device"}, {"kernel", "kernel"}, {"ms", "ms", 3}, {"gflops", "GFLOPS", 1}}, {}};
  for (const isa::GpuRow* const kind : {&isa::kOpenClGpu, &isa::kCudaGpu}) {
    const SeedsGpu gpu(*kind);
    const bool is_asked = kind == &isa::kCudaGpu;
    if (!gpu.is_here()) {
      table.absent.push_back({gpu.name(), gpu.why_not()});
      if (is_asked) table.claims.push_back({11, StrCat("on ", gpu.name(), ": it is not here")});
      continue;
    }
    std::vector<double> times;
    for (const Way& way : kWays) {
      progress.At(StrCat("shared, ", gpu.name(), ", ", way.title));
      times.push_back(static_cast<double>(gpu.TimeOf(SquareProduct(), way.steps)));
      table.rows.push_back({gpu.name(), way.title, times.back() / 1e6, kFlop / times.back()});
    }
    if (!is_asked) continue;
    table.ratios.push_back({"none to shared memory", times[0] / times[1]});
    table.claims.push_back(
        {11,
         fmt::format("with shared memory it is {:.2f} times as quick, 3 are asked for",
                     times[0] / times[1]),
         times[0] >= 3 * times[1]});
  }
  table.notes = {
      "float32, a product of 1024-cubed; an OpenCL device that is a CPU keeps what is shared in "
      "the "
      "same memory as all else, so that only CUDA's figures are held to what is asked for"};
  return table;
}

}  // namespace vta::tools
