#include "compiler/targets/gpu/express.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/graph/ops.h"
#include "compiler/operators/lowering.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/codes.h"
#include "compiler/targets/gpu/conv.h"
#include "compiler/targets/gpu/words.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

std::optional<GpuProduct> ProductOfStep(const Graph& graph, std::span<const NodeId> nodes,
                                        const isa::GpuRow& gpu, isa::Precision precision) {
  std::optional<GpuProduct> product =
      ProductOfTaps(graph, graph.nodes()[nodes.front()], gpu, precision);
  if (!product) return {};
  if (const auto moved = OutAxesOf(graph, nodes, *product))
    product->together = OutputsTogether(*moved);
  if (const auto& made = graph.value(graph.nodes()[nodes.back()].output).storage)
    product->out_word = made->channels;
  return product;
}

GpuExpression ExpressForGpu(const Graph& graph, std::span<const NodeId> nodes,
                            const isa::GpuRow& gpu, isa::Precision precision,
                            const std::optional<GpuTile>& tile) {
  const Node& first = graph.nodes()[nodes.front()];
  const std::string name(Spec(first.op).name);
  GpuExpression out;
  out.product = ProductOfStep(graph, nodes, gpu, precision);
  if (out.product) out.tile = tile ? tile : ChooseGpuTile(*out.product, gpu);
  if (const int64_t threads = ThreadsOfLines(graph, first)) out.lines = {threads, {}};
  const Value& made = graph.value(graph.nodes()[nodes.back()].output);
  const auto in_words = [&](ValueId value) { return graph.value(value).storage.has_value(); };
  if (nodes.size() == 1 && !out.tile && !out.lines && !made.storage &&
      std::ranges::none_of(first.inputs, in_words)) {
    out.function = operators::Lower(graph, first, name);
    out.inputs.assign(first.inputs.begin(), first.inputs.end());
    return out;
  }
  std::vector<te::Tensor> params;
  std::map<ValueId, te::Tensor> known, words;
  const auto add = [&](const TensorType& type, KernelInput input) {
    params.push_back(te::Placeholder(StrCat("x", params.size()), operators::LoopShape(type.shape),
                                     *operators::FindLoopType(type.dtype)));
    out.inputs.push_back(std::move(input));
    return params.back();
  };
  const auto operand = [&](ValueId value) {
    if (const auto found = known.find(value); found != known.end()) return found->second;
    const TensorType& type = graph.type(value);
    if (!in_words(value)) return known.emplace(value, add(type, value)).first->second;
    const Storage& storage = *graph.value(value).storage;
    const te::Tensor lies = add({DType::kInt32, WordsShape(type.shape, storage)}, value);
    words.emplace(value, lies);
    return known.emplace(value, OfWords(lies, type.shape, storage)).first->second;
  };
  te::Tensor value = te::Placeholder("none", {1});
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = graph.nodes()[nodes[i]];
    std::vector<te::Tensor> inputs;
    const bool product = i == 0 && out.tile;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const ValueId input = node.inputs[k];
      if (product && k == 1 && HasPackedWeights(graph, node, *out.product)) {
        Tensor weights = WeightsOfTaps(graph, node, *out.product, *out.tile);
        const TensorType type = weights.type();
        inputs.push_back(
            add(type, KernelConstant{graph.value(input).name + "_packed", std::move(weights)}));
      } else if (product && k == 2 && TakesBiased(graph, node)) {
        Tensor bias = BiasOfBiased(graph, node);
        const TensorType type = bias.type();
        inputs.push_back(
            add(type, KernelConstant{graph.value(input).name + "_biased", std::move(bias)}));
      } else {
        inputs.push_back(operand(input));
      }
    }
    if (product) {
      const auto lies = words.find(node.inputs[0]);
      inputs[0] = FactorsOf(graph, node, *out.product, *out.tile, inputs[0],
                            lies == words.end() ? std::nullopt : std::optional(lies->second));
    }
    value = product ? DefineProductOfTaps(graph, node, inputs, *out.product, *out.tile)
            : i == 0 && out.lines ? DefineGpuLines(node, inputs[0], &*out.lines)
                                  : operators::Define(graph, node, inputs);
    if (te::IsElementwise(value)) value = te::Inlined(value);
    known.emplace(node.output, value);
  }
  Shape shape = operators::LoopShape(made.type.shape);
  if (made.storage) {
    value = InWords(value, *made.storage);
    shape = value.shape();
  }
  const bool in_lines = out.tile && out.tile->tensor && out.product->lines;
  if (in_lines) {
    params.push_back(
        te::Compute("out", {{"n", shape[0]}, {"o", shape[1]}, {"y", shape[2]}, {"x", shape[3]}},
                    [&](const std::vector<te::Expr>& at) { return value.At(at); }));
  } else if (const auto moved = out.tile ? OutAxesOf(graph, nodes, *out.product) : std::nullopt) {
    out.out_axes = *moved;
    std::vector<te::Axis> axes;
    for (size_t i = 0; i < moved->size(); ++i) axes.emplace_back(StrCat("d", i), (*moved)[i].size);
    params.push_back(te::Compute("out", axes, [&](const std::vector<te::Expr>& own) {
      std::vector<te::Expr> at;
      size_t next = 0;
      for (const int64_t size : shape) at.push_back(size == 1 ? te::Expr(0) : own[next++]);
      return value.At(at);
    }));
  } else if (out.tile && out.product->rows) {
    const te::Axis n{"n", out.product->batch}, p{"p", out.product->places},
        o{"o", out.product->outputs};
    params.push_back(te::Compute("out", {n, p, o}, [&](te::Expr n, te::Expr p, te::Expr o) {
      std::vector<te::Expr> at = IndexInBatch(shape, n);
      at.insert(at.end(), {p, o});
      return value.At(at);
    }));
  } else if (out.tile && shape.size() == 2) {
    params.push_back(te::Compute("out", {{"n", shape[0]}, {"o", shape[1]}, {"p", 1}},
                                 [&](te::Expr n, te::Expr o, te::Expr) { return value(n, o); }));
  } else if (out.tile && out.product->images > 1) {
    // Where a thread has some side by side all are of an image.
    const int64_t places = shape[2] * shape[3];
    const int64_t beside = places % out.tile->places_beside() == 0 ? out.tile->places_beside() : 1;
    const te::Expr width(shape[3]);
    params.push_back(te::Compute(
        "out", {{"n", shape[0]}, {"o", shape[1]}, {"q", places / beside}, {"p", beside}},
        [&](te::Expr n, te::Expr o, te::Expr q, te::Expr p) {
          const te::Expr place = q * beside + p;
          return value(n, o, FloorDiv(place, width), FloorMod(place, width));
        }));
  } else if (out.tile) {
    const te::Expr width(shape[3]);
    params.push_back(te::Compute("out",
                                 {{"n", shape[0]}, {"o", shape[1]}, {"p", shape[2] * shape[3]}},
                                 [&](te::Expr n, te::Expr o, te::Expr p) {
                                   return value(n, o, FloorDiv(p, width), FloorMod(p, width));
                                 }));
  } else {
    std::vector<te::Axis> axes;
    for (const int64_t extent : shape) axes.emplace_back(extent);
    params.push_back(
        te::Compute("out", axes, [&](const std::vector<te::Expr>& at) { return value.At(at); }));
  }
  out.function = te::Lower(name, params);
  return out;
}

}  // namespace vta::compiler::targets
