// From int32 accumulators to int8 codes: as tensor expressions, and the parameter rows they read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/te/te.h"
#include "isa/config.h"
#include "isa/spec/requant.h"

namespace vta::compiler::targets {

/// How this config rescales: one requant; or on ISA 0.0.2 a bias, a multiplication where it has
/// mul, a shift, and clipping, which only approximates requant. Published hardware shifts by 15 at
/// most; what needs more (always after a multiplication) shifts twice, which rounds like once.
enum class EpilogueKind { kRequant, kMulShift, kShift, kWideShift };
EpilogueKind EpilogueOf(const isa::Config& config, bool wide_shift = false);
/// How far a lane, its scale absorbed, shifts to the right, or (negative) to the left, which
/// published hardware does with immediates only. 0 on configs that can do more than shift.
int64_t ShiftOf(const isa::Config& config, const isa::RequantLane& lane);
/// Accumulator rows of one channel block's parameters.
int64_t ParameterRows(EpilogueKind kind);
/// ALU passes over the accumulators.
int64_t AluPasses(EpilogueKind kind);
/// Of these, those with a row of parameters as their second operand.
int64_t TensorPasses(EpilogueKind kind);

/// What all lanes of an epilogue share on configs without requant: immediates.
struct SharedLane {
  int64_t zero_point = 0, low = -128, high = 127;
};
inline SharedLane Shared(const isa::RequantLane& lane) {
  return {lane.zero_point, lane.low, lane.high};
}

/// One element-wise stage in accumulator memory: its block, the buffer that it overwrites, and the
/// intrinsic that does it.
struct Stage {
  std::string block, over, intrinsic;
};

/// The stages on top of `acc`. Shape: acc [..., b, block_out]; parameters [blocks, sets * rows, b,
/// block_out], of which `block_of(indices)` is the block of an element; a second epilogue reads the
/// second set of rows. Where there is a table, which needs EpilogueKind::kRequant, the codes go
/// through it. Appends to `stages`; returns the last.
te::Tensor AddEpilogue(EpilogueKind kind, isa::Rounding rounding, const SharedLane& common,
                       const te::Tensor& acc, const std::vector<te::Axis>& axes,
                       const te::Tensor& parameters,
                       const std::function<loop::Expr(const std::vector<loop::Expr>&)>& block_of,
                       std::vector<Stage>* stages, int64_t set = 0,
                       const std::optional<te::Tensor>& table = {});

/// A copy of what lies in DRAM, named after both.
te::Tensor InScratchpad(const te::Tensor& tensor, const std::string& scope);
/// The parameter of a table, as the machine has it. Shape: [256] int8.
te::Tensor TableParameter();

/// A stage over `over`: x shifted right by an immediate; left where it is negative.
te::Tensor ShiftStage(const std::string& name, const te::Tensor& x,
                      const std::vector<te::Axis>& axes, int64_t right, const std::string& over,
                      std::vector<Stage>* stages);

/// Where only a shift rescales, the rest of the scale goes into the weights: they are multiplied by
/// `factor`, and `lane` (whose bias is multiplied too) then needs no more than a shift.
struct AbsorbedScale {
  double factor = 1;
  isa::RequantLane lane;
};
/// The largest factor that keeps a weight of magnitude `largest` at or below `limit`; 0, and no
/// bias, where the lane's multiplier is. `more` multiplies the lane's scale. Elsewhere than on
/// configs that can only shift, factor 1 and the lane as it is.
AbsorbedScale AbsorbScale(const isa::Config& config, const isa::RequantLane& lane, int64_t largest,
                          int64_t limit, double more = 1);

/// What the hardware does in place of a lane's scale: the factor, and by how much codes may be less
/// for bits that are shifted out before that.
struct AppliedScale {
  double factor = 0, lost = 0;
};
AppliedScale ScaleApplied(const isa::Config& config, const isa::RequantLane& lane,
                          int64_t most_accumulator);
/// A lane's scale as a number.
double FactorOf(const isa::RequantLane& lane);
/// How far codes, before they are rounded, may be from those of a scale where the hardware applies
/// another one to sums of at most `most`, bias included; beyond the lane's range both are its ends.
double ErrorOfScale(double wanted, const AppliedScale& applied, double most);
/// How far rounding twice may be from rounding once, which is all that hardware without requant
/// does, before codes are rounded.
double ErrorOfRounding(const isa::Config& config, isa::Rounding rounding,
                       const isa::RequantLane& lane);
/// By how many codes such an error is seen at most.
int64_t CodesOff(double error);

/// The parameter tensor's values. Shape: lanes [blocks * block_out] -> [blocks, rows, batch,
/// block_out]. most_accumulator bounds |accumulator| of each lane before its bias (used where the
/// product of a multiplication has to fit 32 bits).
std::vector<int32_t> PackParameters(const isa::Config& config,
                                    const std::vector<isa::RequantLane>& lanes,
                                    const std::vector<int64_t>& most_accumulator,
                                    bool wide_shift = false);
/// The rows of parameters of so many blocks: of each those of `first`, then those of `second`.
std::vector<int32_t> JoinRows(int64_t blocks, const std::vector<int32_t>& first,
                              const std::vector<int32_t>& second);

}  // namespace vta::compiler::targets
