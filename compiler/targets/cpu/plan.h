// How a kernel of the CPU is cut into tasks and tiles, by rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/express.h"
#include "compiler/targets/cpu/tile.h"
#include "compiler/targets/cpu/winograd.h"

namespace vta::compiler::targets {

/// How a kernel of sums in blocks is cut: tasks make `group` blocks of `task_rows` rows in tiles,
/// those of other blocks around those of other pixels, or inside; of the reduction's last loop
/// `unrolled` steps are written out.
struct BlockPlan {
  int64_t group = 1, task_rows = 1;
  Tile tile = {1, 1, 1};
  bool blocks_inside = false;
  int64_t unrolled = 1;
};
/// How a kernel of products row by row is cut: tasks make some rows, which stay in a core's own
/// cache, of some blocks of columns, in tiles of both.
struct RowPlan {
  int64_t rows = 1, blocks = 1;
  int64_t tile_rows = 1, tile_blocks = 1;
  int64_t unrolled = 1;  // as above
};
/// None: there is one way.
using KernelPlan = std::variant<std::monostate, BlockPlan, RowPlan, WinogradPlan>;

/// What a rule takes. Kernels of one step have the same tasks on all CPUs.
KernelPlan ChoosePlan(const Graph& graph, std::span<const NodeId> nodes,
                      const StepExpression& expression, const Registers& registers,
                      int64_t threads = kSomeThreads);
/// What a plan gives threads to do at once.
int64_t TasksOf(const Graph& graph, std::span<const NodeId> nodes, const KernelPlan& plan);

/// A result in blocks as tiles have it: its rows, columns and blocks.
Tile TilesOfResult(const Graph& graph, std::span<const NodeId> nodes);
/// A result row by row, of which tiles take rows as columns.
Tile MatrixOfResult(const Graph& graph, std::span<const NodeId> nodes);
/// Steps of a reduction, each of an instruction's products.
int64_t StepsOfSum(const StepExpression& expression);
/// Those of its last loop, which may be written out.
int64_t LastReduced(const StepExpression& expression);
/// Whether weights come from memory, while the whole input stays in a core's own cache.
bool IsCold(const Graph& graph, const Node& anchor);
/// The extent of the loop that has this name; 1 where there is none.
int64_t ExtentOfLoop(const std::vector<loop::Stmt>& loops, const std::string& name);

}  // namespace vta::compiler::targets
