// What several integer ops make of the codes of one tensor, element by element -> one lookup: where
// one of them is a lookup, x * sigmoid(x) whose sigmoid was quantised; and where a target has
// lookups, any, x < 0 ? x / 10 : x.
#include <map>
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/all_codes.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

bool IsOfCodes(Op op) {
  return op == Op::kLookupI8 || op == Op::kRequantI8 || op == Op::kMulI8 || op == Op::kAddI8 ||
         op == Op::kAddLookupI8;
}

/// Whether the op's input is for all elements.
bool IsTable(Op op, size_t input) {
  return (op == Op::kLookupI8 && input == 1) || (op == Op::kAddLookupI8 && input >= 2);
}

/// A value as a function of codes.
struct Function {
  ValueId of;
  bool looks_up;  // a lookup is part of it
  int64_t nodes;
};

class Functions {
 public:
  explicit Functions(const Graph& graph) : graph_(graph) {}

  /// Of the result of a node, whose inputs are known; nothing where these are several tensors.
  std::optional<Function> Of(const Node& node) const {
    if (!IsOfCodes(node.op)) return std::nullopt;
    Function made{kNone, node.op == Op::kLookupI8, 1};
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (const Tensor* constant = graph_.constant(input)) {
        if (!IsTable(node.op, i) && constant->elements() != 1) return std::nullopt;
        continue;
      }
      const auto known = known_.find(input);
      const Function function = known == known_.end() ? Function{input, false, 0} : known->second;
      if (graph_.type(function.of) != graph_.type(node.output)) return std::nullopt;
      if (made.of != kNone && made.of != function.of) return std::nullopt;
      made.of = function.of;
      made.looks_up |= function.looks_up;
      made.nodes += function.nodes;
    }
    return made.of == kNone ? std::nullopt : std::optional(made);
  }
  void Keep(ValueId value, const Function& function) { known_[value] = function; }

 private:
  const Graph& graph_;
  std::map<ValueId, Function> known_;
};

/// Joins functions of two nodes or more; `joins` tells which, by the lookup that each would be.
template <typename F>
Graph Join(const Graph& graph, const F& joins) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  Functions functions(fresh);
  for (const Node& node : graph.nodes()) {
    rebuild.Copy(node);
    const ValueId made = rebuild.Map(node.output);
    std::optional<Function> function = functions.Of(*fresh.Producer(made));
    if (!function) continue;
    if (function->nodes > 1 && joins(fresh.type(made), *function)) {
      const ValueId table =
          fresh.AddConstant("table", OverAllCodes(fresh, made, function->of, 1).Reshaped({256}));
      rebuild.Replace(node, fresh.Emit(Op::kLookupI8, node.name, {function->of, table}, {}));
      function = {function->of, true, 1};
    }
    functions.Keep(rebuild.Map(node.output), *function);
  }
  return rebuild.Finish();
}

/// Whether a target takes a lookup of such codes.
bool AnyLooksUp(const TensorType& codes, const PassContext& context) {
  Graph alone("alone", isa::Rounding::kSingle);
  const ValueId table = alone.AddConstant("table", Tensor(TensorType{DType::kInt8, {256}}));
  alone.Emit(Op::kLookupI8, "lookup", {alone.AddInput("x", codes), table}, {});
  const NodeId lookup = 0;
  return FirstTaker(alone, {&lookup, 1}, context) != nullptr;
}

}  // namespace

Graph JoinLookups(const Graph& graph, const PassContext&) {
  return Join(graph, [](const TensorType&, const Function& function) { return function.looks_up; });
}

Graph JoinFunctions(const Graph& graph, const PassContext& context) {
  return Join(graph,
              [&](const TensorType& codes, const Function&) { return AnyLooksUp(codes, context); });
}

}  // namespace vta::compiler
