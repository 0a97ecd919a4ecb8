#include "compiler/targets/vta/kernels/bend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "compiler/targets/vta/kernels/nodes.h"
#include "compiler/targets/vta/lower/intrinsics.h"

namespace vta::compiler::targets {
namespace {

using loop::Expr;
using te::Tensor;

/// The lanes of each channel as the node has them: the same above, and below.
std::vector<isa::RequantLane> LanesBelow(const Graph& graph, const Node& prelu) {
  const auto multipliers = graph.constant(prelu.inputs[1])->data<int32_t>(),
             exponents = graph.constant(prelu.inputs[2])->data<int32_t>();
  std::vector<isa::RequantLane> lanes(multipliers.size(), LaneOf(prelu));
  for (size_t c = 0; c < lanes.size(); ++c) {
    lanes[c].multiplier = multipliers[c];
    lanes[c].exponent = static_cast<int8_t>(std::clamp(exponents[c], -31, 30));
  }
  return lanes;
}

}  // namespace

Bend BendOf(const Graph& graph, const Node& prelu) {
  if (graph.rounding() == isa::Rounding::kDouble)
    Refuse(prelu, "rounding", "double", "must be single: greater scales could round to less");
  for (size_t i = 1; i < prelu.inputs.size(); ++i)
    if (!graph.constant(prelu.inputs[i]))
      Refuse(prelu, "input", graph.value(prelu.inputs[i]).name, "must be a constant");
  const isa::RequantLane above = LaneOf(prelu);
  const std::vector<isa::RequantLane> below = LanesBelow(graph, prelu);
  const auto [least, most] = std::ranges::minmax(below, {}, FactorOf);
  if (FactorOf(most) <= FactorOf(above)) return {Bend::Join::kGreater};
  if (FactorOf(least) >= FactorOf(above)) return {Bend::Join::kLess};
  if (above.zero_point < above.low || above.zero_point > above.high)
    Refuse(prelu, "zero_point", std::to_string(above.zero_point),
           StrCat("must be in [", above.low, ", ", above.high,
                  "] where some channels are steeper "
                  "below it than above, and others less steep"));
  return {.join = Bend::Join::kSum,
          .correction = std::max(above.high - above.zero_point - INT8_MAX, 0)};
}

std::vector<int32_t> PackBend(const isa::Config& config, const Graph& graph, const Node& prelu,
                              int64_t lanes, const std::function<int64_t(int64_t)>& place_of) {
  const Bend bend = BendOf(graph, prelu);
  isa::RequantLane above = LaneOf(prelu);
  std::vector<isa::RequantLane> below = LanesBelow(graph, prelu);
  if (bend.join == Bend::Join::kSum) {
    const int8_t zero = above.zero_point, low = above.low, high = above.high;
    above.zero_point = above.low = static_cast<int8_t>(-bend.correction);
    above.high = static_cast<int8_t>(high - zero - bend.correction);
    for (isa::RequantLane& lane : below)
      lane.low = lane.multiplier < 0 ? zero : low, lane.high = lane.multiplier < 0 ? high : zero;
  }
  // What fills up blocks is 0.
  const auto none = static_cast<int8_t>(-bend.correction);
  std::vector<isa::RequantLane> all_above(lanes, {.low = none, .high = none}),
      all_below(lanes, {.low = 0, .high = 0});
  for (size_t c = 0; c < below.size(); ++c) {
    const int64_t place = place_of(static_cast<int64_t>(c));
    all_above[place] = above;
    all_below[place] = below[c];
  }
  const std::vector<int64_t> any(lanes);
  return JoinRows(lanes / config.arch.block_out, PackParameters(config, all_above, any),
                  PackParameters(config, all_below, any));
}

double ErrorOfBend(const isa::Config& config, const Graph& graph, const Node& prelu, int64_t off) {
  constexpr int64_t kMostDistance = 255;  // of a code from the zero point
  std::vector<isa::RequantLane> lanes = LanesBelow(graph, prelu);
  lanes.push_back(LaneOf(prelu));
  double error = 0;
  for (const isa::RequantLane& lane : lanes) {
    const AppliedScale applied = ScaleApplied(config, lane, kMostDistance);
    error = std::max(error, static_cast<double>(off) * std::abs(applied.factor) +
                                ErrorOfScale(FactorOf(lane), applied, kMostDistance));
  }
  return error;
}

Tensor AddBend(const Bend& bend, isa::Rounding rounding, const Tensor& codes,
               const std::vector<te::Axis>& axes, const Tensor& parameters,
               const std::function<Expr(const std::vector<Expr>&)>& block_of, int64_t set,
               std::vector<Stage>* stages) {
  const std::string own = stages->back().over, beside(kBelowBlock);
  const auto stage = [&](const std::string& name, const std::string& over,
                         const std::string& intrinsic, const auto& value) {
    stages->push_back({name, over, intrinsic});
    return te::Compute(
        name, axes, [&](const std::vector<Expr>& at) -> te::Value { return value(at); }, kAccScope);
  };
  const Tensor zero = stage(beside, "", "vta.gemm", [](const std::vector<Expr>&) {
    return loop::IntConst(loop::DType::kInt32, 0);
  });
  const Tensor copied = stage("below_codes", beside, "vta.add", [&](const std::vector<Expr>& at) {
    return zero.At(at) + codes.At(at);
  });
  const auto requant = [&](const Tensor& of, int64_t lanes, const std::string& over) {
    const Tensor made = AddEpilogue(EpilogueKind::kRequant, rounding, {}, of, axes, parameters,
                                    block_of, stages, lanes);
    stages->back().over = over;
    return made;
  };
  const Tensor above = requant(codes, set, own), below = requant(copied, set + 1, beside);
  using Join = Bend::Join;
  const char* const joins = bend.join == Join::kSum    ? "vta.add"
                            : bend.join == Join::kLess ? "vta.min"
                                                       : "vta.max";
  const Tensor joined = stage("bent", beside, joins, [&](const std::vector<Expr>& at) {
    const Expr a = below.At(at), b = above.At(at);
    return bend.join == Join::kSum ? a + b : bend.join == Join::kLess ? Min(a, b) : Max(a, b);
  });
  if (bend.correction == 0) return joined;
  return stage("corrected", beside, "vta.add_imm", [&](const std::vector<Expr>& at) {
    return joined.At(at) + loop::IntConst(loop::DType::kInt32, bend.correction);
  });
}

}  // namespace vta::compiler::targets
