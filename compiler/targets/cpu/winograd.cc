#include "compiler/targets/cpu/winograd.h"

#include <algorithm>
#include <array>
#include <functional>

#include "compiler/graph/ops.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

template <size_t kRows, size_t kColumns>
using Matrix = std::array<std::array<double, kColumns>, kRows>;

constexpr Matrix<6, 6> kInput = {{{4, 0, -5, 0, 1, 0},
                                  {0, -4, -4, 1, 1, 0},
                                  {0, 4, -4, -1, 1, 0},
                                  {0, -2, -1, 2, 1, 0},
                                  {0, 2, -1, -2, 1, 0},
                                  {0, 4, 0, -5, 0, 1}}};
constexpr Matrix<6, 3> kWeights = {{{1. / 4, 0, 0},
                                    {-1. / 6, -1. / 6, -1. / 6},
                                    {-1. / 6, 1. / 6, -1. / 6},
                                    {1. / 24, 1. / 12, 1. / 6},
                                    {1. / 24, -1. / 12, 1. / 6},
                                    {0, 0, 1}}};
constexpr Matrix<4, 6> kOutput = {
    {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};

/// Of a row of a matrix and as many elements, the sum of products.
template <size_t kColumns>
Expr Combined(const std::array<double, kColumns>& row,
              const std::function<Expr(int64_t)>& element) {
  Expr sum;
  for (size_t i = 0; i < kColumns; ++i) {
    if (row[i] == 0) continue;
    const Expr e = element(static_cast<int64_t>(i));
    const Expr term = std::abs(row[i]) == 1 ? e : e * loop::FloatConst(std::abs(row[i]));
    sum = !sum         ? (row[i] < 0 ? loop::FloatConst(0) - term : term)
          : row[i] < 0 ? sum - term
                       : sum + term;
  }
  return sum;
}

/// The row of a matrix that an index names, which is one of a loop that is written out.
template <size_t kRows, size_t kColumns>
Expr Transformed(const Matrix<kRows, kColumns>& matrix, const Expr& row,
                 const std::function<Expr(int64_t)>& element) {
  Expr chosen = Combined(matrix[kRows - 1], element);
  for (size_t r = kRows - 1; r-- > 0;)
    chosen = Select(Eq(row, Expr(static_cast<int64_t>(r))), Combined(matrix[r], element), chosen);
  return chosen;
}

/// An axis: outputs a dilation apart are tiled together, so that so many tiles lie in one another.
struct Axis {
  int64_t outputs, dilation;

  int64_t covered() const { return kWinogradTile * dilation; }  // by as many tiles
  int64_t groups() const { return (outputs + covered() - 1) / covered(); }
  int64_t tiles() const { return groups() * dilation; }
  int64_t read() const {
    return groups() * covered() + (kWinogradReach - kWinogradTile) * dilation;
  }

  Expr TileOf(const Expr& output) const {
    return FloorDiv(output, Expr(covered())) * dilation + FloorMod(output, Expr(dilation));
  }
  Expr PlaceInTile(const Expr& output) const {
    return FloorMod(FloorDiv(output, Expr(dilation)), Expr(kWinogradTile));
  }
  /// What a tile reads as its element `r`.
  Expr Input(const Expr& tile, const Expr& r) const {
    return FloorDiv(tile, Expr(dilation)) * covered() + FloorMod(tile, Expr(dilation)) +
           r * dilation;
  }
};

Axis AxisOf(const Graph& graph, const Node& node, size_t axis) {
  return {graph.shape(node.output)[2 + axis], node.Ints("dilations")[axis]};
}

/// Weights [O, C, 3, 3] -> [6, 6, O/16, C/16, 16, 16], 0 where there are none.
Tensor TransformedWeights(const Tensor& weights) {
  const int64_t out = weights.shape()[0], in = weights.shape()[1];
  Tensor all({DType::kFloat32, {6, 6, BlocksOf(out), BlocksOf(in), kLanes, kLanes}});
  const std::span<const float> from = weights.data<float>();
  const std::span<float> to = all.mutable_data<float>();
  const Shape strides = Strides(all.shape());
  for (int64_t o = 0; o < out; ++o)
    for (int64_t c = 0; c < in; ++c) {
      const float* const taps = &from[(o * in + c) * 9];
      Matrix<6, 3> half = {};
      for (size_t x = 0; x < 6; ++x)
        for (size_t q = 0; q < 3; ++q)
          for (size_t p = 0; p < 3; ++p) half[x][q] += kWeights[x][p] * taps[p * 3 + q];
      for (size_t x = 0; x < 6; ++x)
        for (size_t y = 0; y < 6; ++y) {
          double sum = 0;
          for (size_t q = 0; q < 3; ++q) sum += half[x][q] * kWeights[y][q];
          to[static_cast<int64_t>(x) * strides[0] + static_cast<int64_t>(y) * strides[1] +
             o / kLanes * strides[2] + c / kLanes * strides[3] + c % kLanes * strides[4] +
             o % kLanes] = static_cast<float>(sum);
        }
    }
  return all;
}

/// What a convolution has.
struct Work {
  Tile tiles;  // rows and columns of tiles, blocks of outputs
  int64_t in_blocks;
  int64_t together;  // rows of tiles that lie in one another
};

Work WorkOf(const Graph& graph, const Node& node) {
  const Shape& out = graph.shape(node.output);
  const Axis rows = AxisOf(graph, node, 0), columns = AxisOf(graph, node, 1);
  return {{rows.tiles(), columns.tiles(), BlocksOf(out[1])},
          BlocksOf(graph.shape(node.inputs[0])[1]),
          rows.dilation};
}

/// What a plan takes of the widest core, which multiplies and adds two vectors in a cycle; memory
/// near it brings 16 bytes, the rest of the cache 8, all else 4.
int64_t CyclesOf(const WinogradPlan& plan, const Work& work) {
  constexpr int64_t kBlock = kLanes * 4, kSums = 36, kIn = 260, kOut = 150;
  constexpr int64_t kNear = 768 << 10, kCache = 16 << 20;
  const auto& [tiles, in_blocks, together] = work;
  const int64_t all = tiles.rows * tiles.columns, tasks = tiles.rows / plan.rows;
  const auto moved = [&](int64_t bytes, int64_t held) {
    return bytes / (held <= kNear ? 16 : held <= kCache ? 8 : 4);
  };
  const int64_t products = kSums * all * in_blocks * kLanes * tiles.blocks;
  const int64_t transforms = all * (in_blocks * kIn * plan.parts + tiles.blocks * kOut);
  const int64_t weights = kSums * in_blocks * kLanes * tiles.blocks * kBlock;
  const int64_t at_once = plan.rows * tiles.columns * kSums * kBlock;
  // A step of the reduction multiplies each of its tile, and loads an input and a weight of each.
  const int64_t outputs = plan.tile.rows * plan.tile.columns, blocks = plan.tile.blocks;
  const int64_t step = std::max({outputs * blocks, outputs + blocks, int64_t{8}}) + 1;
  return products * step / (2 * outputs * blocks) + transforms * 2 / 3 +
         moved(weights * tasks, weights) +
         moved(3 * at_once * tasks * (in_blocks * plan.parts + tiles.blocks),
               at_once * (in_blocks + plan.blocks));
}

}  // namespace

bool IsWinograd(const Graph& graph, const Node& node) {
  const Tensor* const weights = graph.constant(node.inputs[1]);
  const std::vector<int64_t> one = {1, 1};
  if (!weights || weights->dtype() != DType::kFloat32 || node.Int("groups") != 1 ||
      weights->shape()[2] != 3 || weights->shape()[3] != 3 || weights->shape()[1] % kLanes != 0 ||
      weights->shape()[0] < kLanes || node.Ints("strides") != one)
    return false;
  // Planes of less than a tile are not cut into any.
  for (size_t axis = 0; axis < 2; ++axis)
    if (const Axis own = AxisOf(graph, node, axis); own.outputs < own.covered()) return false;
  const Work work = WorkOf(graph, node);
  const int64_t products = graph.shape(node.output)[2] * graph.shape(node.output)[3] * 9 *
                           work.in_blocks * kLanes * work.tiles.blocks;
  return CyclesOf(PlanOfWinograd(graph, node, kWidest), work) < products * 9 / 16;
}

Tile WinogradTiles(const Graph& graph, const Node& node) { return WorkOf(graph, node).tiles; }

bool HasWinograd(const Graph& graph, const Node& node, const WinogradPlan& plan,
                 const Registers& registers) {
  const Work work = WorkOf(graph, node);
  // Tasks make as many rows of tiles each.
  return work.tiles.rows % plan.rows == 0 && plan.rows % work.together == 0 &&
         work.tiles.blocks % (plan.parts * plan.blocks) == 0 &&
         HasTile({plan.rows, work.tiles.columns, plan.blocks}, plan.tile, registers) &&
         (!plan.blocks_inside || HasOrder({plan.rows, work.tiles.columns, plan.blocks}, plan.tile));
}

int64_t WinogradCycles(const Graph& graph, const Node& node, const WinogradPlan& plan) {
  return CyclesOf(plan, WorkOf(graph, node));
}

WinogradPlan PlanOfWinograd(const Graph& graph, const Node& node, const Registers& registers,
                            int64_t threads) {
  const int64_t fewest_tasks = std::min(threads, kSomeThreads);
  const Work work = WorkOf(graph, node);
  const int64_t samples = graph.shape(node.output)[0];
  constexpr int64_t kUnrolled = 4;  // 3 to 10 % quicker than 1 on a Xeon, alike on an EPYC
  WinogradPlan best{};
  int64_t least = INT64_MAX;
  const auto consider = [&](int64_t rows, int64_t parts, int64_t blocks, const Registers& own) {
    const WinogradPlan plan{rows,   parts,
                            blocks, ChooseTile({rows, work.tiles.columns, blocks}, false, own),
                            false,  kUnrolled};
    if (!HasWinograd(graph, node, plan, own)) return;
    const int64_t cycles = CyclesOf(plan, work);
    if (cycles < least) least = cycles, best = plan;
  };
  for (int64_t rows = 1; rows <= work.tiles.rows; ++rows) {
    if (work.tiles.rows % rows != 0) continue;
    // As few parts as give so many tasks, or all that there are.
    int64_t parts = 1;
    while (parts < work.tiles.blocks && (work.tiles.blocks % parts != 0 ||
                                         samples * (work.tiles.rows / rows) * parts < fewest_tasks))
      ++parts;
    for (int64_t blocks = 1; blocks <= kMostTileBlocks; ++blocks)
      consider(rows, parts, blocks, kWidest);
  }
  const WinogradPlan tasks = best;
  best = {}, least = INT64_MAX;
  for (int64_t blocks = 1; blocks <= kMostTileBlocks; ++blocks)
    consider(tasks.rows, tasks.parts, blocks, registers);
  return best;
}

WindowPads WinogradBorder(const Graph& graph, const Node& node) {
  const std::vector<int64_t>& pads = node.Ints("pads");
  const Shape& in = graph.shape(node.inputs[0]);
  const auto behind = [&](size_t axis) {
    return std::max(AxisOf(graph, node, axis).read() - pads[axis] - in[2 + axis], pads[2 + axis]);
  };
  return {{pads[0], pads[1], behind(0), behind(1)}, 0};
}

Sums DefineWinograd(const Graph& graph, const Node& node, Operands& operands) {
  const Shape& out = graph.shape(node.output);
  const std::vector<int64_t>& pads = node.Ints("pads");
  const Storage in = *graph.value(node.inputs[0]).storage;
  const Tensor& weights = *graph.constant(node.inputs[1]);
  const int64_t in_blocks = BlocksOf(weights.shape()[1]);
  const int64_t top = in.border[0] - pads[0], left = in.border[1] - pads[1];
  const te::Tensor x = operands.Stored(node.inputs[0]);
  const te::Tensor u =
      operands.Constant(graph.value(node.inputs[1]).name, TransformedWeights(weights));
  const Axis h = AxisOf(graph, node, 0), w = AxisOf(graph, node, 1);
  const std::vector<te::Axis> tiles = {
      {"n", out[0]}, {"c", in_blocks}, {"h", h.tiles()}, {"w", w.tiles()}, {"l", kLanes}};
  const auto with = [](int64_t x, int64_t y, const std::vector<te::Axis>& axes) {
    std::vector<te::Axis> all = {{"x", x}, {"y", y}};
    all.insert(all.end(), axes.begin(), axes.end());
    return all;
  };
  const te::Tensor rows = te::Compute(
      "rows", with(6, 6, tiles),
      [&](const std::vector<Expr>& at) -> te::Value {
        return Transformed(kInput, at[0], [&](int64_t r) {
          return x(at[2], at[3], h.Input(at[4], Expr(r)) + top, w.Input(at[5], at[1]) + left,
                   at[6]);
        });
      },
      "local");
  const te::Tensor v =
      te::Compute("v", with(6, 6, tiles), [&](const std::vector<Expr>& at) -> te::Value {
        return Transformed(kInput, at[1], [&](int64_t s) {
          return rows(at[0], Expr(s), at[2], at[3], at[4], at[5], at[6]);
        });
      });
  const te::ReduceAxis c("c", in_blocks), i("i", kLanes);
  const std::vector<te::Axis> results = {
      {"n", out[0]}, {"b", BlocksOf(out[1])}, {"h", h.tiles()}, {"w", w.tiles()}, {"o", kLanes}};
  const te::Tensor sums =
      te::Compute("sums", with(6, 6, results), [&](const std::vector<Expr>& at) -> te::Value {
        return te::ReduceSum(
            v(at[0], at[1], at[2], c, at[4], at[5], i) * u(at[0], at[1], at[3], c, i, at[6]),
            {c, i});
      });
  const te::Tensor lines = te::Compute(
      "lines", with(kWinogradTile, 6, results),
      [&](const std::vector<Expr>& at) -> te::Value {
        return Transformed(kOutput, at[0], [&](int64_t x) {
          return sums(Expr(x), at[1], at[2], at[3], at[4], at[5], at[6]);
        });
      },
      "local");
  const auto element = [lines, h, w](const std::vector<Expr>& at) {
    const Expr lanes(kLanes);
    return Transformed(kOutput, w.PlaceInTile(at[3]), [&](int64_t y) {
      return lines(h.PlaceInTile(at[2]), Expr(y), at[0], FloorDiv(at[1], lanes), h.TileOf(at[2]),
                   w.TileOf(at[3]), FloorMod(at[1], lanes));
    });
  };
  Sums result{{}, {"c", "i"}, true};
  result.winograd = true;
  if (node.inputs.size() < 3) {
    result.value = te::View("value", out, sums.dtype(), element);
  } else {
    const te::Tensor bias = operands.FilledUp(node.inputs[2]);
    result.value = te::View("value", out, sums.dtype(),
                            [=](const std::vector<Expr>& at) { return element(at) + bias(at[1]); });
  }
  return result;
}

}  // namespace vta::compiler::targets
