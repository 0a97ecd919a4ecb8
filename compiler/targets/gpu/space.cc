#include "compiler/targets/gpu/space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "compiler/graph/facts.h"
#include "compiler/memory_planner.h"
#include "compiler/targets/gpu/express.h"
#include "compiler/targets/gpu/schedule.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::compiler::targets {
namespace {

tune::Point PointOf(const GpuTile& t) {
  return {t.outputs,       t.places, t.channels, t.thread_outputs,
          t.thread_places, t.team,   t.tensor,   t.stages};
}

/// What is computed, and a hash of how it reads in loops.
std::string GpuWordsOf(const Graph& graph, const Step& step, const isa::GpuRow& gpu,
                       isa::Precision precision) {
  const isa::LayerFacts facts = FactsOf(graph, step);
  const GpuExpression e = ExpressForGpu(graph, step.nodes, gpu, precision, GpuTile{});
  return StrCat(facts.op, " ", facts.shape, " ", isa::NameOf(e.product->precision), " ",
                Hex(Hasher().Text(loop::Print(e.function)).value(), 16));
}

std::vector<tune::Choice> GpuChoicesOf(const GpuProduct& p, const isa::GpuRow& gpu) {
  constexpr int64_t kMostSide = 128, kMostTeam = 64, kMostChannels = 256, kMostOutputs = 512;
  std::vector<int64_t> own = {1, 2, 4, 8};
  // Beyond the end by less than what a thread has.
  std::set<int64_t> outputs;
  for (int64_t side = 1; side <= (p.has_tensor() ? kMostOutputs : kMostSide); side *= 2)
    outputs.insert(side);
  for (const int64_t of_thread : own)
    if (const int64_t all = AlignUp(p.outputs, of_thread); all < kMostSide) outputs.insert(all);
  std::vector<int64_t> places(std::min(p.places + own.back() - 1, kMostSide));
  std::iota(places.begin(), places.end(), 1);
  const std::vector<int64_t> own_outputs = own;
  std::vector<int64_t> tensor = {0};
  if (p.has_tensor()) {  // these have several lines, and threads more of them
    constexpr int64_t kMostPlaces = 512;
    for (int64_t side = places.back() / kTensorPlaces + 1; side * kTensorPlaces <= kMostPlaces;
         ++side)
      places.push_back(side * kTensorPlaces);
    own.push_back(2 * own.back());
    tensor.push_back(1);
  }
  return {{"outputs", {outputs.begin(), outputs.end()}},
          {"places", places},
          {"channels", DivisorsUpTo(p.channels, kMostChannels)},
          {"thread_outputs", own_outputs},
          {"thread_places", own},
          {"team", DivisorsUpTo(p.channels, kMostTeam)},
          {"tensor", tensor},
          {"stages", StagesOf(gpu)}};
}

/// Along each dimension the first few elements, over and over.
Tensor Repeated(const Tensor& tensor) {
  constexpr int64_t kPeriod = 8;
  Tensor out(tensor.type());
  const int64_t bytes = Bytes(tensor.dtype());
  for (int64_t to = 0; to < tensor.elements(); ++to) {
    int64_t from = 0, left = to, stride = 1;
    for (auto extent = tensor.shape().rbegin(); extent != tensor.shape().rend(); ++extent) {
      from += left % *extent % kPeriod * stride;
      left /= *extent, stride *= *extent;
    }
    std::copy_n(tensor.bytes().begin() + from * bytes, bytes,
                out.mutable_bytes().begin() + to * bytes);
  }
  return out;
}

/// The step by itself. What it scales and adds by is the network's, for others would move all
/// results to the ends of their range; weights are repeated, so that packed for any tile they have
/// little in them, and many trials fit into a file.
Graph TrialGraph(const Graph& graph, const Step& step, Step* alone) {
  Graph trial(graph.name(), graph.rounding());
  std::map<ValueId, ValueId> values;
  const auto add = [&](ValueId of, bool is_weights) {
    const Value& value = graph.value(of);
    if (!value.constant) {
      const ValueId input = trial.AddInput(value.name, value.type);
      if (value.storage) trial.Store(input, *value.storage);
      return input;
    }
    if (!is_weights) return trial.AddConstant(value.name, value.constant);
    return trial.AddConstant(value.name, Repeated(*value.constant));
  };
  for (const NodeId id : step.nodes) {
    const Node& node = graph.nodes()[id];
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (!values.contains(input)) values[input] = add(input, id == step.nodes[0] && i == 1);
      inputs.push_back(values[input]);
    }
    alone->nodes.push_back(std::ssize(trial.nodes()));
    const ValueId made = trial.Emit(node.op, node.name, std::move(inputs), node.attributes);
    if (const auto& storage = graph.value(node.output).storage) trial.Store(made, *storage);
    values[node.output] = made;
  }
  return trial;
}

}  // namespace

GpuTile GpuTileAt(const tune::Point& point) {
  VTA_CHECK(point.size() == 8, point.size());
  return {point[0], point[1], point[2], point[3], point[4], point[5], point[6] != 0, point[7]};
}

KernelCode GpuKernelOf(const Graph& graph, const Step& step, const isa::GpuRow& gpu,
                       isa::Precision precision, const std::optional<GpuTile>& tile) {
  GpuExpression e = ExpressForGpu(graph, step.nodes, gpu, precision, tile);
  return {{e.tile    ? ScheduledInTiles(e.function, *e.product, *e.tile, e.out_axes)
           : e.lines ? ScheduledInLines(e.function, *e.lines)
                     : ScheduledForGpu(e.function)},
          std::move(e.inputs)};
}

GpuSpace::GpuSpace(const Graph& graph, const Step& step, const GpuProduct& product,
                   const isa::GpuRow& gpu)
    : graph_(graph),
      step_(step),
      product_(product),
      gpu_(gpu),
      workload_(GpuWordsOf(graph, step, gpu, product.precision)),
      choices_(GpuChoicesOf(product, gpu)) {}

bool GpuSpace::Has(const tune::Point& point) const {
  return HasGpuTile(product_, GpuTileAt(point), gpu_);
}

int64_t GpuSpace::Estimate(const tune::Point& point) const {
  return EstimateNs(product_, GpuTileAt(point));
}

std::vector<tune::Point> GpuSpace::Cheapest(int64_t count) const {
  const tune::Point first = PointOf(*ChooseGpuTile(product_, gpu_));
  if (count == 1) return {first};
  std::vector<std::pair<int64_t, tune::Point>> all;
  tune::Point point(choices_.size());
  const auto add = [&](const auto& self, size_t choice) -> void {
    if (choice == choices_.size()) {
      if (Has(point) && point != first) all.emplace_back(Estimate(point), point);
      return;
    }
    for (const int64_t value : choices_[choice].values) {
      point[choice] = value;
      self(self, choice + 1);
    }
  };
  add(add, 0);
  const auto end = all.begin() + std::min<int64_t>(count - 1, std::ssize(all));
  std::partial_sort(all.begin(), end, all.end());
  std::vector<tune::Point> points = {first};
  for (auto it = all.begin(); it != end; ++it) points.push_back(std::move(it->second));
  return points;
}

/// By arithmetic: the loops say no more than the tile, and take long to be made.
loop::Features GpuSpace::FeaturesOf(const tune::Point& point) const {
  static const uint64_t kind = Hasher().Text("tiles of a GPU").value();
  constexpr double kOfOctave = 8;
  const GpuProduct& p = product_;
  const GpuTile t = GpuTileAt(point);
  const auto tiles = [](int64_t all, int64_t each) { return (all + each - 1) / each; };
  const int64_t blocks = p.batch * tiles(p.outputs, t.outputs) * tiles(p.places, t.places) * t.team;
  loop::Features features{kind, {}};
  for (const int64_t value : {Estimate(point),
                              p.batch,
                              p.outputs,
                              p.places,
                              p.channels,
                              p.taps,
                              p.element_bytes,
                              t.outputs,
                              t.places,
                              t.channels,
                              t.thread_outputs,
                              t.thread_places,
                              t.team,
                              int64_t{t.tensor},
                              t.stages,
                              static_cast<int64_t>(p.precision),
                              t.threads(),
                              tiles(t.threads(), kWarp),
                              blocks,
                              t.channels * p.taps,
                              p.channels / t.team / t.channels,
                              t.thread_outputs * t.thread_places,
                              t.outputs * t.places})
    features.values.push_back(
        static_cast<int32_t>(std::lround(kOfOctave * std::log2(static_cast<double>(value) + 1))));
  return features;
}

tune::Trial GpuSpace::Try(const tune::Point& point) const {
  Step step;
  const Graph graph = TrialGraph(graph_, step_, &step);
  KernelCode code = GpuKernelOf(graph, step, gpu_, product_.precision, GpuTileAt(point));
  for (KernelInput& input : code.inputs)
    if (const auto* const value = std::get_if<ValueId>(&input); value && graph.constant(*value))
      input = KernelConstant{graph.value(*value).name, *graph.constant(*value)};
  return {.code = std::move(code), .workload = workload_};
}

}  // namespace vta::compiler::targets
