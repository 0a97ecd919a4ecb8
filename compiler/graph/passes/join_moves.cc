// Chains of reshapes and transposes. As a whole they take the elements of a tensor in another
// order: its dimensions are cut into axes, these are permuted, and joined to other dimensions. What
// comes out in the old order is a reshape; else one transpose between two reshapes says it. An
// integer op that works on each element, of what a target makes, is done before them, in the
// target's blocks; another operand gets the moves that undo them.
#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <tuple>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

bool IsMove(const Node& node) { return node.op == Op::kReshape || node.op == Op::kTranspose; }

/// Elements, and how far apart they were in the tensor that a chain begins with.
struct Axis {
  int64_t size, step;
  auto operator<=>(const Axis&) const = default;
};
using Axes = std::vector<Axis>;

/// The order in which a chain takes the elements of a tensor.
class MoveOrder {
 public:
  explicit MoveOrder(const Shape& shape) : dims_(shape.size()) {
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0; step *= shape[d]) dims_[d] = {{shape[d], step}};
  }

  /// False where a dimension would have parts of axes that are none themselves.
  bool Apply(const Graph& graph, const Node& node) {
    if (node.op == Op::kReshape) return Reshape(graph.shape(node.output));
    std::vector<Axes> moved;
    for (const int64_t axis : node.Ints("perm")) moved.push_back(dims_[axis]);
    dims_ = std::move(moved);
    return true;
  }

  /// All that are longer than 1, neighbours that were neighbours joined.
  Axes Flat() const {
    Axes flat;
    for (const Axes& dim : dims_)
      for (const Axis& axis : dim) {
        if (axis.size == 1) continue;
        if (!flat.empty() && flat.back().step == axis.size * axis.step)
          flat.back() = {flat.back().size * axis.size, axis.step};
        else
          flat.push_back(axis);
      }
    return flat;
  }

 private:
  bool Reshape(const Shape& shape) {
    Axes left = Flat();
    std::ranges::reverse(left);  // the last is the next
    dims_.assign(shape.size(), {});
    for (size_t d = 0; d < shape.size(); ++d)
      for (int64_t wanted = shape[d]; wanted > 1;) {
        if (left.empty()) return false;
        Axis& axis = left.back();
        const int64_t taken = std::min(axis.size, wanted);
        if (axis.size % taken != 0 || wanted % taken != 0) return false;
        axis.size /= taken;
        dims_[d].push_back({taken, axis.step * axis.size});
        wanted /= taken;
        if (axis.size == 1) left.pop_back();
      }
    return left.empty();
  }

  std::vector<Axes> dims_;
};

/// What a value is made of by moves alone.
struct Chain {
  ValueId source;
  int64_t moves;
  Axes order;

  bool Permutes() const { return !std::ranges::is_sorted(order, std::greater(), &Axis::step); }
  /// Where in the source's order each axis is.
  Shape Perm() const {
    Shape places(order.size());
    std::iota(places.begin(), places.end(), 0);
    Shape perm(order.size());
    std::ranges::sort(places, std::greater(), [&](int64_t i) { return order[i].step; });
    for (size_t i = 0; i < places.size(); ++i) perm[places[i]] = static_cast<int64_t>(i);
    return perm;
  }
};

class MoveJoiner {
 public:
  explicit MoveJoiner(const Graph& graph)
      : rebuild_(graph), fresh_(rebuild_.fresh()), uses_(graph.UseCounts()) {}

  Graph Run() {
    for (const Node& node : rebuild_.old().nodes()) {
      if (MovesBefore(node)) continue;
      if (IsMove(node))
        rebuild_.Replace(node, Joined(rebuild_.Copy(node), node.name));
      else if (!DoBefore(node))
        rebuild_.Copy(node);
    }
    return rebuild_.Finish();
  }

 private:
  Chain ChainOf(ValueId value) const {
    std::vector<const Node*> nodes;  // the last comes first
    for (const Node* node = fresh_.Producer(value); node && IsMove(*node);
         node = fresh_.Producer(node->inputs[0]))
      nodes.push_back(node);
    for (; !nodes.empty(); nodes.pop_back()) {
      const ValueId source = nodes.back()->inputs[0];
      MoveOrder order(fresh_.shape(source));
      if (std::all_of(nodes.rbegin(), nodes.rend(),
                      [&](const Node* node) { return order.Apply(fresh_, *node); }))
        return {source, std::ssize(nodes), order.Flat()};
    }
    return {value, 0, MoveOrder(fresh_.shape(value)).Flat()};
  }

  /// `x`, which has the shape of the chain's source, after its moves. Shape: -> shape.
  ValueId Moved(const Chain& chain, ValueId x, const Shape& shape, const std::string& name) {
    if (!chain.Permutes()) return Reshaped(fresh_, x, shape, name);
    const Shape perm = chain.Perm();
    Shape apart(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) apart[perm[i]] = chain.order[i].size;
    const ValueId axes = Reshaped(fresh_, x, apart, name);
    return Reshaped(fresh_, fresh_.Emit(Op::kTranspose, name, {axes}, {{"perm", perm}}), shape,
                    name);
  }

  /// The reverse. Shape: -> the chain's source's.
  ValueId MovedBack(const Chain& chain, ValueId x, const std::string& name) {
    if (!chain.Permutes())
      return Joined(Reshaped(fresh_, x, fresh_.shape(chain.source), name), name);
    const Shape perm = chain.Perm();
    Shape sizes, inverse(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      sizes.push_back(chain.order[i].size);
      inverse[perm[i]] = static_cast<int64_t>(i);
    }
    const ValueId axes = Reshaped(fresh_, x, sizes, name);
    const ValueId back = fresh_.Emit(Op::kTranspose, name, {axes}, {{"perm", inverse}});
    return Joined(Reshaped(fresh_, back, fresh_.shape(chain.source), name), name);
  }

  /// The value by fewer moves, where there are such, or one that is the same.
  ValueId Joined(ValueId value, const std::string& name) {
    const Chain chain = ChainOf(value);
    const Shape shape = fresh_.shape(value);
    const auto [known, is_new] = known_.try_emplace({chain.source, chain.order, shape}, value);
    constexpr int64_t kMost = 3;
    if (is_new && chain.moves > (chain.Permutes() ? kMost : 1))
      known->second = Moved(chain, chain.source, shape, name);
    return known->second;
  }

  /// Whether a target makes the value, and in blocks.
  bool IsInBlocks(ValueId value) const {
    const Node* const maker = fresh_.Producer(value);
    return maker && maker->op >= Op::kConv2dI8 && maker->op <= Op::kLookupI8 &&
           fresh_.shape(value).size() == 4;
  }

  /// A transpose of a softmax is one of what that takes, where moves make that: they do it as well.
  bool MovesBefore(const Node& node) {
    const Graph& old = rebuild_.old();
    const Node* const softmax = node.op == Op::kTranspose ? old.Producer(node.inputs[0]) : nullptr;
    if (!softmax || softmax->op != Op::kSoftmax || uses_[softmax->output] != 1) return false;
    const Node* const maker = old.Producer(softmax->inputs[0]);
    if (!maker || !(IsMove(*maker) || maker->op == Op::kConcat)) return false;
    const Shape& perm = node.Ints("perm");
    const int64_t last = std::ssize(perm) - 1, axis = softmax->Int("axis"),
                  to = std::ranges::find(perm, axis) - perm.begin();
    if (axis == last && to != last) return false;  // along lines of memory it is quicker
    const ValueId x = rebuild_.Map(softmax->inputs[0]);
    const ValueId moved =
        Joined(fresh_.Emit(Op::kTranspose, node.name, {x}, node.attributes), node.name);
    rebuild_.Replace(node, fresh_.Emit(Op::kSoftmax, softmax->name, {moved}, {{"axis", to}}));
    return true;
  }

  bool DoBefore(const Node& node) {
    const bool is_two = node.op == Op::kAddI8 || node.op == Op::kMulI8;
    if (!is_two && node.op != Op::kRequantI8 && node.op != Op::kLookupI8) return false;
    std::vector<ValueId> inputs = rebuild_.MapInputs(node);
    const size_t activations = is_two ? 2 : 1;
    const Shape& shape = rebuild_.old().shape(node.output);
    std::vector<Chain> chains;
    for (size_t i = 0; i < activations; ++i) {
      if (fresh_.constant(inputs[i]) || fresh_.shape(inputs[i]) != shape) return false;
      chains.push_back(ChainOf(inputs[i]));
    }
    const auto first = std::ranges::find_if(
        chains, [&](const Chain& chain) { return chain.moves > 0 && IsInBlocks(chain.source); });
    if (first == chains.end()) return false;
    const Shape source = fresh_.shape(first->source);
    for (size_t i = 0; i < activations; ++i) {
      const bool alike =
          chains[i].order == first->order && fresh_.shape(chains[i].source) == source;
      inputs[i] = alike ? chains[i].source : MovedBack(*first, inputs[i], node.name);
    }
    const ValueId made = fresh_.Emit(node.op, node.name, inputs, node.attributes);
    rebuild_.Replace(node, Moved(*first, made, shape, node.name));
    return true;
  }

  Rebuild rebuild_;
  Graph& fresh_;
  const std::vector<int64_t> uses_;                            // of the old graph's values
  std::map<std::tuple<ValueId, Axes, Shape>, ValueId> known_;  // what moves make, by what they do
};

}  // namespace

Graph JoinMoves(const Graph& graph, const PassContext& context) {
  const bool has_blocks = std::ranges::any_of(
      context.targets, [](const Target* target) { return target->Layout().has_value(); });
  return has_blocks ? MoveJoiner(graph).Run() : graph;
}

}  // namespace vta::compiler
