#include "compiler/quantize/plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/graph/ops.h"

namespace vta::compiler::quantize {
namespace {

enum class Role { kFloat, kLayer, kArithmetic, kMove, kClamp };

bool HasOne(const std::vector<int64_t>& list) {
  return std::ranges::all_of(list, [](int64_t x) { return x == 1; });
}

/// Real weights, and a bias of a number for each channel where there is one.
bool IsLayer(const Graph& graph, const Node& node, int64_t channels) {
  const Tensor* weights = graph.constant(node.inputs[1]);
  if (!weights || weights->dtype() != DType::kFloat32 || graph.constant(node.inputs[0]))
    return false;
  if (node.inputs.size() == 2) return true;
  const Tensor* bias = graph.constant(node.inputs[2]);
  return bias && (bias->elements() == 1 ||
                  (bias->elements() == channels && bias->shape().back() == channels));
}

int64_t ChannelAxis(const Node& node) {
  return node.op == Op::kConv2d || (node.op == Op::kGemm && node.Int("trans_b") != 0) ? 0 : 1;
}

bool IsAverage(const Graph& graph, const Node& node) {
  if (graph.shape(node.inputs[0]).size() != 4) return false;
  if (node.op == Op::kAvgPool)
    return node.Int("count_include_pad") != 0 || node.Ints("pads") == std::vector<int64_t>(4, 0);
  std::vector<int64_t> axes = node.Ints("axes");
  std::ranges::sort(axes);
  return axes == std::vector<int64_t>{2, 3};
}

/// Of two activations, matrix by matrix.
bool IsProduct(const Graph& graph, const Node& node) {
  const Shape &a = graph.shape(node.inputs[0]), &b = graph.shape(node.inputs[1]);
  return !graph.constant(node.inputs[0]) && !graph.constant(node.inputs[1]) && a.size() >= 2 &&
         a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
}

Role RoleOf(const Graph& graph, const Node& node) {
  if (graph.type(node.output).dtype != DType::kFloat32) return Role::kFloat;
  switch (node.op) {
    case Op::kConv2d:
      return IsLayer(graph, node, graph.shape(node.output)[1]) ? Role::kLayer : Role::kFloat;
    case Op::kGemm: {
      const bool plain = node.attributes.Double("alpha") == 1 && node.Int("trans_a") == 0 &&
                         (node.inputs.size() == 2 || node.attributes.Double("beta") == 1);
      return plain && IsLayer(graph, node, graph.shape(node.output)[1]) ? Role::kLayer
                                                                        : Role::kFloat;
    }
    case Op::kMatMul: {
      const bool matrix =
          graph.shape(node.inputs[1]).size() == 2 && graph.shape(node.inputs[0]).size() >= 2;
      if (matrix && IsLayer(graph, node, 0)) return Role::kLayer;
      return IsProduct(graph, node) ? Role::kArithmetic : Role::kFloat;
    }
    case Op::kAdd:
    case Op::kMul:
    case Op::kConcat:
      return std::ranges::none_of(node.inputs, [&](ValueId v) { return graph.constant(v); })
                 ? Role::kArithmetic
                 : Role::kFloat;
    case Op::kAvgPool:
    case Op::kReduceMean:
      return IsAverage(graph, node) ? Role::kArithmetic : Role::kFloat;
    case Op::kMaxPool:
      return HasOne(node.Ints("dilations")) ? Role::kMove : Role::kFloat;
    case Op::kPad:
      return node.attributes.String("mode") == "constant" && node.attributes.Double("value") == 0
                 ? Role::kMove
                 : Role::kFloat;
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kIdentity:
    case Op::kSlice:
    case Op::kExpand:
    case Op::kDepthToSpace:
      return Role::kMove;
    case Op::kRelu:
    case Op::kClip:
      return Role::kClamp;
    default:
      return Role::kFloat;
  }
}

bool IsInteger(Op op) {
  return (op >= Op::kConv2dI8 && op <= Op::kFlipSign) || op == Op::kQuantize ||
         op == Op::kDequantize;
}

class Planner {
 public:
  Planner(const Graph& graph, const std::set<std::string>& keep_float)
      : graph_(graph), uses_(graph.UseCounts()), reader_(graph.values().size(), kNone) {
    const size_t nodes = graph.nodes().size();
    roles_.resize(nodes);
    plan_.is_quantised.resize(nodes);
    plan_.is_move.resize(nodes);
    plan_.point_of.resize(graph.values().size(), kNone);
    made_.resize(graph.values().size());
    function_of_.resize(graph.values().size(), kNone);
    Keep(keep_float);
  }

  Plan Make() && {
    FindRoles();
    for (size_t n = 0; n < graph_.nodes().size(); ++n)
      if (plan_.is_quantised[n]) AddNode(static_cast<NodeId>(n));
    FindLayers();
    if (plan_.layers.empty())
      throw Error(graph_.name(), "", "",
                  "no layer to quantise: no convolution or plain product (of factors 1, the left "
                  "matrix as it is) with constant weights that is not kept in float");
    ShareScales();
    return std::move(plan_);
  }

 private:
  void Keep(const std::set<std::string>& lists) {
    const std::set<std::string> names = NodesNamed(graph_, lists);
    for (const Node& node : graph_.nodes())
      kept_.push_back(names.contains(node.name) || names.contains(graph_.value(node.output).name));
  }

  void FindRoles() {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (IsInteger(node.op))
        throw Error(graph_.name(), StrCat("node \"", node.name, "\""),
                    std::string(Spec(node.op).name), "the network is quantised already");
      roles_[n] = kept_[n] ? Role::kFloat : RoleOf(graph_, node);
      FindFunction(node, &roles_[n]);
      const bool from_integers = !node.inputs.empty() && made_[node.inputs[0]];
      const bool clamps = roles_[n] == Role::kClamp && from_integers;
      plan_.is_move[n] = roles_[n] == Role::kMove;
      plan_.is_quantised[n] = clamps || roles_[n] == Role::kLayer || roles_[n] == Role::kArithmetic;
      made_[node.output] = plan_.is_quantised[n] || (plan_.is_move[n] && from_integers);
      for (ValueId input : node.inputs) reader_[input] = static_cast<NodeId>(n);
    }
  }

  /// What is computed element by element from one tensor of codes and from numbers stays as it is:
  /// the compiler makes a table of it where its result becomes codes.
  void FindFunction(const Node& node, Role* role) {
    if (!Spec(node.op).traits.elementwise || *role == Role::kMove) return;
    std::set<ValueId> sources;
    bool composed = false;
    for (ValueId input : node.inputs) {
      if (const Tensor* constant = graph_.constant(input)) {
        if (constant->elements() != 1) return;
        continue;
      }
      composed |= function_of_[input] != kNone;
      sources.insert(function_of_[input] != kNone ? function_of_[input]
                     : made_[input]               ? input
                                                  : kNone);
    }
    const bool one = sources.size() == 1 && *sources.begin() != kNone &&
                     graph_.shape(*sources.begin()) == graph_.shape(node.output);
    if (!one || (*role != Role::kFloat && !composed)) return;
    function_of_[node.output] = *sources.begin();
    *role = Role::kFloat;
  }

  /// Where what a node makes becomes codes: behind the last clamp that alone reads it, through
  /// moves, whose range then is the codes'.
  ValueId Place(ValueId made) {
    ValueId place = made;
    for (ValueId at = made; uses_[at] == 1 && reader_[at] != kNone;) {
      const NodeId reader = reader_[at];
      const bool clamps = plan_.is_quantised[reader] && roles_[reader] == Role::kClamp;
      if (!clamps && !plan_.is_move[reader]) break;
      at = graph_.nodes()[reader].output;
      if (clamps) {
        place = at;
        inside_.insert(reader);
      }
    }
    return place;
  }

  int64_t AddPoint(ValueId value, std::string layer, bool made_by_integers) {
    const auto point = std::ssize(plan_.points);
    plan_.points.push_back({value, std::move(layer), made_by_integers, point});
    plan_.point_of[value] = point;
    return point;
  }

  void AddNode(NodeId id) {
    const Node& node = graph_.nodes()[id];
    plan_.nodes.push_back(id);
    if (inside_.contains(id)) return;
    const size_t activations = roles_[id] == Role::kLayer ? 1 : node.inputs.size();
    for (size_t i = 0; i < activations; ++i)
      if (PointOf(graph_, plan_, node.inputs[i]) == kNone) {
        const ValueId root = Root(node.inputs[i]);
        const Node* producer = graph_.Producer(root);
        AddPoint(root, producer ? producer->name : graph_.value(root).name, false);
      }
    if (node.op == Op::kMatMul && roles_[id] == Role::kArithmetic)
      plan_.points[PointOf(graph_, plan_, node.inputs[1])].is_centred = true;
    AddPoint(Place(node.output), node.name, true);
  }

  ValueId Root(ValueId value) const {
    const Node* producer = graph_.Producer(value);
    while (producer && plan_.is_move[producer - graph_.nodes().data()]) {
      value = producer->inputs[0];
      producer = graph_.Producer(value);
    }
    return value;
  }

  void FindLayers() {
    for (NodeId id : plan_.nodes) {
      if (roles_[id] != Role::kLayer) continue;
      const Node& node = graph_.nodes()[id];
      const int64_t axis = ChannelAxis(node);
      plan_.layers.push_back({id, PointOf(graph_, plan_, node.inputs[0]),
                              plan_.point_of[Place(node.output)],
                              graph_.shape(node.inputs[1])[axis], axis});
    }
  }

  /// What is concatenated, and read by nothing else, has the scale of the whole.
  void ShareScales() {
    const auto find = [&](int64_t point) {
      while (plan_.points[point].group != point) point = plan_.points[point].group;
      return point;
    };
    for (NodeId id : plan_.nodes) {
      const Node& node = graph_.nodes()[id];
      if (node.op != Op::kConcat) continue;
      const int64_t whole = plan_.point_of[Place(node.output)];
      for (ValueId input : node.inputs) {
        const int64_t part = PointOf(graph_, plan_, input);
        if (uses_[input] == 1 && plan_.points[part].made_by_integers &&
            uses_[plan_.points[part].value] == 1)
          plan_.points[find(part)].group = find(whole);
      }
    }
    for (Point& point : plan_.points) point.group = find(point.group);
  }

  const Graph& graph_;
  const std::vector<int64_t> uses_;
  std::vector<NodeId> reader_;  // by value: the last node that reads it
  std::vector<Role> roles_;
  std::vector<bool> kept_;            // by node
  std::vector<bool> made_;            // by value: by integers
  std::vector<ValueId> function_of_;  // by value: the integers' tensor that it is a function of
  std::set<NodeId> inside_;           // clamps that are the range of what comes before
  Plan plan_;
};

}  // namespace

int64_t PointOf(const Graph& graph, const Plan& plan, ValueId value) {
  for (;;) {
    if (plan.point_of[value] != kNone) return plan.point_of[value];
    const Node* producer = graph.Producer(value);
    if (!producer || !plan.is_move[producer - graph.nodes().data()]) return kNone;
    value = producer->inputs[0];
  }
}

std::set<std::string> NodesNamed(const Graph& graph, const std::set<std::string>& lists) {
  std::set<std::string_view> known;
  for (const Node& node : graph.nodes()) {
    known.insert(node.name);
    known.insert(graph.value(node.output).name);
  }
  std::set<std::string> names;
  for (std::string_view rest : lists)
    for (bool more = true; more;) {
      size_t end = rest.size();
      while (!known.contains(rest.substr(0, end))) {
        end = end == 0 ? std::string_view::npos : rest.rfind(',', end - 1);
        if (end == std::string_view::npos)
          throw Error(graph.name(), "node to keep in float",
                      std::string(rest.substr(0, rest.find(','))),
                      "is no node of the simplified network");
      }
      names.emplace(rest.substr(0, end));
      more = end < rest.size();
      if (more) rest.remove_prefix(end + 1);
    }
  return names;
}

Plan MakePlan(const Graph& graph, const std::set<std::string>& keep_float) {
  return Planner(graph, keep_float).Make();
}

}  // namespace vta::compiler::quantize
