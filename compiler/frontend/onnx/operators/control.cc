// Converters of control flow: graphs inside of nodes become part of the graph around them, loops
// step by step.
#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/graph_reader.h"
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// Runs the graph; what it throws names the node around it too.
std::vector<OnnxBinding> RunInside(OnnxNode& node, OnnxSubgraph& graph,
                                   const std::vector<OnnxBinding>& inputs) {
  try {
    return graph.Run(inputs);
  } catch (const Error& error) {
    const char* const between = error.where().empty() || error.subject().empty() ? "" : ": ";
    throw node.Fail(StrCat(error.where(), between, error.subject()), error.value(), error.rule());
  }
}

void RequireCount(OnnxNode& node, const std::string& what, int64_t count, int64_t wanted) {
  if (count != wanted) throw node.Fail(what, StrCat(count), StrCat("must be ", wanted));
}

/// What is known at compile time, or nullptr.
const Tensor* KnownOf(OnnxNode& node, const OnnxBinding& binding) {
  if (binding.constant) return binding.constant.get();
  return binding.value == kNone ? nullptr : node.constant(binding.value);
}

OnnxBinding Known(Tensor tensor) { return {std::make_shared<const Tensor>(std::move(tensor))}; }

/// A condition that is known at compile time.
std::optional<bool> ReadCondition(OnnxNode& node, const OnnxBinding& binding) {
  const Tensor* const known = KnownOf(node, binding);
  if (!known) return std::nullopt;
  if (known->elements() != 1 || known->dtype() != DType::kBool)
    throw node.Fail("condition", ToText(known->type()), "must be one bool");
  return known->At(0) != 0;
}

/// Values of the steps of a loop, along a new axis.
ValueId Stacked(OnnxNode& node, const std::vector<OnnxBinding>& steps, int64_t axis) {
  std::vector<ValueId> parts;
  for (OnnxBinding step : steps) {
    const ValueId value = node.scope().ValueOf(step, node.Where(), "scan output", node.name());
    Shape shape = node.type(value).shape;
    shape.insert(shape.begin() + node.Axis(axis, std::ssize(shape) + 1), 1);
    parts.push_back(node.Reshape(value, shape));
  }
  const int64_t rank = std::ssize(node.type(parts[0]).shape);
  return parts.size() == 1 ? parts[0]
                           : node.Emit(Op::kConcat, parts, {{"axis", node.Axis(axis, rank)}});
}

/// What a loop carries from step to step, and what it collects of each.
struct Unrolled {
  std::vector<OnnxBinding> carried;
  std::vector<std::vector<OnnxBinding>> collected;

  /// Takes a step's outputs from `first` on.
  void Take(const std::vector<OnnxBinding>& outputs, size_t first) {
    for (OnnxBinding& binding : carried) binding = outputs[first++];
    for (std::vector<OnnxBinding>& steps : collected) steps.push_back(outputs[first++]);
  }
};

void ResultUnrolled(OnnxNode& node, const Unrolled& loop, const std::vector<int64_t>& axes) {
  int64_t output = 0;
  for (const OnnxBinding& binding : loop.carried) node.Result(binding, output++);
  for (size_t i = 0; i < loop.collected.size(); ++i, ++output) {
    if (!node.WantsOutput(output)) continue;
    if (loop.collected[i].empty())
      throw node.Fail(StrCat("output ", output), "of no step", "must not be empty");
    node.Result(Stacked(node, loop.collected[i], axes[i]), output);
  }
}

std::vector<int64_t> IntsOr(OnnxNode& node, const char* name, int64_t count) {
  const auto list = node.Ints(name).value_or(std::vector<int64_t>(count, 0));
  if (std::ssize(list) != count)
    throw node.Fail(StrCat("attribute ", name), ToText(list),
                    StrCat("must be ", count, " integers"));
  return list;
}

int64_t ReadTripCount(OnnxNode& node) {
  const std::vector<int64_t> count = node.ConstantInts(0, "trip count");
  if (count.size() != 1) throw node.Fail("trip count", ToText(count), "must have one element");
  return count[0];
}

/// What a branch makes, or why the sizes that the model has here are none of its.
struct Branch {
  std::vector<OnnxBinding> outputs;
  std::optional<Error> unfit;
};

template <typename F>
Branch TryBranch(OnnxNode& node, const F& run, const onnx::GraphProto& graph) {
  const size_t counts = node.scope().counts.size();
  try {
    return {run(graph), std::nullopt};
  } catch (const Error& error) {
    if (error.subject().find("shape") == std::string::npos) throw;
    node.scope().counts.resize(counts);
    return {{}, error};
  }
}

}  // namespace

/// The branch that a constant condition chooses, or the only one that fits the model's sizes; else
/// both, of whose elements each chooses.
void ConvertIf(OnnxNode& node) {
  const onnx::GraphProto &then_graph = node.Subgraph("then_branch"),
                         &else_graph = node.Subgraph("else_branch");
  const auto run = [&](const onnx::GraphProto& graph) {
    OnnxSubgraph branch(graph, node.scope());
    RequireCount(node, "inputs of a branch", branch.input_count(), 0);
    RequireCount(node, "outputs of a branch", branch.output_count(), node.output_count());
    return RunInside(node, branch, {});
  };
  const auto result = [&](const std::vector<OnnxBinding>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) node.Result(outputs[i], static_cast<int64_t>(i));
  };
  if (const auto condition = ReadCondition(node, node.Bound(0))) {
    return result(run(*condition ? then_graph : else_graph));
  }
  if (Elements(node.InputShape(0)) != 1)
    throw node.Fail("condition", ToText(node.Type(0)), "must be one bool");
  const ValueId condition = node.Reshape(node.Input(0), {});
  auto [a, unfit_a] = TryBranch(node, run, then_graph);
  auto [b, unfit_b] = TryBranch(node, run, else_graph);
  if (unfit_a && unfit_b) throw *unfit_a;
  if (unfit_a || unfit_b) {
    const Error& unfit = unfit_a ? *unfit_a : *unfit_b;
    node.scope().remarks.push_back(
        StrCat(node.Where(), ": the condition is taken to be ", unfit_a ? "false" : "true",
               ", for the other branch does not fit the sizes: ", unfit.subject(), " = ",
               unfit.value(), ": ", unfit.rule()));
    return result(unfit_a ? b : a);
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const auto value = [&](OnnxBinding& binding) {
      return node.scope().ValueOf(binding, node.Where(), "output of a branch", node.name());
    };
    const ValueId chosen = value(a[i]), other = value(b[i]);
    if (node.type(chosen) != node.type(other))
      throw node.Fail(StrCat("output ", i, " of the branches"),
                      StrCat(ToText(node.type(chosen)), " and ", ToText(node.type(other))),
                      "must be alike where the condition is not a constant");
    node.Result(node.Emit(Op::kWhere, {condition, chosen, other}), static_cast<int64_t>(i));
  }
}

/// Step by step for as long as conditions that are known at compile time say.
void ConvertLoop(OnnxNode& node) {
  OnnxSubgraph body(node.Subgraph("body"), node.scope());
  Unrolled loop;
  for (int64_t i = 2; i < node.input_count(); ++i) loop.carried.push_back(node.Bound(i));
  const int64_t carried = std::ssize(loop.carried), collected = node.output_count() - carried;
  RequireCount(node, "inputs of the body", body.input_count(), 2 + carried);
  if (collected < 0)
    throw node.Fail("outputs", StrCat(node.output_count()),
                    StrCat("must be ", carried, " or more"));
  RequireCount(node, "outputs of the body", body.output_count(), 1 + node.output_count());
  loop.collected.resize(collected);
  const int64_t most = node.Has(0) ? ReadTripCount(node) : std::numeric_limits<int64_t>::max();
  OnnxBinding condition = node.Has(1) ? node.Bound(1) : Known(Tensor::Scalar(true));
  for (int64_t step = 0; step < most; ++step) {
    const auto goes_on = ReadCondition(node, condition);
    if (!goes_on)
      throw node.Fail("condition", "known only when it runs",
                      "must be known at compile time, as the trip count");
    if (!*goes_on) break;
    node.CountStep();
    std::vector<OnnxBinding> inputs = {Known(Tensor::Scalar(step)), condition};
    inputs.insert(inputs.end(), loop.carried.begin(), loop.carried.end());
    const auto outputs = RunInside(node, body, inputs);
    condition = outputs[0];
    loop.Take(outputs, 1);
  }
  ResultUnrolled(node, loop, std::vector<int64_t>(collected, 0));
}

namespace {

void CheckScan(OnnxNode& node, const OnnxSubgraph& body, int64_t scanned, int64_t carried) {
  if (scanned < 1 || carried < 0 || node.output_count() < carried)
    throw node.Fail("attribute num_scan_inputs", StrCat(scanned),
                    "must be 1 to the number of inputs");
  RequireCount(node, "inputs of the body", body.input_count(), carried + scanned);
  RequireCount(node, "outputs of the body", body.output_count(), node.output_count());
}

struct ScanInput {
  ValueId value;
  int64_t axis;
  bool backward;
};

/// A step for each place along the axes.
void RunSteps(OnnxNode& node, OnnxSubgraph& body, const std::vector<ScanInput>& scanned,
              Unrolled* loop) {
  const int64_t steps = node.type(scanned[0].value).shape[scanned[0].axis];
  for (int64_t step = 0; step < steps; ++step) {
    node.CountStep();
    std::vector<OnnxBinding> inputs = loop->carried;
    for (const ScanInput& input : scanned) {
      Shape shape = node.type(input.value).shape;
      RequireCount(node, "steps of a scan input", shape[input.axis], steps);
      shape.erase(shape.begin() + input.axis);
      const int64_t place = input.backward ? steps - 1 - step : step;
      const ValueId part = Slice(node, input.value, input.axis, place, 1);
      inputs.push_back({nullptr, node.Reshape(part, shape)});
    }
    loop->Take(RunInside(node, body, inputs), 0);
  }
}

/// An element of a batch, without its axis.
ValueId OfBatch(OnnxNode& node, ValueId x, int64_t element) {
  const Shape shape = node.type(x).shape;
  return node.Reshape(Slice(node, x, 0, element, 1), Shape(shape.begin() + 1, shape.end()));
}

/// As opset 8 has it: behind the lengths of the sequences all inputs and outputs have an axis of
/// batches in front of that of the steps.
void ConvertBatchedScan(OnnxNode& node, OnnxSubgraph& body, int64_t scanned) {
  const int64_t carried = node.input_count() - 1 - scanned;
  const int64_t collected = node.output_count() - carried;
  CheckScan(node, body, scanned, carried);
  if (node.Has(0)) throw node.Fail("input sequence_lens", "given", "is not supported");
  const auto backward = IntsOr(node, "directions", scanned);
  const int64_t batches = node.InputShape(1 + carried)[0];
  std::vector<std::vector<OnnxBinding>> made(node.output_count());  // by output, then batch
  for (int64_t batch = 0; batch < batches; ++batch) {
    const auto input = [&](int64_t i) {
      RequireCount(node, "batches of an input", node.InputShape(1 + i)[0], batches);
      return OfBatch(node, node.Input(1 + i), batch);
    };
    Unrolled loop;
    loop.collected.resize(collected);
    for (int64_t i = 0; i < carried; ++i) loop.carried.push_back({nullptr, input(i)});
    std::vector<ScanInput> inputs;
    for (int64_t i = 0; i < scanned; ++i)
      inputs.push_back({input(carried + i), 0, backward[i] != 0});
    RunSteps(node, body, inputs, &loop);
    for (int64_t i = 0; i < carried; ++i) made[i].push_back(loop.carried[i]);
    for (int64_t i = 0; i < collected; ++i)
      made[carried + i].push_back({nullptr, Stacked(node, loop.collected[i], 0)});
  }
  for (int64_t i = 0; i < node.output_count(); ++i) node.Result(Stacked(node, made[i], 0), i);
}

}  // namespace

/// A step for each place along an axis of its inputs.
void ConvertScan(OnnxNode& node) {
  constexpr int64_t kUnbatchedSince = 9;
  OnnxSubgraph body(node.Subgraph("body"), node.scope());
  const int64_t scanned = node.Int("num_scan_inputs", 0);
  if (node.opset() < kUnbatchedSince) return ConvertBatchedScan(node, body, scanned);
  const int64_t carried = node.input_count() - scanned, collected = node.output_count() - carried;
  CheckScan(node, body, scanned, carried);
  const auto axes = IntsOr(node, "scan_input_axes", scanned);
  const auto backward = IntsOr(node, "scan_input_directions", scanned);
  const auto output_axes = IntsOr(node, "scan_output_axes", collected);
  const auto output_backward = IntsOr(node, "scan_output_directions", collected);
  Unrolled loop;
  loop.collected.resize(collected);
  for (int64_t i = 0; i < carried; ++i) loop.carried.push_back(node.Bound(i));
  std::vector<ScanInput> inputs;
  for (int64_t i = 0; i < scanned; ++i)
    inputs.push_back(
        {node.Input(carried + i), node.Axis(axes[i], node.Rank(carried + i)), backward[i] != 0});
  RunSteps(node, body, inputs, &loop);
  for (int64_t i = 0; i < collected; ++i)
    if (output_backward[i] != 0) std::ranges::reverse(loop.collected[i]);
  ResultUnrolled(node, loop, output_axes);
}

}  // namespace vta::compiler
