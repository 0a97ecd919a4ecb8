#include "compiler/quantize/quantise.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/quantize/bias_correction.h"
#include "compiler/quantize/equalise.h"
#include "compiler/quantize/error.h"

namespace vta::compiler::quantize {
namespace {

CodeScale ScaleOf(const Graph& graph, const Plan& plan, const Range& range, int64_t group) {
  try {
    return ScaleOfRange(range);
  } catch (const Error& error) {
    throw error.In(StrCat(graph.name(), ": values of \"", plan.points[group].layer, "\""));
  }
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
                                    const Options& options, int64_t factor_bits) {
  std::vector<Range> ranges(plan.points.size());
  for (size_t i = 0; i < observed.size(); ++i) {
    Range& whole = ranges[plan.points[i].group];
    const Range range = ChooseRange(observed[i].values, options.method, options.percentile);
    whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
  }
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
  for (const Node& node : integers.nodes())
    if (integers.type(node.output).dtype == DType::kFloat32 && node.op != Op::kDequantize)
      real.insert(node.name);
  for (NodeId id : plan.nodes)
    if (real.contains(graph.nodes()[id].name)) planned.insert(graph.nodes()[id].name);
  return planned;
}

class Quantiser {
 public:
  Quantiser(const Calibration& calibration, const Options& options)
      : calibration_(calibration),
        options_(options),
        factor_bits_(options.config ? FactorBits(*options.config) : kExactFactorBits) {}

  /// Without equalisation.
  Result Plain(Graph graph) const {
    Result result;
    result.real = std::move(graph);
    result.kept = NodesNamed(result.real, options_.keep_float);
    for (;;) {
      result.plan = MakePlan(result.real, result.kept);
      result.observed = Observe(result.real, result.plan.points, calibration_);
      Finish(&result);
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
    Finish(&result);
    return result;
  }

  double Decibels(const Result& result) const {
    return OutputNoise(result.real, result.quantised.graph, calibration_, calibration_.make_runner)
        .decibels();
  }

 private:
  void Finish(Result* result) const {
    const Graph& graph = result->real;
    result->scales = ChooseScales(graph, result->plan, result->observed, options_, factor_bits_);
    Scheme scheme{result->scales, factor_bits_, options_.unsigned_codes, {}};
    result->quantised = Insert(graph, result->plan, scheme);
    if (!options_.correct_biases) return;
    scheme.bias_added = BiasCorrections(graph, result->plan, result->quantised, calibration_);
    result->quantised = Insert(graph, result->plan, scheme);
  }

  const Calibration& calibration_;
  const Options& options_;
  const int64_t factor_bits_;
};

}  // namespace

Graph Simplified(const Graph& imported) { return RunPasses(imported, SimplifyPipeline(), {}); }

Result Quantise(const Graph& imported, const Calibration& calibration, const Options& options) {
  const Quantiser quantiser(calibration, options);
  Result plain = quantiser.Plain(Simplified(imported));
  if (options.equalise == Choice::kOff) return plain;
  Result equalised = quantiser.Equalised(plain);
  if (equalised.equalised == 0) return plain;
  const bool better =
      options.equalise == Choice::kOn || quantiser.Decibels(equalised) > quantiser.Decibels(plain);
  return better ? equalised : plain;
}

}  // namespace vta::compiler::quantize
