// Convolutions of 3x3 windows by Winograd's F(4x4, 3x3): 36 products for 16 outputs of a channel
// where 144 are without, of inputs and weights that are transformed. Sums of float32 differ from
// those in order by less than 1e-4 of the largest.
#pragma once

#include <cstdint>

#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/tile.h"

namespace vta::compiler::targets {

/// Outputs of a tile along an axis, and what it reads there.
inline constexpr int64_t kWinogradTile = 4, kWinogradReach = 6;

/// Whether the node can be computed so.
bool IsWinograd(const Graph& graph, const Node& node);
/// The border that its tiles read, the last of which go past the outputs.
WindowPads WinogradBorder(const Graph& graph, const Node& node);

/// Sums [6, 6, N, O/16, H/4, W/4, 16] of "v", the transformed input [6, 6, N, C/16, H/4, W/4, 16]
/// (of outputs a dilation D apart, tiles lie in one another: tile T*D + P has P + D*(4T ... 4T+3)),
/// which is made by way of "rows", and of weights that are transformed when this is called; the
/// value is transformed back by way of "lines".
Sums DefineWinograd(const Graph& graph, const Node& node, Operands& operands);

/// How the work is cut: a task makes `rows` rows of tiles, whole ones of a dilation, of a
/// `parts`-th of the outputs' blocks, and sums up `blocks` of these at a time. Each part transforms
/// the input anew.
struct WinogradPlan {
  int64_t rows = 1, parts = 1, blocks = 1;
  Tile tile = {1, 1, 1};       // of sums, in registers: rows and columns of tiles
  bool blocks_inside = false;  // of other tiles; else around them
  int64_t unrolled = 1;        // channels whose products are written out
};
/// Rows and columns of tiles, and blocks of outputs.
Tile WinogradTiles(const Graph& graph, const Node& node);
/// Whether a node can be cut so.
bool HasWinograd(const Graph& graph, const Node& node, const WinogradPlan& plan,
                 const Registers& registers);
/// About what it takes. Units: cycles of a core.
int64_t WinogradCycles(const Graph& graph, const Node& node, const WinogradPlan& plan);
/// The cheapest one of a node with tasks for some threads, four at most. Tasks, rows and parts, are
/// the same whatever the registers.
WinogradPlan PlanOfWinograd(const Graph& graph, const Node& node, const Registers& registers,
                            int64_t threads = kSomeThreads);

}  // namespace vta::compiler::targets
