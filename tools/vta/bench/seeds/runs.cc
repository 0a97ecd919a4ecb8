// Tables of vta bench seeds whose networks run here, and take the time that they take.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/models/models.h"
#include "isa/spec/gpu.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "isa/support/temporary.h"
#include "tools/host/published.h"
#include "tools/report/layout_changes.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/bench/seeds/network.h"
#include "tools/vta/bench/seeds/seeds.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/run_cost.h"

namespace vta::tools {
namespace {

/// What the documents print of a network, in ms; 0 where they have none.
struct SeedsPublished {
  std::string_view network;  // of vta model
  double rk3399, mali, gtx_1080_ti;
};
constexpr SeedsPublished kSeedsPublished[] = {
    {"densenet121", 335.9, 461.5, 3.5}, {"inception_v3", 1285.9, 1055.6, 5.8},
    {"mobilenet_v1", 78.6, 75.1, 0.6},  {"mobilenet_v2", 66.7, 85.4, 0},
    {"resnet18", 161.2, 127.8, 0},      {"resnet50", 403.8, 412.5, 2.7},
    {"squeezenet1_0", 94.6, 108.7, 0},  {"squeezenet", 48.5, 57.6, 0},
    {"vgg16", 902.9, 678.1, 4.0},       {"vgg19", 1090.1, 799.1, 4.6},
};

/// The same of the CPUs of the host's model.
std::array<double, kHosts> OnHosts(const SeedsPublished& published) {
  return std::ranges::find(kPublished, published.network, &PublishedNetwork::network)->ms;
}

/// A float network of `vta model` on this CPU, or on a GPU.
class SeedsOnHost {
 public:
  SeedsOnHost(const std::string& network, const std::string& targets, int64_t threads,
              const std::string& precision = "fp32")
      : folder_(NewTemporaryFolder("vta-seeds")) {
    ModelOptions model;
    model.model = StrCat(folder_.path(), "/", network, ".onnx");
    model.targets = targets;
    model.precision = precision;
    compiler::BuildModel(network, 1, model.model, compiler::ModelType::kFloat);
    EngineOptions engine;
    engine.threads = threads;
    ours_.emplace(model, engine);
  }
  OurNetwork& ours() { return *ours_; }

 private:
  const Temporary folder_;
  std::optional<OurNetwork> ours_;
};

/// A network on this CPU by one thread and by two, which take turns.
struct ByThreads {
  std::optional<runtime::Timing> times[2];  // of the round that took least: others only add to it
  double quietest = INFINITY;               // deviation of one thread in a round, percent
  NamedTensors outputs;

  ByThreads(const std::string& name, const std::vector<int64_t>& cores, int64_t runs);
};

// A measurement is the mean of some runs, as in S1.
ByThreads::ByThreads(const std::string& name, const std::vector<int64_t>& cores, int64_t runs) {
  constexpr int64_t kMeasurements = 5, kRounds = 8;
  const runtime::TimerOptions often{.number = std::max<int64_t>(1, runs / kMeasurements),
                                    .repeat = kMeasurements};
  std::optional<SeedsOnHost> networks[2];
  const int64_t most_threads = std::min<int64_t>(2, std::ssize(cores));
  for (int64_t round = 0; round < kRounds; ++round)
    for (int64_t threads = 1; threads <= most_threads; ++threads) {
      const OnCores pinned({cores.begin(), cores.begin() + threads});
      std::optional<SeedsOnHost>& network = networks[threads - 1];
      if (!network) network.emplace(name, "cpu", threads);
      const runtime::Timing timing = network->ours().Time(often);
      std::optional<runtime::Timing>& least = times[threads - 1];
      if (!least || timing.mean() < least->mean()) least = timing;
      if (threads == 1) quietest = std::min(quietest, 100 * timing.deviation() / timing.mean());
    }
  const OnCores pinned({cores.begin(), cores.begin() + most_threads});
  const OurSide side = networks[most_threads - 1]->ours().Side();
  side.run();
  outputs = side.outputs();
}

/// Nothing where the device is here, or why it is not.
std::optional<std::string> WhyNoGpu(const isa::GpuRow& kind) {
  try {
    EngineOptions().OpenGpu(kind);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

SeedsCell CellOf(double published) { return published > 0 ? SeedsCell(published) : SeedsCell(); }

/// A graph of element-wise operators, or of a depthwise convolution, on one tensor.
compiler::Graph PairGraph(const std::vector<compiler::Op>& ops, const compiler::Shape& shape) {
  compiler::Graph graph("pair");
  const compiler::TensorType type{compiler::DType::kFloat32, shape};
  compiler::ValueId x = graph.AddInput("x", type);
  const auto constant = [&](const compiler::Shape& of) {
    compiler::Tensor tensor({compiler::DType::kFloat32, of});
    std::ranges::fill(tensor.mutable_data<float>(), 0.5F);
    return graph.AddConstant(StrCat("c", graph.values().size()), std::move(tensor));
  };
  for (const compiler::Op op : ops) {
    std::vector<compiler::ValueId> inputs = {x};
    compiler::Attributes attributes;
    if (op == compiler::Op::kConv2d) {
      inputs.push_back(constant({shape[1], 1, 3, 3}));
      attributes = {{"strides", compiler::Shape{1, 1}},
                    {"dilations", compiler::Shape{1, 1}},
                    {"pads", compiler::Shape{1, 1, 1, 1}},
                    {"groups", shape[1]}};
    } else if (op != compiler::Op::kRelu) {
      inputs.push_back(graph.AddInput(StrCat("z", graph.values().size()), type));
    }
    x = graph.Emit(op, StrCat("op", graph.nodes().size()), inputs, attributes);
  }
  graph.AddOutput("y", x);
  return graph;
}

bool IsDepthwise(const isa::LayerFacts& facts) {
  return facts.shape.find(" g") != std::string::npos;
}

/// Steps of a network that compute alike.
struct TimedShape {
  std::string shape;
  int64_t steps = 0, macs = 0, ns = INT64_MAX;  // `ns`: the least of one step
};

/// The convolutions of a float network on one core, in their order: those whose channels are apart,
/// or the others.
std::vector<TimedShape> TimedShapes(const std::string& network, int64_t runs, bool is_depthwise) {
  const OnCores pinned({AllowedCores().front()});
  SeedsOnHost host(network, "cpu", 1);
  const std::vector<int64_t> times = host.ours().StepTimes(runs);
  std::vector<TimedShape> shapes;
  for (size_t i = 0; i < times.size(); ++i) {
    const isa::LayerFacts& facts = host.ours().package().steps[i].facts;
    if (!facts.op.starts_with("conv2d") || IsDepthwise(facts) != is_depthwise) continue;
    auto shape = std::ranges::find(shapes, facts.shape, &TimedShape::shape);
    if (shape == shapes.end()) shape = shapes.insert(shape, {facts.shape});
    ++shape->steps;
    shape->macs = facts.macs;
    shape->ns = std::min(shape->ns, times[i]);
  }
  return shapes;
}

}  // namespace

SeedsTable SeedsTasks(const SeedsOptions& options, Progress& progress) {
  // The blog's, by its order, which it ties to no shapes.
  constexpr double kPublished[] = {52.19, 18.77, 24.87, 46.83, 19.80, 23.76,
                                   33.97, 17.65, 22.66, 15.36, 32.23, 21.65};
  SeedsTable table{{{"network", "network"},
                    {"convolution", "convolution"},
                    {"steps", "steps"},
                    {"macs", "MACs"},
                    {"gflops", "GFLOPS", 2},
                    {"published", "there", 2}},
                   {}};
  const std::vector<std::string> names = SeedsNetworks(options, {"resnet18"});
  if (!std::ranges::count(names, "resnet18")) table.claims = {ClaimOfAbsent(27, "resnet18")};
  for (const std::string& name : names) {
    progress.At(StrCat("tasks, ", name));
    const std::vector<TimedShape> shapes = TimedShapes(name, options.runs, false);
    const bool is_published = name == "resnet18";
    for (size_t i = 0; i < shapes.size(); ++i)
      table.rows.push_back(
          {name, shapes[i].shape, shapes[i].steps, shapes[i].macs,
           2 * static_cast<double>(shapes[i].macs) / static_cast<double>(shapes[i].ns),
           is_published && i < std::size(kPublished) ? SeedsCell(kPublished[i]) : SeedsCell()});
    if (!is_published) continue;
    // Of another form of the network.
    table.rows.push_back({name, "64x56x56 k1x1 s1 -> 64x56x56", int64_t{0},
                          int64_t{64} * 64 * 56 * 56, SeedsCell(), kPublished[11]});
    const int64_t distinct = std::ssize(shapes);
    table.claims.push_back(
        {27,
         fmt::format("{} convolutions differ, {} behind the first; the documents' ResNet-18 has a "
                     "twelfth, 1x1 of 64 channels, by which its first stage projects",
                     distinct, distinct - 1),
         distinct == 11});
  }
  table.notes = {
      "float32 on one core of this CPU, with what is fused into each, by the rule, not searched; "
      "there: tuned on the six cores of an RK3399, task by task in an order of its own"};
  return table;
}

SeedsTable SeedsDepthwise(const SeedsOptions& options, Progress& progress) {
  struct Published {
    double compute_library, tvm;
  };
  constexpr Published kPublished[] = {{11.690, 1.978}, {6.666, 2.412}, {11.714, 2.291},
                                      {3.343, 1.460},  {5.875, 1.250}, {1.768, 1.105},
                                      {3.199, 1.164},  {2.223, 0.731}, {3.736, 0.863}};
  SeedsTable table{{{"network", "network"},
                    {"convolution", "convolution"},
                    {"steps", "steps"},
                    {"ms", "ms", 3},
                    {"gflops", "GFLOPS", 2},
                    {"published_tvm", "TVM there", 3},
                    {"published_compute_library", "Compute Library", 3}},
                   {}};
  const std::vector<std::string> names = SeedsNetworks(options, {"mobilenet_v1"});
  if (!std::ranges::count(names, "mobilenet_v1"))
    table.claims = {ClaimOfAbsent(24, "mobilenet_v1")};
  for (const std::string& name : names) {
    progress.At(StrCat("depthwise, ", name));
    const std::vector<TimedShape> shapes = TimedShapes(name, options.runs, true);
    const bool is_published = name == "mobilenet_v1" && shapes.size() == std::size(kPublished);
    for (size_t i = 0; i < shapes.size(); ++i) {
      const auto ns = static_cast<double>(shapes[i].ns);
      table.rows.push_back({name, shapes[i].shape, shapes[i].steps, ns / 1e6,
                            2 * static_cast<double>(shapes[i].macs) / ns,
                            is_published ? SeedsCell(kPublished[i].tvm) : SeedsCell(),
                            is_published ? SeedsCell(kPublished[i].compute_library) : SeedsCell()});
    }
    if (name == "mobilenet_v1")
      table.claims.push_back(
          {24, StrCat("MobileNet V1 has ", shapes.size(), " of them, nine there"), is_published});
  }
  table.notes = {
      "float32 on one core of this CPU, with what is fused into each; there by OpenCL on a "
      "Mali-T860, in ms"};
  return table;
}

SeedsTable SeedsFusion(const SeedsOptions& options, Progress& progress) {
  struct Pair {
    const char* title;
    compiler::Op first, second;
    compiler::Shape shape;
  };
  const Pair pairs[] = {
      {"depthwise 3x3, ReLU: 32x112x112",
       compiler::Op::kConv2d,
       compiler::Op::kRelu,
       {1, 32, 112, 112}},
      {"add, ReLU: 256x56x56", compiler::Op::kAdd, compiler::Op::kRelu, {1, 256, 56, 56}},
      {"multiply, add: 64x112x112", compiler::Op::kMul, compiler::Op::kAdd, {1, 64, 112, 112}},
  };
  SeedsTable table{{{"pair", "pair"},
                    {"fused", "one kernel, us", 1},
                    {"apart", "two kernels, us", 1},
                    {"ratio", "times", 2}},
                   {}};
  const OnCores pinned({AllowedCores().front()});
  double best = 0;
  for (const Pair& pair : pairs) {
    progress.At(StrCat("fusion, ", pair.title));
    const int64_t fused =
        TimeOfCompute(PairGraph({pair.first, pair.second}, pair.shape), options.runs);
    const int64_t apart = TimeOfCompute(PairGraph({pair.first}, pair.shape), options.runs) +
                          TimeOfCompute(PairGraph({pair.second}, pair.shape), options.runs);
    const double ratio = static_cast<double>(apart) / static_cast<double>(fused);
    best = std::max(best, ratio);
    table.rows.push_back(
        {pair.title, static_cast<double>(fused) / 1000, static_cast<double>(apart) / 1000, ratio});
  }
  table.notes = {"float32 on one core, the least of the runs; there: \"potentially benefit 1.5x\""};
  table.claims = {{17,
                   fmt::format("the pair that gains most is {:.2f} times as quick, 1.5 is asked "
                               "for",
                               best),
                   best >= 1.5}};
  table.ratios = {{"the best pair", best}};
  return table;
}

SeedsTable SeedsTimes(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"cpu_1", "1 thread", 2},
                    {"deviation_1", "+-", 2},
                    {"cpu_2", "2 threads", 2},
                    {"deviation_2", "+-", 2},
                    {"opencl", "OpenCL", 2},
                    {"cuda", "CUDA", 3},
                    {"pynq", "pynq", 2},
                    {"ultra96", "ultra96", 2},
                    {"default", "default", 2},
                    {"published_rk3399", "RK3399", 1},
                    {"published_raspberry_pi", "Pi 3B", 1},
                    {"published_pynq_cpu", "PYNQ's CPU", 1},
                    {"published_mali", "Mali-T860", 1},
                    {"published_1080ti", "1080 Ti", 1}},
                   {}};
  std::vector<std::string> names = options.networks;
  if (names.empty())
    for (const SeedsPublished& published : kSeedsPublished) names.emplace_back(published.network);
  const std::vector<int64_t> cores = AllowedCores();
  const char* const single = "this process may run on one processor";
  if (cores.size() < 2) table.absent.push_back({"2 threads", single});
  const isa::GpuRow* const gpus[] = {&isa::kOpenClGpu, &isa::kCudaGpu};
  std::optional<std::string> why_not[std::size(gpus)];
  for (size_t i = 0; i < std::size(gpus); ++i)
    if ((why_not[i] = WhyNoGpu(*gpus[i]))) {
      const std::string device(gpus[i]->name);
      table.absent.push_back({device, *why_not[i]});
      table.claims.push_back({26, StrCat("outputs on ", device, ": it is not here")});
    }
  const runtime::TimerOptions often{.number = 1, .repeat = options.runs};
  double gain = 0, quietest = INFINITY;
  for (const std::string& name : names) {
    std::vector<SeedsCell> row(table.columns.size());
    row[0] = name;
    const auto published = std::ranges::find(kSeedsPublished, name, &SeedsPublished::network);
    if (published != std::end(kSeedsPublished)) {
      const auto [pynq_cpu, raspberry_pi] = OnHosts(*published);
      const double figures[] = {published->rk3399, raspberry_pi, pynq_cpu, published->mali,
                                published->gtx_1080_ti};
      std::ranges::transform(figures, row.begin() + 10, CellOf);
    }
    progress.At(StrCat("networks, ", name, ", cpu"));
    const ByThreads on_cpu(name, cores, options.runs);
    quietest = std::min(quietest, on_cpu.quietest);
    for (size_t threads = 1; threads <= 2; ++threads) {
      const std::optional<runtime::Timing>& timing = on_cpu.times[threads - 1];
      if (!timing) continue;
      row[2 * threads - 1] = timing->mean() / 1e6;
      row[2 * threads] = timing->deviation() / 1e6;
    }
    if (on_cpu.times[1]) gain = std::max(gain, on_cpu.times[0]->mean() / on_cpu.times[1]->mean());
    for (size_t i = 0; i < std::size(gpus); ++i) {
      if (why_not[i]) continue;
      progress.At(StrCat("networks, ", name, ", ", gpus[i]->name));
      SeedsOnHost network(name, std::string(gpus[i]->name), 1);
      row[5 + i] = network.ours().Time(often).mean() / 1e6;
      const OurSide side = network.ours().Side();
      side.run();
      const double difference = OutputDifference(side.outputs(), on_cpu.outputs);
      table.claims.push_back({26,
                              fmt::format("{}: outputs on {} differ from the CPU's by {:.2g}", name,
                                          gpus[i]->name, difference),
                              difference < kFloatTolerance});
    }
    for (size_t column = 7; column < 10; ++column) {
      const std::string& config = table.columns[column].key;
      progress.At(StrCat("networks, ", name, ", ", config));
      const isa::Config variant = FindConfig(config);
      row[column] =
          CostOf(PackageOf({name, compiler::ModelType::kInt8, "vta,cpu", variant}), variant)
              .accelerator_ms;
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      "milliseconds an image, with copies; on the CPU the mean and the deviation of five "
      "measurements, in the quickest of eight rounds by one thread and by two in turn; float32 but "
      "on the accelerator: there int8, cycles at the variant's clock, without steps of the CPU; "
      "there: the blog's, float32, tuned");
  if (cores.size() < 2)
    table.claims.push_back({8, StrCat("two threads beside one: ", single)});
  else
    table.claims.push_back(
        {8,
         fmt::format("two threads are {:.2f} times as quick as one at best, 1.8 is asked for",
                     gain),
         gain > 1.8});
  table.claims.push_back({34,
                          fmt::format("the quietest round of one thread deviates by {:.2f} %, less "
                                      "than 1 is asked for",
                                      quietest),
                          quietest < 1});
  return table;
}

SeedsTable SeedsPrecisions(const SeedsOptions& options, Progress& progress) {
  /// Of a Mali-T860, in ms; 0 where there is none.
  struct Published {
    std::string_view network;
    double tvm_fp32, tvm_fp16, library_fp32, library_fp16;
  };
  constexpr Published kPublishedMali[] = {{"vgg16", 959.9, 568.8, 1651.1, 976.3},
                                          {"mobilenet_v1", 81.4, 52.5, 172.0, 0},
                                          {"resnet18", 174.8, 112.2, 0, 0}};
  SeedsTable table{{{"network", "network"},
                    {"opencl", "OpenCL", 2},
                    {"cuda", "CUDA", 3},
                    {"cuda_fp16", "CUDA, fp16", 3},
                    {"published_tvm", "TVM there", 1},
                    {"published_tvm_fp16", "fp16", 1},
                    {"published_library", "Compute Library", 1},
                    {"published_library_fp16", "fp16", 1}},
                   {}};
  struct Way {
    const isa::GpuRow& kind;
    const char* precision;
  };
  const Way ways[] = {{isa::kOpenClGpu, "fp32"}, {isa::kCudaGpu, "fp32"}, {isa::kCudaGpu, "fp16"}};
  std::optional<std::string> why_not[std::size(ways)];
  for (size_t i = 0; i < std::size(ways); ++i)
    if ((why_not[i] = WhyNoGpu(ways[i].kind)))
      table.absent.push_back({StrCat(ways[i].kind.name, " in ", ways[i].precision), *why_not[i]});
  table.absent.push_back(
      {"opencl in fp16", "products in fp16 are made for CUDA's tensor cores alone"});
  const runtime::TimerOptions often{.number = 1, .repeat = options.runs};
  for (const std::string& name : SeedsNetworks(options, {"vgg16", "mobilenet_v1", "resnet18"})) {
    std::vector<SeedsCell> row(table.columns.size());
    row[0] = name;
    for (size_t i = 0; i < std::size(ways); ++i) {
      if (why_not[i]) continue;
      progress.At(StrCat("precisions, ", name, ", ", ways[i].kind.name, ", ", ways[i].precision));
      SeedsOnHost network(name, std::string(ways[i].kind.name), 1, ways[i].precision);
      row[1 + i] = network.ours().Time(often).mean() / 1e6;
    }
    const auto* const published = std::ranges::find(kPublishedMali, name, &Published::network);
    if (published != std::end(kPublishedMali)) {
      const double figures[] = {published->tvm_fp32, published->tvm_fp16, published->library_fp32,
                                published->library_fp16};
      std::ranges::transform(figures, row.begin() + 4, CellOf);
    }
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "milliseconds an image with copies, not searched; fp16 is of products alone, sums and what "
      "lies between are float32; there by OpenCL on a Mali-T860, tuned, all in float16"};
  return table;
}

}  // namespace vta::tools
