#include "compiler/quantize/quantise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/quantize/bias_correction.h"
#include "compiler/quantize/equalise.h"
#include "compiler/quantize/error.h"
#include "compiler/quantize/judges.h"
#include "compiler/quantize/mixed_outputs.h"
#include "compiler/quantize/search_ranges.h"

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

/// By point, those of a group alike.
std::vector<Range> ChooseRanges(const Plan& plan, const std::vector<Observation>& observed,
                                Method method, double percentile) {
  std::vector<Range> ranges(plan.points.size());
  for (size_t i = 0; i < observed.size(); ++i) {
    Range& whole = ranges[plan.points[i].group];
    const Range range = ChooseRange(observed[i].values, method, percentile);
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  }
  for (const Point& point : plan.points)
    if (point.is_centred) ranges[point.group] = Centred(ranges[point.group]);
  for (size_t i = 0; i < ranges.size(); ++i) ranges[i] = ranges[plan.points[i].group];
  return ranges;
}

/// From the least to the greatest value and beyond: the next sample lies outside of n others once
/// in n + 1 times.
std::vector<Range> WideRanges(const Plan& plan, const std::vector<Observation>& observed,
                              int64_t samples) {
  constexpr double kShare = 3;
  const double more = 1 + kShare / static_cast<double>(samples);
  std::vector<Range> ranges = ChooseRanges(plan, observed, Method::kMinMax, 100);
  for (Range& range : ranges) range = {range.low * more, range.high * more};
  return ranges;
}

std::vector<CodeScale> ScalesOf(const Graph& graph, const Plan& plan,
                                const std::vector<Range>& ranges, int64_t factor_bits) {
  std::vector<CodeScale> scales;
  for (size_t i = 0; i < ranges.size(); ++i)
    scales.push_back(ScaleOf(graph, plan, ranges[i], plan.points[i].group));
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

  /// Without equalisation; ranges are searched for later.
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

  /// Nothing where no layers can be.
  std::optional<Result> Equalised(const Result& plain) const {
    Result result = plain;
    result.real = Equalise(plain.real, plain.plan, plain.observed, &result.equalised);
    if (result.equalised == 0) return std::nullopt;
    result.plan = MakePlan(result.real, result.kept);
    result.observed = Observe(result.real, result.plan.points, calibration_);
    Finish(First(), &result);
    return result;
  }

  /// By the method for all tensors that samples held back like best. Trials, of which none needs a
  /// network to be compiled, leave out those that are far off.
  Result ByBestMethod(const Result& first) const {
    constexpr double kNear = 1.5;
    const std::map<Method, double> tried = NoiseInTrials(first);
    const double near = kNear * std::ranges::min(tried | std::views::values);
    Result best = first;
    double least = NoiseOf(first);
    for (const auto& [method, noise] : tried) {
      if (method == First() || !(noise <= near)) continue;
      Result other = first;
      Finish(method, &other);
      if (const double other_noise = NoiseOf(other); other_noise < least) {
        least = other_noise;
        best = std::move(other);
      }
    }
    return best;
  }

  /// With ranges that are searched for, where samples held back like them better: a search has so
  /// many runs, and where factors are narrow, weights depend on the scales, which trials leave out.
  Result Searched(Result first) const {
    const Judges judges = JudgesOf(first.real, first.plan);
    const int64_t runs = RunsFor(WorkOf(first.real, first.plan));
    const int64_t samples =
        std::clamp<int64_t>(runs / (3 * std::ssize(first.plan.points)), 1, kMostTrialSamples);
    const Trial trial(first.plan, first.quantised, judges.all, calibration_, samples);
    std::vector<Range> ranges =
        WideRanges(first.plan, first.observed, std::ssize(calibration_.Chosen()));
    SearchRanges(trial, first.plan, judges, {runs, calibration_.on_sample},
                 ChooseRanges(first.plan, first.observed, first.methods[0], options_.percentile),
                 &ranges);
    Result searched = first;
    searched.methods.assign(searched.methods.size(), Method::kAuto);
    Finish(ranges, &searched);
    return NoiseOf(searched) < NoiseOf(first) ? searched : first;
  }

  /// On samples held back.
  double NoiseOf(const Result& result) const {
    return JudgedNoise(result.real, result.plan, result.quantised,
                       JudgesOf(result.real, result.plan), held_);
  }

 private:
  /// Of the methods, each for all tensors, on samples held back. Biases stay as they are.
  std::map<Method, double> NoiseInTrials(const Result& first) const {
    const Judges judges = JudgesOf(first.real, first.plan);
    const Trial trial(first.plan, first.quantised, judges.all, held_, kMostTrialSamples);
    const Setting unrounded = Unrounded(trial.setting());
    std::map<Method, Setting> settings;
    for (const Method method :
         {Method::kMinMax, Method::kPercentile, Method::kEntropy, Method::kMse}) {
      const std::vector<CodeScale> scales = ScalesOf(
          first.real, first.plan,
          ChooseRanges(first.plan, first.observed, method, options_.percentile), factor_bits_);
      settings[method] = unrounded;
      settings[method].scales.assign(scales.begin(), scales.end());
    }
    std::map<Method, Outcome> outcomes;
    for (int64_t sample = 0; sample < trial.samples(); ++sample) {
      const std::vector<Tensor> want = trial.RunOn(sample, unrounded);
      for (const auto& [method, setting] : settings)
        outcomes[method].push_back(NoiseBetween(want, trial.RunOn(sample, setting)));
    }
    std::map<Method, double> tried;
    for (const auto& [method, outcome] : outcomes)
      tried[method] = NoiseOfFirst(outcome, judges.large);
    return tried;
  }

  static constexpr int64_t kMostTrialSamples = 12;

  Method First() const { return options_.method == Method::kAuto ? Method::kMse : options_.method; }

  void Finish(Method method, Result* result) const {
    result->methods.assign(result->plan.points.size(), method);
    Finish(ChooseRanges(result->plan, result->observed, method, options_.percentile), result);
  }

  void Finish(const std::vector<Range>& ranges, Result* result) const {
    const Graph& graph = result->real;
    result->scales = ScalesOf(graph, result->plan, ranges, factor_bits_);
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
  const bool is_searched = options.method == Method::kAuto;
  const auto chosen = [&](Result result) {
    return is_searched ? quantiser.ByBestMethod(std::move(result)) : result;
  };
  Result result = quantiser.Plain(Simplified(imported));
  std::optional<Result> equalised;
  if (options.equalise != Choice::kOff) equalised = quantiser.Equalised(result);
  if (!equalised || options.equalise != Choice::kOn) result = chosen(std::move(result));
  if (equalised) {
    equalised = chosen(std::move(*equalised));
    if (options.equalise == Choice::kOn ||
        quantiser.NoiseOf(*equalised) < quantiser.NoiseOf(result))
      result = std::move(*equalised);
  }
  return is_searched ? quantiser.Searched(std::move(result)) : result;
}

}  // namespace vta::compiler::quantize
