#include "compiler/quantize/quantise.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/quantize/bias_correction.h"
#include "compiler/quantize/equalise.h"
#include "compiler/quantize/error.h"
#include "compiler/quantize/mix.h"
#include "compiler/quantize/mixed_outputs.h"

namespace vta::compiler::quantize {
namespace {

CodeScale ScaleOf(const Graph& graph, const Plan& plan, const Range& range, int64_t group) {
  try {
    return ScaleOfRange(range);
  } catch (const Error& error) {
    throw error.In(StrCat(graph.name(), ": values of \"", plan.points[group].layer, "\""));
  }
}

/// The range whose zero point is 0 that holds another one.
Range Centred(const Range& range) {
  const double most = std::max(-range.low * 127 / 128, range.high);
  return {-most * 128 / 127, most};
}

/// An average keeps the scale of its input but for a factor, which not all hardware has.
void FitAverages(const Graph& graph, const Plan& plan, int64_t factor_bits,
                 const std::vector<Range>& ranges, std::vector<CodeScale>* scales) {
  for (NodeId id : plan.nodes) {
    const Node& node = graph.nodes()[id];
    if (node.op != Op::kAvgPool && node.op != Op::kReduceMean) continue;
    const int64_t point = plan.point_of[node.output];
    if (point == kNone || plan.points[point].group != point) continue;
    const Shape& shape = graph.shape(node.inputs[0]);
    const std::vector<int64_t> window =
        node.op == Op::kAvgPool ? node.Ints("kernel") : Shape{shape[2], shape[3]};
    CodeScale& scale = (*scales)[point];
    const double x = (*scales)[PointOf(graph, plan, node.inputs[0])].scale;
    const auto fitted =
        static_cast<float>(AverageScale(x, scale.scale, window[0] * window[1], factor_bits));
    if (fitted == scale.scale) continue;
    scale.scale = fitted;
    scale.zero_point =
        std::clamp<int64_t>(std::llround(-128 - ranges[point].low / fitted), -128, 127);
  }
}

std::vector<CodeScale> ChooseScales(const Graph& graph, const Plan& plan,
                                    const std::vector<Observation>& observed,
                                    const std::vector<Method>& methods, double percentile,
                                    int64_t factor_bits) {
  std::vector<Range> ranges(plan.points.size());
  for (size_t i = 0; i < observed.size(); ++i) {
    Range& whole = ranges[plan.points[i].group];
    const Range range = ChooseRange(observed[i].values, methods[i], percentile);
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  }
  for (const Point& point : plan.points)
    if (point.is_centred) ranges[point.group] = Centred(ranges[point.group]);
  std::vector<CodeScale> scales;
  for (const Point& point : plan.points)
    scales.push_back(ScaleOf(graph, plan, ranges[point.group], point.group));
  FitAverages(graph, plan, factor_bits, ranges, &scales);
  return scales;
}

/// Planned nodes that stay real-valued all the same.
std::set<std::string> LeftFloat(const Graph& graph, const Plan& plan, const Graph& quantised) {
  const Graph integers = RunPasses(quantised, NormalizePipeline(), {});
  std::set<std::string> real, planned;
  for (const Node& node : integers.nodes()) {
    // Becomes integers where targets are known.
    const bool is_product =
        node.op == Op::kMatMul && std::ranges::none_of(node.inputs, [&](ValueId v) {
          return integers.constant(v) != nullptr;
        });
    // What moves a layer's result may have its name.
    if (!is_product && integers.type(node.output).dtype == DType::kFloat32 &&
        node.op != Op::kDequantize && !MovesData(node.op))
      real.insert(node.name);
  }
  for (NodeId id : plan.nodes)
    if (real.contains(graph.nodes()[id].name)) planned.insert(graph.nodes()[id].name);
  return planned;
}

class Quantiser {
 public:
  Quantiser(const Calibration& calibration, const Options& options)
      : calibration_(calibration),
        held_(calibration.Held()),
        options_(options),
        factor_bits_(options.config ? FactorBits(*options.config) : kExactFactorBits) {}

  /// Without equalisation; what chooses a method for each tensor comes later.
  Result Plain(Graph graph) const {
    Result result;
    result.real = std::move(graph);
    result.kept = NodesNamed(result.real, options_.keep_float);
    for (;;) {
      result.plan = MakePlan(result.real, result.kept);
      result.observed = Observe(result.real, result.plan.points, calibration_);
      const auto mixed = MixedOutputs(result.real, result.plan, result.observed);
      result.kept.insert(mixed.begin(), mixed.end());
      if (!mixed.empty()) continue;
      Finish(First(), &result);
      const auto left = LeftFloat(result.real, result.plan, result.quantised.graph);
      if (left.empty()) return result;
      result.left_float.insert(result.left_float.end(), left.begin(), left.end());
      result.kept.insert(left.begin(), left.end());
    }
  }

  Result Equalised(const Result& plain) const {
    Result result = plain;
    result.real = Equalise(plain.real, plain.plan, plain.observed, &result.equalised);
    if (result.equalised == 0) return result;
    result.plan = MakePlan(result.real, result.kept);
    result.observed = Observe(result.real, result.plan.points, calibration_);
    Finish(First(), &result);
    return result;
  }

  /// With the method for each tensor that the outputs like best, unless samples held back prefer
  /// one for all: many small gains on few samples may be chance, and where factors are narrow,
  /// weights depend on the scales, which trials leave out.
  Result Mixed(const Result& first) const {
    constexpr Method kTried[] = {Method::kMse, Method::kMinMax, Method::kPercentile};
    std::vector<Result> alone;
    for (const Method method : kTried) {
      alone.push_back(first);
      if (method != First()) Finish(method, &alone.back());
    }
    // What is held back has no say, unless the others would be too few to choose so many methods
    // by.
    Calibration tried = calibration_;
    if (std::ssize(tried.Chosen()) < kTrialSamples) tried.hold_back = 0;
    const Trial trial(first.real, first.plan, alone[0].quantised, tried, kTrialSamples);
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < alone.size(); ++i)
      candidates.push_back({kTried[i], SettingOf(first.plan, alone[i].quantised)});
    if (held_.on_sample) held_.on_sample("choosing calibrations", 1, 1);
    Result mixed = first;
    mixed.methods = Mix(trial, first.plan, candidates, RunsFor(MacsOf(first.real, first.plan)));
    Finish(&mixed);
    alone.push_back(std::move(mixed));
    std::vector<double> decibels;
    for (const Result& result : alone) decibels.push_back(Decibels(result));
    return std::move(alone[std::ranges::max_element(decibels) - decibels.begin()]);
  }

  double Decibels(const Result& result) const {
    return quantize::Decibels(
        OutputNoises(result.real, result.quantised.graph, held_, held_.make_runner));
  }

 private:
  static constexpr int64_t kTrialSamples = 24;

  Method First() const { return options_.method == Method::kAuto ? Method::kMse : options_.method; }

  void Finish(Method method, Result* result) const {
    result->methods.assign(result->plan.points.size(), method);
    Finish(result);
  }

  void Finish(Result* result) const {
    const Graph& graph = result->real;
    result->scales = ChooseScales(graph, result->plan, result->observed, result->methods,
                                  options_.percentile, factor_bits_);
    Scheme scheme{result->scales, factor_bits_, options_.unsigned_codes, {}};
    result->quantised = Insert(graph, result->plan, scheme);
    if (!options_.correct_biases) return;
    scheme.bias_added = BiasCorrections(graph, result->plan, result->quantised, calibration_);
    result->quantised = Insert(graph, result->plan, scheme);
  }

  const Calibration& calibration_;
  const Calibration held_;
  const Options& options_;
  const int64_t factor_bits_;
};

}  // namespace

Graph Simplified(const Graph& imported) { return RunPasses(imported, SimplifyPipeline(), {}); }

Result Quantise(const Graph& imported, const Calibration& calibration, const Options& options) {
  const Quantiser quantiser(calibration, options);
  Result result = quantiser.Plain(Simplified(imported));
  if (options.equalise != Choice::kOff) {
    Result equalised = quantiser.Equalised(result);
    const bool better =
        equalised.equalised > 0 && (options.equalise == Choice::kOn ||
                                    quantiser.Decibels(equalised) > quantiser.Decibels(result));
    if (better) result = std::move(equalised);
  }
  if (options.method == Method::kAuto) result = quantiser.Mixed(result);
  return result;
}

}  // namespace vta::compiler::quantize
