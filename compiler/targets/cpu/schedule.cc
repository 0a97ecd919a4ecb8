#include "compiler/targets/cpu/schedule.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/targets/cpu/keep.h"
#include "compiler/targets/cpu/parts.h"
#include "compiler/targets/cpu/surround.h"
#include "compiler/targets/cpu/winograd.h"

namespace vta::compiler::targets {

using loop::Expr;

namespace {

/// The loop of a tensor's axis, if it is still there: loops of one iteration go.
bool HasLoop(const loop::Schedule& s, const std::string& block, const std::string& name) {
  const std::vector<std::string> loops = s.Loops(block);
  return std::find(loops.begin(), loops.end(), name) != loops.end();
}

/// Makes one loop of the named ones that stand one in the other; and tasks of that, where all that
/// the function does is inside.
loop::Var FuseRows(loop::Schedule& s, const std::vector<std::string>& loops) {
  std::string all = loops[0];
  for (size_t i = 1; i < loops.size(); ++i) all = s.Do("fuse", "out", all, loops[i])[0];
  const loop::Stmt outermost = loop::FindSite(s.function(), "out").loops[0];
  if (loop::Sites(outermost).size() == loop::Sites(s.function().body).size())
    s.Do("parallel", "out", all);
  return loop::As<loop::For>(outermost)->var;
}

/// The sums of a tile, in registers: the loops that are left of the reduction, then `tile`, which
/// is written out, then lanes.
void Accumulate(loop::Schedule& s, const Sums& sums, const std::vector<std::string>& tile) {
  std::vector<std::string> order = sums.reduce;
  order.insert(order.end(), tile.begin(), tile.end());
  order.push_back("o");
  if (!sums.dot.empty())
    std::rotate(order.begin() + std::ssize(sums.reduce) - 1,
                order.begin() + std::ssize(sums.reduce), order.end());
  std::erase_if(order, [&](const std::string& loop) { return !HasLoop(s, "sums", loop); });
  loop::Step reorder{"reorder", {"sums"}};
  reorder.args.insert(reorder.args.end(), order.begin(), order.end());
  s.Apply(reorder);
  if (!sums.dot.empty()) s.Do("tensorize", "sums", "o", sums.dot);
  // One call may be the whole sum: it then starts nowhere else.
  const bool starts = loop::FindSite(s.function(), "sums").block->init != nullptr;
  if (starts) s.Do("decompose_reduction", "sums", order[0]);
  for (const char* block : {"sums", "sums_init"}) {
    if (block == std::string("sums_init") && !starts) continue;
    for (const std::string& loop : tile)
      if (HasLoop(s, block, loop)) s.Do("unroll", block, loop);
    if (HasLoop(s, block, "o")) s.Do("vectorize", block, "o");
  }
}

/// Tiles of a result in blocks. Columns stand around blocks: an input is used up at once, and only
/// the blocks' weights stay.
loop::Function InBlocks(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                        loop::Schedule s, const BlockPlan& tasks) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const Tile all = TilesOfResult(graph, nodes), &tile = tasks.tile;
  s.Do("split", "out", "b", tasks.group);
  s.Do("split", "out", "bi", tile.blocks);
  s.Do("split", "out", "h", tile.rows);
  s.Do("split", "out", "w", tile.columns);
  std::vector<std::string> outer{"n", "bo"};
  if (tasks.by_rows) outer.push_back("ho");
  loop::Step reorder{"reorder", {"out"}};
  for (const std::string& loop : outer) reorder.args.push_back(loop);
  reorder.args.push_back("bio");
  if (!tasks.by_rows) reorder.args.push_back("ho");
  for (const char* loop : {"wo", "hi", "wi", "bii", "o"}) reorder.args.push_back(loop);
  s.Apply(reorder);
  s.Do("compute_at", "sums", "out", "wo");
  Accumulate(s, e.sums, {"h", "w", "b"});
  for (const char* loop : {"hi", "wi", "bii"}) s.Do("unroll", "out", loop);
  s.Do("vectorize", "out", "o");
  const Expr task = FuseRows(s, outer), groups(all.blocks / tasks.group), rows(all.rows);
  RowsOfBlocks part{.n = FloorDiv(task, groups),
                    .first = FloorMod(task, groups) * tasks.group,
                    .blocks = tasks.group,
                    .h = 0,
                    .rows = all.rows};
  if (tasks.by_rows)
    part = {.n = FloorDiv(FloorDiv(task, rows), groups),
            .first = FloorMod(FloorDiv(task, rows), groups) * tasks.group,
            .blocks = tasks.group,
            .h = FloorMod(task, rows),
            .rows = 1};
  return Surround(s.function(), *made.storage, part);
}

/// The innermost loops of a block, as many as its buffer and its reductions have dimensions.
std::vector<std::string> InnerLoops(const loop::Schedule& s, const std::string& block,
                                    size_t count) {
  const std::vector<std::string> loops = s.Loops(block);
  return {loops.end() - static_cast<int64_t>(count), loops.end()};
}

void Order(loop::Schedule& s, const std::string& block, const std::vector<std::string>& loops) {
  loop::Step reorder{"reorder", {block}};
  reorder.args.insert(reorder.args.end(), loops.begin(), loops.end());
  s.Apply(reorder);
}

/// Writes loops out, and makes the last of these lanes of vectors.
void WriteOut(loop::Schedule& s, const std::string& block, const std::vector<std::string>& loops) {
  for (size_t i = 0; i + 1 < loops.size(); ++i) s.Do("unroll", block, loops[i]);
  s.Do("vectorize", block, loops.back());
}

/// Tiles of 4 x 4 outputs. A task transforms the input of its tiles; then, for some blocks of
/// channels after the other, it sums products up and transforms them back.
loop::Function InWinograd(const Graph& graph, std::span<const NodeId> nodes, loop::Schedule s,
                          const WinogradPlan& plan) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  s.Do("split", "out", "h", kWinogradTile);
  s.Do("split", "out", "w", kWinogradTile);
  s.Do("split", "out", "ho", plan.rows);
  const int64_t blocks = made.stored().shape[1], part_blocks = blocks / plan.parts;
  s.Do("split", "out", "b", part_blocks);
  s.Do("split", "out", "bi", plan.blocks);
  Order(s, "out", {"n", "hoo", "bo", "bio", "hoi", "wo", "bii", "hi", "wi", "o"});
  WriteOut(s, "out", {"hi", "wi", "o"});
  s.Do("compute_at", "lines", "out", "bii");  // x y n b h w o
  const std::vector<std::string> lines = InnerLoops(s, "lines", 7);
  WriteOut(s, "lines", {lines[0], lines[1], lines[6]});

  s.Do("cache_write", "sums", "local");
  const std::string copy = "sums_copy";
  s.Do("compute_at", copy, "out", "bio");
  const std::vector<std::string> all = InnerLoops(s, copy, 7);  // x y n b h w o
  const auto b = s.Do("split", copy, all[3], plan.tile.blocks);
  const auto h = s.Do("split", copy, all[4], plan.tile.rows);
  const auto w = s.Do("split", copy, all[5], plan.tile.columns);
  Order(s, copy, {all[0], all[1], all[2], b[0], h[0], w[0], h[1], w[1], b[1], all[6]});
  WriteOut(s, copy, {h[1], w[1], b[1], all[6]});
  s.Do("compute_at", "sums", copy, w[0]);
  const std::vector<std::string> sums = InnerLoops(s, "sums", 9);  // x y n b h w o c i
  Order(s, "sums", {sums[7], sums[8], sums[4], sums[5], sums[3], sums[6]});
  s.Do("decompose_reduction", "sums", sums[7]);
  for (const char* block : {"sums", "sums_init"}) WriteOut(s, block, InnerLoops(s, block, 4));

  s.Do("compute_at", "v", "out", "bo");
  const std::vector<std::string> v = InnerLoops(s, "v", 7);  // x y n c h w l
  Order(s, "v", {v[2], v[3], v[4], v[5], v[0], v[1], v[6]});
  s.Do("compute_at", "rows", "v", v[5]);
  WriteOut(s, "v", {v[0], v[1], v[6]});
  const std::vector<std::string> rows = InnerLoops(s, "rows", 7);
  WriteOut(s, "rows", {rows[0], rows[1], rows[6]});

  const int64_t groups = (made.type.shape[2] - 1) / (plan.rows * kWinogradTile) + 1;
  const Expr task = FuseRows(s, {"n", "hoo", "bo"}), parts(plan.parts);
  const Expr rows_of = FloorMod(FloorDiv(task, parts), Expr(groups));
  return Surround(s.function(), *made.storage,
                  {.n = FloorDiv(FloorDiv(task, parts), Expr(groups)),
                   .first = FloorMod(task, parts) * part_blocks,
                   .blocks = part_blocks,
                   .h = rows_of * (plan.rows * kWinogradTile),
                   .rows = groups == 1 ? made.type.shape[2] : plan.rows * kWinogradTile});
}

/// Tiles of a matrix that lies row by row.
loop::Function InRows(const StepExpression& e, loop::Schedule s, const RowPlan& plan) {
  s.Do("split", "out", "i1", kLanes);
  s.Do("split", "out", "i0", plan.rows);
  s.Do("reorder", "out", "i1o", "i0o", "i0i", "i1i");
  s.Do("compute_at", "sums", "out", "i0o");
  Accumulate(s, e.sums, {"i"});
  s.Do("unroll", "out", "i0i");
  s.Do("vectorize", "out", "i1i");
  s.Do("parallel", "out", "i1o");
  return s.function();
}

/// Taps in an accelerator's blocks: rows are tasks, each of which lays out the lines that it reads;
/// what is stored at a place comes from known distances, for the most part in order.
loop::Function InTaps(const Graph& graph, const Node& im2col, loop::Schedule s) {
  s.Do("reorder", "out", "i0", "i2", "i1", "i3", "i4", "i5");
  s.Do("compute_at", "lines", "out", "i2");
  s.Do("unroll", "lines", "c");
  FuseRows(s, {"i0", "i2"});
  for (const char* loop : {"i1", "i4", "i5"}) s.Do("unroll", "out", loop);
  const int64_t left = im2col.Ints("pads")[1];
  return InParts(s.function(), "lines", "w", {left, left + graph.shape(im2col.inputs[0])[3]});
}

/// An expression without sums.
loop::Function Elementwise(const Graph& graph, std::span<const NodeId> nodes, loop::Schedule s) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const Node& first = graph.nodes()[nodes.front()];
  if (first.op == Op::kIm2Col && nodes.size() > 1) return InTaps(graph, first, std::move(s));
  if (!made.storage) return s.function();
  // Small blocks are no lanes: a row's columns are.
  const bool small = made.storage->channels < kLanes;
  if (small) s.Do("reorder", "out", "o", "w");
  if (small) s.Do("unroll", "out", "o");
  s.Do("vectorize", "out", small ? "w" : "o");
  const Expr task = FuseRows(s, {"n", "b", "h"});
  const Expr rows(made.type.shape[2]), blocks(made.stored().shape[1]);
  return Surround(s.function(), *made.storage,
                  {FloorDiv(FloorDiv(task, rows), blocks), FloorMod(FloorDiv(task, rows), blocks),
                   1, FloorMod(task, rows), 1});
}

}  // namespace

Tile TilesOfResult(const Graph& graph, std::span<const NodeId> nodes) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  return {made.type.shape[2], made.type.shape[3], made.stored().shape[1]};
}

bool IsCold(const Graph& graph, const Node& head) {
  constexpr int64_t kCacheBytes = 512 * 1024;
  return head.inputs.size() > 1 && graph.type(head.inputs[1]).bytes() > kCacheBytes &&
         graph.value(head.inputs[0]).stored().bytes() <= kCacheBytes;
}

KernelPlan ChoosePlan(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                      const Registers& registers) {
  constexpr int64_t kFewest = 16;
  if (e.sums.reduce.empty()) return {};
  const Node& head = graph.nodes()[nodes.front()];
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  if (e.sums.winograd) return PlanOfWinograd(graph, head, registers);
  if (!made.storage)
    return RowPlan{ChooseTile({1, made.type.shape[0], 1}, false, registers).columns};
  // Tasks are a row of some blocks; or, where tiles have several rows, all rows of them, since the
  // last tile has fewer.
  const Tile all = TilesOfResult(graph, nodes);
  BlockPlan plan;
  const bool cold = e.sums.shares && IsCold(graph, head);
  if (e.sums.shares) {
    plan.group = ChooseTile({1, all.columns, all.blocks}, false, kWidest).blocks;
    const Tile widest = ChooseTile(all, cold, kWidest);
    if (cold && widest.rows > 1 && made.type.shape[0] * all.blocks / widest.blocks >= kFewest)
      plan.group = widest.blocks, plan.by_rows = false;
  }
  plan.tile = ChooseTile({plan.by_rows ? 1 : all.rows, all.columns, plan.group}, cold, registers);
  return plan;
}

loop::Function Scheduled(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                         const KernelPlan& plan, std::shared_ptr<loop::StepMemo> memo) {
  // What code is made of is verified where that is done.
  loop::Schedule s(e.function, DotIntrinsics(), loop::Verified::kNever, std::move(memo));
  if (const auto* blocks = std::get_if<BlockPlan>(&plan))
    return InBlocks(graph, nodes, e, std::move(s), *blocks);
  if (const auto* rows = std::get_if<RowPlan>(&plan)) return InRows(e, std::move(s), *rows);
  if (const auto* winograd = std::get_if<WinogradPlan>(&plan))
    return InWinograd(graph, nodes, std::move(s), *winograd);
  return Elementwise(graph, nodes, std::move(s));
}

}  // namespace vta::compiler::targets
