#include "compiler/targets/cpu/plan.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {
namespace {

/// Rows are cut where a divisor in fours fits into half of a core's own cache.
RowPlan PlanOfRows(const Graph& graph, std::span<const NodeId> nodes, const Registers& registers) {
  constexpr int64_t kKeptBytes = 256 * 1024, kFours = 4;
  const TensorType& x = graph.type(graph.nodes()[nodes.front()].inputs[0]);
  const Tile all = MatrixOfResult(graph, nodes);
  const int64_t kept = kKeptBytes / (x.shape.back() * Bytes(x.dtype));
  RowPlan plan{.rows = all.columns};
  for (int64_t rows = kept / kFours * kFours; rows > 0 && all.columns > kept; rows -= kFours)
    if (all.columns % rows == 0) {
      plan.rows = rows;
      break;
    }
  plan.blocks = ChooseEven({1, plan.rows, all.blocks}, kWidest).blocks;
  const Tile tile = ChooseEven({1, plan.rows, plan.blocks}, registers, plan.rows < all.columns);
  plan.tile_rows = tile.columns, plan.tile_blocks = tile.blocks;
  return plan;
}

/// The tile that a task of a result is cut into. Tasks of some rows have whole tiles. What shares
/// no weights reads inputs again, for other taps: half of the registers is theirs.
Tile TileFor(const Tile& task, const Tile& all, const StepExpression& e, bool cold,
             Registers registers) {
  if (!e.sums.shares) registers.count = registers.count / 2 + registers.vectors() + 1;
  return ChooseTile(task, cold, registers, task.rows < all.rows);
}

/// The rows and blocks of a task: of blocks as many as `group`, of rows, where they are too short
/// for a tile, as many as make up for that; as few of them as do, and tasks for some threads: where
/// there is enough to do for each and, where there is not much, at little more cost.
void ChooseTask(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                int64_t threads, BlockPlan& plan) {
  constexpr int64_t kMuch = 125, kLittle = 105;         // in hundredths
  constexpr int64_t kEnough = 10'000, kALot = 400'000;  // half cycles, of a task and of all
  const Tile all = TilesOfResult(graph, nodes);
  const int64_t samples = graph.shape(graph.nodes()[nodes.back()].output)[0];
  const Registers widest = kWidest.With(e.sums.lanes);
  const auto cost = [&](int64_t rows, int64_t group) {
    const Tile task{rows, all.columns, group};
    return TileCost(task, TileFor(task, all, e, false, widest), false, widest) * (all.rows / rows) *
           (all.blocks / group);
  };
  const int64_t least = cost(all.rows, plan.group);
  if (100 * cost(1, plan.group) <= kMuch * least) return;
  const int64_t work = least * samples * StepsOfSum(e);
  const int64_t fewest = std::clamp(work / kEnough, int64_t{1}, std::min(threads, kSomeThreads));
  const auto has_tasks = [&](int64_t rows, int64_t group, int64_t tasks) {
    return all.rows % rows == 0 && samples * (all.blocks / group) * (all.rows / rows) >= tasks;
  };
  // The fewest rows that cost little more than those that cost least, of such as give so many tasks
  // or are one.
  const auto rows_for = [&](int64_t tasks) {
    int64_t best = cost(1, plan.group);
    for (int64_t rows = 2; rows <= all.rows; ++rows)
      if (has_tasks(rows, plan.group, tasks)) best = std::min(best, cost(rows, plan.group));
    int64_t rows = 1;
    while ((rows > 1 && !has_tasks(rows, plan.group, tasks)) ||
           100 * cost(rows, plan.group) > kLittle * best)
      ++rows;
    return rows;
  };
  plan.task_rows = rows_for(fewest);
  if (work >= kALot || 100 * cost(plan.task_rows, plan.group) <= kMuch * least) return;
  // Of a number of rows that few divide: fewer blocks, or one task.
  for (int64_t group = plan.group; group > 0; --group)
    if (plan.group % group == 0 && has_tasks(all.rows, group, fewest) &&
        100 * cost(all.rows, group) <= kMuch * least) {
      plan.group = group, plan.task_rows = all.rows;
      return;
    }
  plan.task_rows = rows_for(1);
}

}  // namespace

int64_t ExtentOfLoop(const std::vector<loop::Stmt>& loops, const std::string& name) {
  for (const loop::Stmt& stmt : loops)
    if (loop::As<loop::For>(stmt)->var->name == name) return loop::As<loop::For>(stmt)->extent;
  return 1;
}

namespace {

/// Trips of the loops of a reduction, outermost first, but of those in an instruction.
std::vector<int64_t> TripsOfSum(const StepExpression& e) {
  const std::vector<loop::Stmt> loops = loop::FindSite(e.function, "sums").loops;
  std::vector<int64_t> trips;
  for (const std::string& name : e.sums.reduce) trips.push_back(ExtentOfLoop(loops, name));
  if (!e.sums.dot.empty()) trips.pop_back();
  return trips;
}

}  // namespace

int64_t StepsOfSum(const StepExpression& e) {
  int64_t steps = 1;
  for (const int64_t trips : TripsOfSum(e)) steps *= trips;
  return steps;
}

int64_t LastReduced(const StepExpression& e) {
  int64_t last = 1;
  for (const int64_t trips : TripsOfSum(e))
    if (trips > 1) last = trips;
  return last;
}

Tile TilesOfResult(const Graph& graph, std::span<const NodeId> nodes) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  return {made.type.shape[2], made.type.shape[3], made.stored().shape[1]};
}

Tile MatrixOfResult(const Graph& graph, std::span<const NodeId> nodes) {
  const Shape& made = graph.shape(graph.nodes()[nodes.back()].output);
  return {1, made[made.size() - 2], BlocksOf(made.back())};
}

bool IsCold(const Graph& graph, const Node& anchor) {
  constexpr int64_t kCacheBytes = 512 * 1024;
  return anchor.inputs.size() > 1 && graph.type(anchor.inputs[1]).bytes() > kCacheBytes &&
         graph.value(anchor.inputs[0]).stored().bytes() <= kCacheBytes;
}

KernelPlan ChoosePlan(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                      const Registers& all_lanes, int64_t threads) {
  const Registers registers = all_lanes.With(e.sums.lanes);
  constexpr int64_t kFewest = 16;
  if (e.sums.reduce.empty()) return {};
  const Node& anchor = graph.nodes()[nodes.front()];
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  if (e.sums.winograd) return PlanOfWinograd(graph, anchor, registers, threads);
  if (!made.storage) return PlanOfRows(graph, nodes, registers);
  // Tasks are a row, or some, of some blocks; or, where weights come from memory and tiles have
  // several rows, all rows of them, since the last tile has fewer.
  const Tile all = TilesOfResult(graph, nodes);
  BlockPlan plan;
  const bool cold = e.sums.shares && IsCold(graph, anchor);
  if (e.sums.shares) {
    plan.group = ChooseTile({1, all.columns, all.blocks}, false, kWidest).blocks;
    const Tile widest = ChooseTile(all, cold, kWidest);
    if (cold && widest.rows > 1 && made.type.shape[0] * all.blocks / widest.blocks >= kFewest)
      plan.group = widest.blocks, plan.task_rows = all.rows;
  }
  if (plan.task_rows == 1) ChooseTask(graph, nodes, e, threads, plan);
  plan.tile = TileFor({plan.task_rows, all.columns, plan.group}, all, e, cold, registers);
  return plan;
}

int64_t TasksOf(const Graph& graph, std::span<const NodeId> nodes, const KernelPlan& plan) {
  const Shape& made = graph.shape(graph.nodes()[nodes.back()].output);
  if (const auto* p = std::get_if<BlockPlan>(&plan)) {
    const Tile all = TilesOfResult(graph, nodes);
    return made[0] * (all.blocks / p->group) * (all.rows / p->task_rows);
  }
  if (const auto* p = std::get_if<RowPlan>(&plan)) {
    const Tile all = MatrixOfResult(graph, nodes);
    return Elements(made) / (all.columns * made.back()) * (all.columns / p->rows) *
           (all.blocks / p->blocks);
  }
  if (const auto* p = std::get_if<WinogradPlan>(&plan))
    return made[0] * p->parts * (WinogradTiles(graph, graph.nodes()[nodes.front()]).rows / p->rows);
  return 1;
}

}  // namespace vta::compiler::targets
