#include "compiler/targets/vta/kernels/epilogue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/targets/vta/lower/intrinsics.h"
#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

Expr Int(int64_t value) { return loop::IntConst(DType::kInt32, value); }

/// Writes stages one after the other, each over the one before.
class Chain {
 public:
  Chain(const Tensor& acc, const std::vector<te::Axis>& axes, std::string suffix,
        std::vector<Stage>* stages)
      : last_(acc), axes_(axes), suffix_(std::move(suffix)), stages_(stages) {}

  template <typename F>
  void Add(const std::string& stage, const std::string& intrinsic, const F& value) {
    const Tensor before = last_;
    const std::string name = stage + suffix_;
    stages_->push_back({name, before.name(), intrinsic});
    last_ = te::Compute(
        name, axes_,
        [&](const std::vector<Expr>& at) -> te::Value { return value(before.At(at), at); },
        kAccScope);
  }
  const Tensor& last() const { return last_; }

 private:
  Tensor last_;
  const std::vector<te::Axis>& axes_;
  const std::string suffix_;  // of the stages' names
  std::vector<Stage>* stages_;
};

/// A multiplier and shifts that approximate value * multiplier / 2^31 * 2^exponent in 32 bits.
struct SmallScale {
  int64_t pre = 0, multiplier = 0, shift = 1;
};

/// The widest multiplier, of at most 15 bits, whose product with `most` fits 32 bits; where that
/// leaves fewer than 7 bits, the value is shifted first.
SmallScale Small(const isa::RequantLane& lane, int64_t most) {
  SmallScale scale;
  if (lane.multiplier <= 0) return scale;
  const double factor = FactorOf(lane);
  int bits = 15;
  while (bits > 7 && most > (int64_t{1} << (30 - bits))) --bits;
  while (most >> scale.pre > (int64_t{1} << (30 - bits))) ++scale.pre;
  int exponent = 0;
  const double mantissa =
      std::frexp(factor * std::ldexp(1.0, static_cast<int>(scale.pre)), &exponent);
  scale.multiplier = std::llround(std::ldexp(mantissa, bits));
  scale.shift = bits - exponent;
  // The shift is done in two steps, the second by one; a scale of 1 or more has no shift.
  while (scale.shift < 1) {
    scale.multiplier *= 2;
    ++scale.shift;
  }
  if (scale.shift > 31) {
    scale.multiplier = 0;
    scale.shift = 31;
  }
  return scale;
}

/// The nearest multiplier of the leading `bits` bits, which is all that the hardware uses.
int32_t RoundMultiplier(int32_t multiplier, int64_t bits) {
  if (bits >= 32) return multiplier;
  const int64_t rounded = multiplier + (int64_t{1} << (31 - bits));
  const int64_t most = std::numeric_limits<int32_t>::max();
  return isa::TruncateMultiplier(static_cast<int32_t>(std::min(rounded, most)), bits);
}

/// Codes from each other, or from a zero point, at most.
constexpr double kFarthest = 256;

/// What two shifts can do.
constexpr int64_t kMostShift = 2 * isa::kPublishedMostShift;

/// The shift alone, right or (negative) left, that is nearest to the scale in its logarithm. A lane
/// without a scale has no accumulator either.
int64_t NearestShift(const isa::RequantLane& lane) {
  if (lane.multiplier <= 0) return 0;
  const double factor = FactorOf(lane);
  return std::min<int64_t>(std::llround(-std::log2(factor)), kMostShift);
}

/// A shift as two.
std::pair<int32_t, int32_t> Halves(int64_t shift) {
  const int64_t first = std::min(shift, isa::kPublishedMostShift);
  return {static_cast<int32_t>(first), static_cast<int32_t>(shift - first)};
}

constexpr int kMostRows = 5;

std::array<int32_t, kMostRows> Rows(EpilogueKind kind, int64_t multiplier_bits,
                                    const isa::RequantLane& lane, int64_t most) {
  if (kind == EpilogueKind::kRequant)
    return {lane.bias, RoundMultiplier(lane.multiplier, multiplier_bits), isa::PackRequant(lane)};
  if (kind == EpilogueKind::kMulShift) {
    const SmallScale scale = Small(lane, most + std::abs(int64_t{lane.bias}));
    const auto [first, second] = Halves(scale.shift - 1);
    return {lane.bias, static_cast<int32_t>(scale.pre), static_cast<int32_t>(scale.multiplier),
            first, second};
  }
  const int64_t shift = NearestShift(lane);
  const int32_t half = shift > 0 ? int32_t{1} << (shift - 1) : 0;
  VTA_CHECK(shift >= 0, "a lane whose scale is above 1 on a config that only shifts");
  // Shifted by more, the zero point would leave no room for the accumulator.
  const int32_t zero_point = kind == EpilogueKind::kShift ? lane.zero_point * (1 << shift) : 0;
  const auto [first, second] = Halves(shift);
  return {isa::WrapAdd(lane.bias, half + zero_point), first, second};
}

struct EpilogueFacts {
  int64_t rows, passes, tensors;  // of parameters; of the ALU; of these, with a row of parameters
};
constexpr EpilogueFacts FactsOf(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kRequant:  // by a unit of its own, which keeps the rows
      return {isa::kRequantRows, 1, 0};
    case EpilogueKind::kMulShift:
      return {kMostRows, 9, 5};
    case EpilogueKind::kShift:
      return {2, 4, 2};
    case EpilogueKind::kWideShift:
      break;
  }
  return {3, 6, 3};
}

}  // namespace

EpilogueKind EpilogueOf(const isa::Config& config, bool wide_shift) {
  if (config.arch.requant) return EpilogueKind::kRequant;
  if (config.arch.mul) return EpilogueKind::kMulShift;
  return wide_shift ? EpilogueKind::kWideShift : EpilogueKind::kShift;
}

int64_t ShiftOf(const isa::Config& config, const isa::RequantLane& lane) {
  return EpilogueOf(config) == EpilogueKind::kShift ? NearestShift(lane) : 0;
}

int64_t ParameterRows(EpilogueKind kind) { return FactsOf(kind).rows; }
int64_t AluPasses(EpilogueKind kind) { return FactsOf(kind).passes; }
int64_t TensorPasses(EpilogueKind kind) { return FactsOf(kind).tensors; }

Tensor ShiftStage(const std::string& name, const Tensor& x, const std::vector<te::Axis>& axes,
                  int64_t right, const std::string& over, std::vector<Stage>* stages) {
  stages->push_back({name, over, "vta.shr_imm"});
  return te::Compute(
      name, axes,
      [&](const std::vector<Expr>& at) -> te::Value {
        return Apply(loop::Op::kShr, {x.At(at), Int(right)});
      },
      kAccScope);
}

AbsorbedScale AbsorbScale(const isa::Config& config, const isa::RequantLane& lane, int64_t largest,
                          int64_t limit, double more) {
  if (EpilogueOf(config) != EpilogueKind::kShift) return {1, lane};
  if (lane.multiplier <= 0) {
    AbsorbedScale none{0, lane};
    none.lane.bias = 0;
    return none;
  }
  const double scale = FactorOf(lane) * more;
  // Where all weights are 0 only the bias is scaled.
  const double room =
      largest == 0 ? isa::kPublishedMostShift
                   : std::log2(static_cast<double>(limit) / (scale * static_cast<double>(largest)));
  const int shift =
      static_cast<int>(std::clamp(std::floor(room), -31.0, static_cast<double>(kMostShift)));
  AbsorbedScale out{std::ldexp(scale, shift), lane};
  const double bias = std::clamp<double>(lane.bias * out.factor, -(1 << 30), 1 << 30);
  out.lane.bias = static_cast<int32_t>(std::lround(bias));
  out.lane.multiplier = 1 << 30;
  out.lane.exponent = static_cast<int8_t>(1 - shift);
  return out;
}

Tensor AddEpilogue(EpilogueKind kind, isa::Rounding rounding, const SharedLane& common,
                   const Tensor& acc, const std::vector<te::Axis>& axes, const Tensor& parameters,
                   const std::function<Expr(const std::vector<Expr>&)>& block_of,
                   std::vector<Stage>* stages, int64_t set, const std::optional<Tensor>& table) {
  auto row = [&](int64_t r, const std::vector<Expr>& at) {
    return parameters(block_of(at), Expr(set * ParameterRows(kind) + r), at[at.size() - 2],
                      at.back());
  };
  Chain chain(acc, axes, set == 0 ? "" : StrCat("_", set), stages);
  VTA_CHECK(!table || kind == EpilogueKind::kRequant);
  if (kind == EpilogueKind::kRequant) {
    const auto code = [&](const Expr& v, const std::vector<Expr>& at) {
      return Apply(RequantOp(rounding), {v, row(0, at), row(1, at), row(2, at)});
    };
    if (table)
      chain.Add("lut", "vta.lut", [&](const Expr& v, const std::vector<Expr>& at) {
        return LutEntry(*table, code(v, at));
      });
    else
      chain.Add("requant", "vta.requant", code);
    return chain.last();
  }
  auto shr = [](const Expr& v, const Expr& by) { return Apply(loop::Op::kShr, {v, by}); };
  auto shift = [&](const char* stage, int64_t by) {
    chain.Add(stage, "vta.shr",
              [&](const Expr& v, const std::vector<Expr>& at) { return shr(v, row(by, at)); });
  };
  chain.Add("bias", "vta.add",
            [&](const Expr& v, const std::vector<Expr>& at) { return v + row(0, at); });
  if (kind == EpilogueKind::kMulShift) {
    shift("narrow", 1);
    chain.Add("scale", "vta.mul",
              [&](const Expr& v, const std::vector<Expr>& at) { return v * row(2, at); });
    shift("shift", 3);
    shift("shift_on", 4);
    // The last bit rounds, and what is added before it is halved is the zero point behind it.
    chain.Add("round", "vta.add_imm", [&](const Expr& v, const std::vector<Expr>&) {
      return v + Int(1 + 2 * common.zero_point);
    });
    chain.Add("halve", "vta.shr_imm",
              [&](const Expr& v, const std::vector<Expr>&) { return shr(v, Int(1)); });
  } else {
    shift("shift", 1);
    if (kind == EpilogueKind::kWideShift) {
      shift("shift_on", 2);
      chain.Add("zero_point", "vta.add_imm", [&](const Expr& v, const std::vector<Expr>&) {
        return v + Int(common.zero_point);
      });
    }
  }
  chain.Add("low", "vta.max_imm",
            [&](const Expr& v, const std::vector<Expr>&) { return Max(v, Int(common.low)); });
  chain.Add("high", "vta.min_imm",
            [&](const Expr& v, const std::vector<Expr>&) { return Min(v, Int(common.high)); });
  return chain.last();
}

Tensor InScratchpad(const Tensor& tensor, const std::string& scope) {
  const std::vector<te::Axis> axes(tensor.shape().begin(), tensor.shape().end());
  return te::Compute(
      StrCat(tensor.name(), "_", scope), axes,
      [&](const std::vector<Expr>& at) -> te::Value { return tensor.At(at); }, scope);
}

Tensor TableParameter() { return te::Placeholder("t", {isa::kLutBytes}); }

double FactorOf(const isa::RequantLane& lane) {
  return std::ldexp(static_cast<double>(lane.multiplier), lane.exponent - 31);
}

AppliedScale ScaleApplied(const isa::Config& config, const isa::RequantLane& lane,
                          int64_t most_accumulator) {
  switch (EpilogueOf(config)) {
    case EpilogueKind::kRequant: {
      isa::RequantLane rounded = lane;
      rounded.multiplier = RoundMultiplier(lane.multiplier, config.arch.requant_multiplier_bits);
      return {FactorOf(rounded), 0};
    }
    case EpilogueKind::kMulShift: {
      const int64_t most = most_accumulator + std::abs(int64_t{lane.bias});
      const SmallScale scale = Small(lane, most);
      if (scale.multiplier * ((most >> scale.pre) + 1) > std::numeric_limits<int32_t>::max())
        return {0, kFarthest};  // the product may wrap
      const double unit = std::ldexp(static_cast<double>(scale.multiplier),
                                     static_cast<int>(-scale.shift));  // of what is narrowed
      return {std::ldexp(unit, static_cast<int>(-scale.pre)),
              unit * (1 - std::ldexp(1.0, static_cast<int>(-scale.pre)))};
    }
    default:
      return {lane.multiplier <= 0 ? 0 : std::ldexp(1.0, static_cast<int>(-NearestShift(lane))), 0};
  }
}

double ErrorOfScale(double wanted, const AppliedScale& applied, double most) {
  if (wanted == applied.factor) return applied.lost;
  return std::min(kFarthest * std::abs(1 - applied.factor / wanted),
                  most * std::abs(wanted - applied.factor)) +
         applied.lost;
}

double ErrorOfRounding(const isa::Config& config, isa::Rounding rounding,
                       const isa::RequantLane& lane) {
  const bool twice =
      rounding == isa::Rounding::kDouble && !config.arch.requant && lane.exponent < 0;
  return twice ? std::ldexp(1.0, lane.exponent - 1) : 0;
}

int64_t CodesOff(double error) {
  return error > 0 ? static_cast<int64_t>(std::min(std::floor(error), kFarthest - 2)) + 1 : 0;
}

std::vector<int32_t> PackParameters(const isa::Config& config,
                                    const std::vector<isa::RequantLane>& lanes,
                                    const std::vector<int64_t>& most_accumulator, bool wide_shift) {
  const EpilogueKind kind = EpilogueOf(config, wide_shift);
  const int64_t block = config.arch.block_out, batch = config.arch.batch;
  const int64_t rows = ParameterRows(kind);
  VTA_CHECK(lanes.size() % block == 0 && lanes.size() == most_accumulator.size());
  std::vector<int32_t> out(lanes.size() / block * rows * batch * block);
  for (size_t c = 0; c < lanes.size(); ++c) {
    const auto values =
        Rows(kind, config.arch.requant_multiplier_bits, lanes[c], most_accumulator[c]);
    const int64_t in_block = static_cast<int64_t>(c) % block;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t b = 0; b < batch; ++b)
        out[((static_cast<int64_t>(c) / block * rows + r) * batch + b) * block + in_block] =
            values[r];
  }
  return out;
}

std::vector<int32_t> JoinRows(int64_t blocks, const std::vector<int32_t>& first,
                              const std::vector<int32_t>& second) {
  std::vector<int32_t> both;
  for (int64_t block = 0; block < blocks; ++block)
    for (const std::vector<int32_t>* rows : {&first, &second}) {
      const int64_t size = std::ssize(*rows) / blocks;
      both.insert(both.end(), rows->begin() + block * size, rows->begin() + (block + 1) * size);
    }
  return both;
}

}  // namespace vta::compiler::targets
