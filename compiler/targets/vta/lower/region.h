// One leaf of a scheduled function as the VTA target sees it: a perfect loop nest around one block
// that is either a copy between DRAM and a scratchpad or a call of an intrinsic. All addresses are
// affine in the nest's loops; loops further out only move the start.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/targets/vta/lower/intrinsics.h"

namespace vta::compiler::targets {

/// Values of the loops outside a region, outermost first.
using LoopValues = std::vector<std::pair<const loop::VarNode*, int64_t>>;

/// constant + sum of coefficients * region loops + sum of coefficients * outer expressions.
struct LinearForm {
  int64_t constant = 0;
  std::vector<int64_t> steps;                         // one a region loop
  std::vector<std::pair<loop::Expr, int64_t>> outer;  // in loops outside

  /// The constant once the outer loops have values.
  int64_t At(const LoopValues& values) const;
};

/// A buffer and the element of it that is meant.
struct Place {
  loop::Buffer buffer;
  LinearForm element;  // row-major
};

struct Region {
  std::string block;
  std::vector<int64_t> extents;    // of the region's loops, outermost first
  std::vector<LinearForm> guards;  // runs where all are >= 0

  bool is_call = false;
  // A call:
  IntrinsicOp op;
  std::vector<Place> operands;  // elements are scratchpad rows
  std::optional<int64_t> imm;   // the immediate operand
  // A copy, element by element:
  std::vector<LinearForm> cases;  // other rows are another copy's where one of these is < 0
  Place to, from;
  std::vector<LinearForm> inside;  // reads `from` where all are >= 0, otherwise pad_value
  int64_t pad_value = 0;
};

/// The loops directly around the block, if the statement is a region (loops that are virtual
/// threads or unrolled are not part of one).
bool IsRegion(const loop::Stmt& stmt);

/// One region; two where a copy selects between two buffers. Errors: throws Error naming the block
/// where it is no copy and no call, or an address or condition is not affine in the region's loops.
std::vector<Region> AnalyseRegion(const isa::Config& config, const loop::Stmt& stmt,
                                  const std::vector<const loop::For*>& outer);

/// Elements of a scratchpad's row, as numbers.
int64_t RowElems(const isa::Config& config, const std::string& scope);
bool IsScratchpad(const loop::Buffer& buffer);

}  // namespace vta::compiler::targets
