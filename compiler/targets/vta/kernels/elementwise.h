// What element-wise operators of two int8 tensors share on VTA. Int8 rows, the pixels of a channel
// block, reach the accumulators through GEMM with (scaled) identity weights, which every ISA
// version has; the ALU computes there, and an epilogue makes codes of the result.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/targets/vta/kernels/epilogue.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// The rows of an operator, pixels of a block of channels, in groups of `pixels` that share a row
/// of the second operand: all those of a plane where that is a gate, otherwise one.
struct RowGroups {
  int64_t groups = 1, pixels = 1;

  bool is_gate() const { return pixels > 1; }
  int64_t rows() const { return groups * pixels; }
  /// How the first operand and the result are laid out.
  std::vector<int64_t> sizes() const {
    return is_gate() ? std::vector{groups, pixels} : std::vector{groups};
  }
};

/// What a row of the first operand takes of acc, and one of the second besides, in blocks of
/// channels, and all rows of wgt, in diagonals.
struct RowNeeds {
  RowGroups rows;
  int64_t acc, second_acc, wgt;
  EpilogueKind epilogue;
  bool table = false;  // its codes go through one
};
/// The most rows of a tile, of whole groups or of part of one; few enough that two tiles overlap.
/// Errors: throws Error at `name` if not one row fits.
RowGroups RowTile(const isa::Config& config, const std::string& name, const RowNeeds& needs);

/// What the rows need whatever the tile: each operand widened once, resets, the epilogue; bytes
/// without those of weights.
Work RowWork(const isa::Config& config, const RowNeeds& needs);
/// The vectors of the result, and of the second operand.
int64_t RowVectors(const isa::Config& config, const RowGroups& rows);
int64_t SecondVectors(const isa::Config& config, const RowGroups& rows);
int64_t DiagonalBytes(const isa::Config& config);

inline constexpr const char* kGemm = "vta.gemm";

/// A kernel up to its accumulators. Shape: acc as RowAxes; a [sizes..., in_parts, b, block_in] and
/// b [groups, in_parts, b, block_in] int8; w [sets..., out_parts, in_parts, block_out, block_in]
/// int8, with the parts of ChannelBlocks.
struct RowKernel {
  te::Tensor a, b, w, acc;
  std::vector<Stage> stages;  // GEMM's sums, which start rows where they are over none, and ALU's
  size_t reductions;          // loops of each sum
  std::vector<std::string> loads;  // the blocks that put operands into inp
};
/// Of what lies in accumulators. Shape: sizes..., out_parts, b, block_out.
std::vector<te::Axis> RowAxes(const isa::Config& config, const std::vector<int64_t>& sizes);
te::Tensor RowOperand(const isa::Config& config, const std::string& name,
                      std::vector<int64_t> sizes);
/// Of what lies in accumulators, the element of an operand that the reduction axes choose.
std::vector<loop::Expr> OperandAt(const std::vector<loop::Expr>& at, const loop::Expr& part,
                                  const loop::Expr& channel);
/// Of the result, what lies in accumulators for the second operand.
std::vector<loop::Expr> SecondAt(const RowGroups& rows, std::vector<loop::Expr> at);
te::Tensor RowWeights(const isa::Config& config, std::vector<int64_t> sets);

/// The kernel and its epilogue, which overwrites the first stage, with the largest tile that fits.
/// Parameters: a, b, w, p [out_parts, rows of the epilogue, b, block_out] int32, y [sizes...,
/// out_parts, b, block_out] int8, before it t [256] int8 where codes go through a table. Errors:
/// throws Error if no tile fits.
Scheduled ScheduleRows(const isa::Config& config, isa::Rounding rounding,
                       const isa::RequantLane& common, const std::string& name,
                       const RowNeeds& needs, RowKernel kernel);

/// The parameter p where all channels have one lane; `most` bounds the sums' magnitude.
std::vector<uint8_t> RowLanes(const isa::Config& config, const RowNeeds& needs,
                              const isa::RequantLane& lane, int64_t most);
/// The rows of a node of two operands, which may stand in either order.
struct RowOperands {
  RowGroups rows;
  int first = 0;  // which input the kernel's a is

  template <typename T>
  std::pair<T, T> InOrder(T of_input_0, T of_input_1) const {
    return first == 0 ? std::pair(of_input_0, of_input_1) : std::pair(of_input_1, of_input_0);
  }
};
/// Errors: throws Error at the node unless its inputs are activations, both of its output's shape,
/// or one of them with a plane of 1x1.
RowOperands RowOperandsOf(const isa::Config& config, const Graph& graph, const Node& node);
StepPlan PlanRows(const OperatorStep& step, const RowOperands& operands, Scheduled kernel,
                  std::vector<uint8_t> w, std::vector<uint8_t> p);

}  // namespace vta::compiler::targets
