// Taps of a convolution's window as channels of its input, side by side: im2col, of part of the
// window or of all of it. Layers of few channels then fill an accelerator's blocks.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// The taps, of the window's height and width, that become channels.
struct WindowFold {
  int64_t rows = 1, columns = 1;
  bool operator==(const WindowFold&) const = default;
};

/// A target's choice: {1, 1} for none; and in words what it costs, beside what was not chosen.
struct FoldChoice {
  WindowFold fold;
  std::string why;
};

/// Appends to `to` the im2col of the input of `conv`, a conv2d_i8 of one group in `from`, and the
/// convolution of what that makes, which computes the same without pads. `inputs` are those of
/// `conv` as values of `to`. Returns what the convolution makes, named `value_name`.
/// Shape: the weights' taps become the channels' [rows, columns, in_channels]; where the fold does
/// not divide the window, taps of weight 0 complete it.
ValueId EmitFolded(const Graph& from, const Node& conv, const WindowFold& fold,
                   std::vector<ValueId> inputs, const std::string& value_name, Graph* to);
/// Whether what the node reads is made by im2col, packed or not.
bool ReadsFold(const Graph& graph, const Node& node);
/// The graph of these two alone, with `conv`'s constants.
Graph FoldedAlone(const Graph& from, const Node& conv, const WindowFold& fold);

}  // namespace vta::compiler
