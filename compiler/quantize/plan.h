// What of a float graph becomes integers, and which of its tensors become codes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler::quantize {

/// A tensor that becomes codes.
struct Point {
  ValueId value;
  std::string layer;        // the node that makes it, or the input
  bool made_by_integers;    // otherwise it is quantised for those who want codes
  int64_t group;            // points of a group have one scale
  bool is_centred = false;  // the zero point is 0: a matrix that another one is multiplied by
};

/// A convolution or a product with constant weights.
struct Layer {
  NodeId node;
  int64_t input, output;  // points
  int64_t channels;
  int64_t channel_axis;  // of the weights
};

struct Plan {
  std::vector<Point> points;
  std::vector<Layer> layers;
  std::vector<NodeId> nodes;      // all that become integers, in order; moves of codes do not count
  std::vector<int64_t> point_of;  // by value, or kNone
  std::vector<bool> is_quantised;  // by node
  std::vector<bool> is_move;       // by node: hands codes on as they are
};

/// Nodes of a graph, by their names or their outputs': `lists` holds names, with commas between
/// them where one holds several. A name may have commas of its own: the most words that are one
/// count. Errors: throws Error where words are none.
std::set<std::string> NodesNamed(const Graph& graph, const std::set<std::string>& lists);

/// `keep_float` is as NodesNamed takes it.
/// Errors: as NodesNamed; throws Error where the graph is quantised already, or has no layer that
/// can be quantised.
Plan MakePlan(const Graph& graph, const std::set<std::string>& keep_float = {});

/// The point that gives the codes of a value that a quantised node reads.
int64_t PointOf(const Graph& graph, const Plan& plan, ValueId value);

}  // namespace vta::compiler::quantize
