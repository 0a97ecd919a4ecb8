#include "compiler/targets/cpu/schedule.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/epilogue.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/targets/cpu/layout.h"
#include "compiler/targets/cpu/padding.h"
#include "compiler/targets/cpu/parts.h"
#include "compiler/targets/cpu/winograd.h"

namespace vta::compiler::targets {

using loop::Expr;

namespace {

/// The loop of a tensor's axis, if it is still there: loops of one iteration go.
bool HasLoop(const loop::Schedule& s, const std::string& block, const std::string& name) {
  const std::vector<std::string> loops = s.Loops(block);
  return std::find(loops.begin(), loops.end(), name) != loops.end();
}

int64_t ExtentOf(const loop::Schedule& s, const std::string& block, const std::string& name) {
  return ExtentOfLoop(loop::FindSite(s.function(), block).loops, name);
}

/// Makes one loop of the named ones that stand one in the other; and tasks of that, where all that
/// the function does is inside.
loop::Var FuseRows(loop::Schedule& s, const std::string& block,
                   const std::vector<std::string>& loops) {
  std::string all = loops[0];
  for (size_t i = 1; i < loops.size(); ++i) all = s.Do("fuse", block, all, loops[i])[0];
  const loop::Stmt outermost = loop::FindSite(s.function(), block).loops[0];
  if (loop::Sites(outermost).size() == loop::Sites(s.function().body).size())
    s.Do("parallel", block, all);
  return loop::As<loop::For>(outermost)->var;
}

/// Into how many parts of equal size threads divide rows.
int64_t PartsOfRows(int64_t rows) {
  int64_t parts = std::min(kSomeThreads, rows);
  while (rows % parts != 0) --parts;
  return parts;
}

/// Tasks of rows of blocks in parts of the rows, the blocks of a part one after the other: threads
/// that take tasks side by side make rows of their own, and find most of the next step's input
/// where they left it.
struct RowTasks {
  RowTasks(int64_t all_rows, int64_t all_blocks)
      : rows(all_rows), blocks(all_blocks), parts(PartsOfRows(all_rows)) {}

  /// One loop of those of samples, blocks and rows.
  Expr Fuse(loop::Schedule& s, const std::string& n, const std::string& b,
            const std::string& h) const {
    const auto part = s.Do("split", "out", h, rows / parts);
    std::vector<std::string> loops{n, part[0], b, part[1]};
    loop::Step order{"reorder", {"out"}};
    order.args.insert(order.args.end(), loops.begin(), loops.end());
    s.Apply(order);
    return FuseRows(s, "out", loops);
  }
  Expr Sample(const Expr& task) const { return FloorDiv(task, Expr(rows * blocks)); }
  Expr Block(const Expr& task) const {
    return FloorMod(FloorDiv(task, Expr(rows / parts)), Expr(blocks));
  }
  Expr Row(const Expr& task) const {
    const Expr part = FloorMod(FloorDiv(task, Expr(rows / parts * blocks)), Expr(parts));
    return part * (rows / parts) + FloorMod(task, Expr(rows / parts));
  }

  int64_t rows, blocks, parts;
};

/// The sums of a tile, in registers: the loops that are left of the reduction, of whose last so
/// many steps are written out, then `tile`, which is written out, then lanes.
void Accumulate(loop::Schedule& s, const Sums& sums, const std::vector<std::string>& tile,
                int64_t unrolled) {
  std::vector<std::string> order = sums.reduce, inside;
  if (!sums.dot.empty()) inside = {order.back()}, order.pop_back();
  const auto absent = [&](const std::string& loop) { return !HasLoop(s, "sums", loop); };
  std::erase_if(order, absent);
  std::string steps;
  if (unrolled > 1) {
    while (ExtentOf(s, "sums", order.back()) == 1) order.pop_back();
    const std::vector<std::string> parts = s.Do("split", "sums", order.back(), unrolled);
    order.back() = parts[0], steps = parts[1];
    order.push_back(steps);
  }
  order.insert(order.end(), tile.begin(), tile.end());
  order.push_back("o");
  order.insert(order.end(), inside.begin(), inside.end());
  std::erase_if(order, absent);
  loop::Step reorder{"reorder", {"sums"}};
  reorder.args.insert(reorder.args.end(), order.begin(), order.end());
  s.Apply(reorder);
  if (!sums.dot.empty()) s.Do("tensorize", "sums", "o", sums.dot);
  // One call may be the whole sum: it then starts nowhere else.
  const bool starts = loop::FindSite(s.function(), "sums").block->init != nullptr;
  if (!steps.empty()) s.Do("unroll", "sums", steps);
  if (starts) s.Do("decompose_reduction", "sums", order[0]);
  for (const char* block : {"sums", "sums_init"}) {
    if (block == std::string("sums_init") && !starts) continue;
    for (const std::string& loop : tile)
      if (HasLoop(s, block, loop)) s.Do("unroll", block, loop);
    if (HasLoop(s, block, "o")) s.Do("vectorize", block, "o");
  }
}

/// Writes loops out, and makes the last of these lanes of vectors.
void WriteOut(loop::Schedule& s, const std::string& block, const std::vector<std::string>& loops) {
  for (size_t i = 0; i + 1 < loops.size(); ++i) s.Do("unroll", block, loops[i]);
  s.Do("vectorize", block, loops.back());
}

/// Tiles of a result in blocks. In a tile columns stand around blocks: an input is used up at once,
/// and only the blocks' weights stay.
loop::Function InBlocks(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                        loop::Schedule s, const BlockPlan& plan) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const Tile all = TilesOfResult(graph, nodes), &tile = plan.tile;
  s.Do("split", "out", "b", plan.group);
  s.Do("split", "out", "bi", tile.blocks);
  s.Do("split", "out", "h", plan.task_rows);
  s.Do("split", "out", "hi", tile.rows);
  s.Do("split", "out", "w", tile.columns);
  std::vector<std::string> lanes{"o"};
  if (e.sums.lanes < kLanes) lanes = s.Do("split", "out", "o", e.sums.lanes);
  std::vector<std::string> tiles{"hio", "wo"};
  tiles.insert(plan.blocks_inside ? tiles.end() : tiles.begin(), "bio");
  loop::Step reorder{"reorder", {"out", "n", "bo", "ho"}};
  reorder.args.insert(reorder.args.end(), tiles.begin(), tiles.end());
  for (const char* loop : {"hii", "wi", "bii"}) reorder.args.push_back(loop);
  reorder.args.insert(reorder.args.end(), lanes.begin(), lanes.end());
  s.Apply(reorder);
  s.Do("compute_at", "sums", "out", tiles.back());
  Accumulate(s, e.sums, {"h", "w", "b"}, plan.unrolled);
  for (const char* loop : {"hii", "wi", "bii"}) s.Do("unroll", "out", loop);
  WriteOut(s, "out", lanes);
  const RowTasks tasks(all.rows / plan.task_rows, all.blocks / plan.group);
  const Expr task = tasks.Fuse(s, "n", "bo", "ho");
  return AddPadding(s.function(), *made.storage,
                    {.n = tasks.Sample(task),
                     .first = tasks.Block(task) * plan.group,
                     .blocks = plan.group,
                     .h = tasks.Row(task) * plan.task_rows,
                     .rows = plan.task_rows});
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

/// Tiles of 4 x 4 outputs. A task transforms the input of its tiles; then, for some blocks of
/// channels after the other, it sums products up and transforms them back.
loop::Function InWinograd(const Graph& graph, std::span<const NodeId> nodes, loop::Schedule s,
                          const WinogradPlan& plan) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  // Rows and columns of a tile are a dilation apart, tiles of such rows beside each other.
  const std::vector<int64_t>& dilations = graph.nodes()[nodes.front()].Ints("dilations");
  const auto split = [&](const std::string& axis, int64_t dilation) {
    std::vector<std::string> parts = s.Do("split", "out", axis, kWinogradTile * dilation);
    if (dilation == 1) return parts;
    const std::vector<std::string> inner = s.Do("split", "out", parts[1], dilation);
    return std::vector<std::string>{parts[0], inner[0], inner[1]};
  };
  const std::vector<std::string> h = split("h", dilations[0]), w = split("w", dilations[1]);
  const std::vector<std::string> tasks = s.Do("split", "out", h[0], plan.rows / dilations[0]);
  const int64_t blocks = made.stored().shape[1], part_blocks = blocks / plan.parts;
  s.Do("split", "out", "b", part_blocks);
  s.Do("split", "out", "bi", plan.blocks);
  std::vector<std::string> order{"n", tasks[0], "bo", "bio", tasks[1]};
  order.insert(order.end(), h.begin() + 2, h.end());
  order.push_back(w[0]);
  order.insert(order.end(), w.begin() + 2, w.end());
  order.insert(order.end(), {"bii", h[1], w[1], "o"});
  Order(s, "out", order);
  WriteOut(s, "out", {h[1], w[1], "o"});
  s.Do("compute_at", "lines", "out", "bii");  // x y n b h w o
  const std::vector<std::string> lines = InnerLoops(s, "lines", 7);
  WriteOut(s, "lines", {lines[0], lines[1], lines[6]});

  s.Do("cache_write", "sums", "local");
  const std::string copy = "sums_copy";
  s.Do("compute_at", copy, "out", "bio");
  const std::vector<std::string> all = InnerLoops(s, copy, 7);  // x y n b h w o
  const auto b = s.Do("split", copy, all[3], plan.tile.blocks);
  const auto rows_of = s.Do("split", copy, all[4], plan.tile.rows);
  const auto columns_of = s.Do("split", copy, all[5], plan.tile.columns);
  std::vector<std::string> around{rows_of[0], columns_of[0]};
  around.insert(plan.blocks_inside ? around.end() : around.begin(), b[0]);
  Order(s, copy,
        {all[0], all[1], all[2], around[0], around[1], around[2], rows_of[1], columns_of[1], b[1],
         all[6]});
  WriteOut(s, copy, {rows_of[1], columns_of[1], b[1], all[6]});
  s.Do("compute_at", "sums", copy, around.back());
  const std::vector<std::string> sums = InnerLoops(s, "sums", 9);  // x y n b h w o c i
  std::vector<std::string> steps{sums[7], sums[8], sums[4], sums[5], sums[3], sums[6]};
  if (plan.unrolled > 1) {
    const auto parts = s.Do("split", "sums", sums[8], plan.unrolled);
    steps[1] = parts[0];
    steps.insert(steps.begin() + 2, parts[1]);
  }
  Order(s, "sums", steps);
  if (plan.unrolled > 1) s.Do("unroll", "sums", steps[2]);
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
  const Expr task = FuseRows(s, "out", {"n", tasks[0], "bo"}), parts(plan.parts);
  const Expr group = FloorMod(FloorDiv(task, parts), Expr(groups));
  return AddPadding(s.function(), *made.storage,
                    {.n = FloorDiv(FloorDiv(task, parts), Expr(groups)),
                     .first = FloorMod(task, parts) * part_blocks,
                     .blocks = part_blocks,
                     .h = group * (plan.rows * kWinogradTile),
                     .rows = groups == 1 ? made.type.shape[2] : plan.rows * kWinogradTile});
}

/// Tiles of matrices that lie row by row. What a task packs of the right side serves all rows.
loop::Function InRows(const StepExpression& e, loop::Schedule s, const RowPlan& plan) {
  std::vector<std::string> tasks = s.Loops("out");
  const std::string rows = tasks[tasks.size() - 2], columns = tasks.back();
  tasks.resize(tasks.size() - 2);
  const int64_t wide =
      loop::As<loop::For>(loop::FindSite(s.function(), "out").loops.back())->extent;
  const auto part = s.Do("split", "out", rows, plan.rows);
  const auto row = s.Do("split", "out", part[1], plan.tile_rows);
  const auto blocks = s.Do("split", "out", columns, std::min(kLanes * plan.blocks, wide));
  const auto block = s.Do("split", "out", blocks[1], std::min(kLanes * plan.tile_blocks, wide));
  const auto lane = s.Do("split", "out", block[1], kLanes);
  tasks.insert(tasks.end(), {blocks[0], part[0]});
  std::vector<std::string> order = tasks;
  order.insert(order.end(), {block[0], row[0], row[1], lane[0], lane[1]});
  Order(s, "out", order);
  s.Do("compute_at", "sums", "out", row[0]);
  const std::vector<loop::Site> sites = loop::Sites(s.function().body);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(sites, [&](const auto& at) { return at.block->name == name; });
  };
  if (has(kBiasedRows)) s.Do("compute_at", std::string(kBiasedRows), "out", part[0]);
  if (has(kPackedSide)) {
    s.Do("compute_at", std::string(kPackedSide), "out", blocks[0]);
    s.Do("vectorize", std::string(kPackedSide), "o");
    tasks.pop_back();
  }
  Accumulate(s, e.sums, {"i", "b"}, plan.unrolled);
  WriteOut(s, "out", {row[1], lane[0], lane[1]});
  FuseRows(s, "out", tasks);
  // Whole tiles ask of no row whether it is there.
  const int64_t whole = plan.rows / plan.tile_rows;
  return plan.rows % plan.tile_rows == 0 ? s.function()
                                         : InParts(s.function(), "out", row[0], {whole});
}

/// Lines along the last axis, each a task with all that it needs.
loop::Function InLines(const Lines& lines, loop::Schedule s) {
  std::vector<std::string> tasks = s.Loops("out");
  tasks.resize(lines.dimensions);
  for (const std::string& block : lines.of_a_line) s.Do("compute_at", block, "out", tasks.back());
  for (const std::string& block : lines.in_lanes) {
    const std::vector<std::string> loops = InnerLoops(s, block, 2);
    Order(s, block, {loops[1], loops[0]});
    s.Do("decompose_reduction", block, loops[1]);
    for (const std::string& half : {block, block + "_init"})
      s.Do("vectorize", half, s.Loops(half).back());
  }
  for (const std::string& block : lines.in_vectors) s.Do("vectorize", block, s.Loops(block).back());
  FuseRows(s, "out", tasks);
  return s.function();
}

/// Columns, so many neighbours a task with all that these need.
loop::Function InColumns(const Lines& lines, loop::Schedule s) {
  constexpr int64_t kWide = 64;
  std::vector<std::string> tasks = s.Loops("out");
  const std::string axis = lines.are_summed ? "" : tasks[*lines.column];
  const int64_t all = loop::As<loop::For>(loop::FindSite(s.function(), "out").loops.back())->extent;
  const int64_t wide = std::min(kWide, all / 2 / kLanes * kLanes);
  const std::vector<std::string> parts = s.Do("split", "out", tasks.back(), wide);
  tasks.back() = parts[0];
  std::erase(tasks, axis);
  std::erase_if(tasks, [&](const std::string& loop) { return !HasLoop(s, "out", loop); });
  loop::Step reorder{"reorder", {"out"}};
  reorder.args.insert(reorder.args.end(), tasks.begin(), tasks.end());
  if (!axis.empty()) reorder.args.push_back(axis);
  reorder.args.push_back(parts[1]);
  s.Apply(reorder);
  for (const std::string& block : lines.of_a_line) s.Do("compute_at", block, "out", tasks.back());
  for (const std::string& block : lines.of_a_line) {
    const bool reduces = std::ranges::count(lines.in_lanes, block) > 0;
    const std::vector<std::string> loops = InnerLoops(s, block, reduces ? 2 : 1);
    const std::vector<std::string> lanes = s.Do("split", block, loops[0], kLanes);
    if (!reduces) {
      s.Do("vectorize", block, lanes[1]);
      continue;
    }
    if (HasLoop(s, block, lanes[0]))
      Order(s, block, {lanes[0], loops[1], lanes[1]});
    else
      Order(s, block, {loops[1], lanes[1]});
    s.Do("decompose_reduction", block, loops[1]);
    for (const std::string& half : {block, block + "_init"})
      s.Do("vectorize", half, s.Loops(half).back());
  }
  s.Do("vectorize", "out", s.Do("split", "out", parts[1], kLanes)[1]);
  FuseRows(s, "out", tasks);
  return s.function();
}

/// Taps in an accelerator's blocks: rows are tasks, each of which lays out the lines that it reads;
/// what is stored at a place comes from known distances, for the most part in order.
loop::Function InTaps(const Graph& graph, const Node& im2col, loop::Schedule s) {
  s.Do("reorder", "out", "i0", "i2", "i1", "i3", "i4", "i5");
  s.Do("compute_at", "lines", "out", "i2");
  s.Do("unroll", "lines", "c");
  FuseRows(s, "out", {"i0", "i2"});
  for (const char* loop : {"i1", "i4", "i5"}) s.Do("unroll", "out", loop);
  const int64_t left = im2col.Ints("pads")[1];
  return InParts(s.function(), "lines", "w", {left, left + graph.shape(im2col.inputs[0])[3]});
}

/// Results whose lanes are partial sums: some columns at a time, so that a weight serves them all.
loop::Function InLanes(const Graph& graph, std::span<const NodeId> nodes, loop::Schedule s) {
  constexpr int64_t kColumns = 4;
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const int64_t rows = made.type.shape[2], blocks = made.stored().shape[1];
  const auto w = s.Do("split", "out", "w", std::min(kColumns, made.type.shape[3]));
  s.Do("compute_at", "sums", "out", w[0]);
  s.Do("compute_at", "lanes", "out", w[0]);
  const std::vector<std::string> all = InnerLoops(s, "lanes", 5);  // w o c p q
  Order(s, "lanes", {all[2], all[3], all[4], all[0], all[1]});
  s.Do("decompose_reduction", "lanes", all[2]);
  for (const char* block : {"lanes", "lanes_init"}) WriteOut(s, block, InnerLoops(s, block, 2));
  for (const std::string& loop : InnerLoops(s, "sums", 2)) s.Do("unroll", "sums", loop);
  s.Do("unroll", "out", w[1]);
  const Expr task = FuseRows(s, "out", {"n", "b", "h"});
  return AddPadding(
      s.function(), *made.storage,
      {FloorDiv(FloorDiv(task, Expr(rows)), Expr(blocks)),
       FloorMod(FloorDiv(task, Expr(rows)), Expr(blocks)), 1, FloorMod(task, Expr(rows)), 1});
}

/// The extent of a block's loop.
int64_t ExtentOf(const loop::Schedule& s, const std::string& block, size_t loop) {
  return loop::As<loop::For>(loop::FindSite(s.function(), block).loops.at(loop))->extent;
}

/// The axis of a transposition's result along which the elements of its operand lie side by side.
size_t AxisAcross(const Node& transpose) {
  const std::vector<int64_t>& perm = transpose.Ints("perm");
  return static_cast<size_t>(std::ranges::find(perm, std::ssize(perm) - 1) - perm.begin());
}

/// A line of memory that has as few channels as these is read once for all of them.
constexpr int64_t kFewChannels = 4;

/// Values side by side, in a loop of each: where none asks which one it is in.
loop::Function ByParts(const Graph& graph, const Node& concat, loop::Schedule s) {
  std::string block = loop::Sites(s.function().body).at(0).block->name;
  const auto axis = static_cast<size_t>(concat.Int("axis"));
  for (size_t i = 0; i + 1 < concat.inputs.size(); ++i)
    block = s.Do("partition", block, s.Loops(block)[axis], graph.shape(concat.inputs[i])[axis])[0];
  return s.function();
}

/// What lies row by row and is computed element by element: tiles where the last axis of a
/// transposed operand is not that of the result, so that lines of memory are used up, or its few
/// elements side by side; and tasks where there is enough for several threads.
loop::Function ByElements(const Node& first, size_t dimensions, loop::Schedule s) {
  constexpr int64_t kTile = 16, kLeastElements = 8 * 1024, kTasks = 64, kElementsOfTask = 512;
  const std::vector<loop::Site> sites = loop::Sites(s.function().body);
  if (sites.size() != 1 || s.Loops(sites[0].block->name).size() != dimensions) return s.function();
  const std::string block = sites[0].block->name;
  std::vector<std::string> loops = s.Loops(block);
  int64_t elements = 1;
  for (size_t d = 0; d < dimensions; ++d) elements *= ExtentOf(s, block, d);
  if (first.op == Op::kTranspose) {
    const size_t across = AxisAcross(first);
    if (across + 1 < dimensions && ExtentOf(s, block, across) > kTile &&
        ExtentOf(s, block, dimensions - 1) > kTile) {
      const auto rows = s.Do("split", block, loops[across], kTile);
      const auto columns = s.Do("split", block, loops.back(), kTile);
      loops[across] = rows[0], loops.back() = columns[0];
      loops.insert(loops.end(), {rows[1], columns[1]});
      Order(s, block, loops);
      loops.resize(dimensions);
    } else if (across + 1 < dimensions && ExtentOf(s, block, across) <= kFewChannels &&
               ExtentOf(s, block, dimensions - 1) >= kTile) {
      std::rotate(loops.begin() + static_cast<int64_t>(across),
                  loops.begin() + static_cast<int64_t>(across) + 1, loops.end());
      Order(s, block, loops);
      s.Do("unroll", block, loops.back());
      loops.resize(dimensions - 2);
    }
  }
  if (elements < kLeastElements) return s.function();
  if (dimensions == 1) loops = s.Do("split", block, loops[0], kElementsOfTask);
  const bool in_rows = loops.size() == 4 && s.Loops(block).size() == 4 &&
                       ExtentOf(s, block, 1) > 1 && ExtentOf(s, block, 3) >= kTile;
  if (in_rows) {  // as RowTasks
    const int64_t rows = ExtentOf(s, block, 2);
    const auto parts = s.Do("split", block, loops[2], rows / PartsOfRows(rows));
    loops = {loops[0], parts[0], loops[1], parts[1], loops[3]};
    Order(s, block, loops);
  }
  std::vector<std::string> tasks;
  int64_t count = 1;
  for (size_t d = 0; d < loops.size() && (count < kTasks || tasks.empty() || in_rows); ++d) {
    if (d + 1 == s.Loops(block).size()) break;  // the innermost is for vectors
    count *= ExtentOf(s, block, d);
    tasks.push_back(loops[d]);
  }
  if (!tasks.empty()) FuseRows(s, block, tasks);
  return s.function();
}

/// An expression without sums.
loop::Function Elementwise(const Graph& graph, std::span<const NodeId> nodes, loop::Schedule s) {
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const Node& first = graph.nodes()[nodes.front()];
  if (first.op == Op::kIm2Col && nodes.size() > 1) return InTaps(graph, first, std::move(s));
  if (!made.storage) {
    if (const NodeId concat = JoinOfFew(graph, nodes); concat != kNone)
      return ByParts(graph, graph.nodes()[concat], std::move(s));
    return ByElements(first, made.type.shape.size(), std::move(s));
  }
  // Small blocks are no lanes: a row's columns are.
  const int64_t rows = made.type.shape[2], blocks = made.stored().shape[1];
  const bool small = made.storage->channels < kLanes;
  if (small && first.op == Op::kTranspose && AxisAcross(first) == 1 &&
      made.type.shape[1] <= kFewChannels) {
    Order(s, "out", {"n", "h", "w", "b", "o"});
    for (const char* channels : {"b", "o"}) s.Do("unroll", "out", channels);
    const Expr task = FuseRows(s, "out", {"n", "h"});
    return AddPadding(s.function(), *made.storage,
                      {FloorDiv(task, Expr(rows)), Expr(0), blocks, FloorMod(task, Expr(rows)), 1});
  }
  if (small) s.Do("reorder", "out", "o", "w");
  if (small) s.Do("unroll", "out", "o");
  const int64_t lanes = LanesOfParts(graph, first);
  if (!small && lanes >= kFewestLanes && lanes < kLanes)
    WriteOut(s, "out", s.Do("split", "out", "o", lanes));
  else
    s.Do("vectorize", "out", small ? "w" : "o");
  const RowTasks tasks(rows, blocks);
  const Expr task = tasks.Fuse(s, "n", "b", "h");
  return AddPadding(s.function(), *made.storage,
                    {tasks.Sample(task), tasks.Block(task), 1, tasks.Row(task), 1});
}

}  // namespace

loop::Function Scheduled(const Graph& graph, std::span<const NodeId> nodes, const StepExpression& e,
                         const KernelPlan& plan, std::shared_ptr<loop::StepMemo> memo) {
  // What code is made of is verified where that is done.
  loop::Schedule s(e.function, DotIntrinsics(), loop::Verified::kNever, std::move(memo));
  if (const auto* blocks = std::get_if<BlockPlan>(&plan))
    return InBlocks(graph, nodes, e, std::move(s), *blocks);
  if (const auto* rows = std::get_if<RowPlan>(&plan)) return InRows(e, std::move(s), *rows);
  if (const auto* winograd = std::get_if<WinogradPlan>(&plan))
    return InWinograd(graph, nodes, std::move(s), *winograd);
  if (e.sums.narrow) return InLanes(graph, nodes, std::move(s));
  if (e.lines.column) return InColumns(e.lines, std::move(s));
  if (!e.lines.of_a_line.empty()) return InLines(e.lines, std::move(s));
  return Elementwise(graph, nodes, std::move(s));
}

}  // namespace vta::compiler::targets
