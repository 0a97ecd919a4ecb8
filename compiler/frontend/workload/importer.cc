#include <algorithm>
#include <set>

#include "compiler/frontend/emitter.h"
#include "compiler/frontend/random_weights.h"
#include "compiler/frontend/workload.h"
#include "compiler/frontend/workload/formats.h"
#include "compiler/graph/verify.h"

namespace vta::compiler {
namespace {

struct Format {
  bool (*is)(std::string_view text);
  ShapeLayers (*parse)(std::string_view text, const std::string& file);
};
constexpr Format kFormats[] = {
    {IsScaleSim, ParseScaleSim}, {IsZigZag, ParseZigZag}, {IsTimeloop, ParseTimeloop}};

const Format* FormatOf(std::string_view text) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return format.is(text); });
  return found == std::end(kFormats) ? nullptr : found;
}

/// Emits one layer after the other.
class NetworkOfLayers {
 public:
  NetworkOfLayers(const std::string& name, const ImportOptions& options) : options_(options) {
    scope_.graph = Graph(name);
    scope_.max_bytes = options.max_bytes;
  }

  void Add(const ShapeLayer& layer) {
    std::string name = layer.name;
    for (int number = 2; !names_.insert(name).second; ++number)
      name = StrCat(layer.name, "_", number);
    Emitter emitter(scope_, name, name, layer.where);
    const ValueId value =
        layer.kind == ShapeLayer::Kind::kSum ? Sum(emitter, layer) : Product(emitter, layer);
    scope_.graph.AddOutput(name, value);
  }

  Graph Finish() && {
    Verify(scope_.graph);
    return std::move(scope_.graph);
  }

 private:
  static TensorType Checked(const Emitter& emitter, Shape shape) {
    if (!CheckedElements(shape))
      throw emitter.Fail("shape", ToText(shape), "must have at most 2^40 elements");
    return {DType::kFloat32, std::move(shape)};
  }

  ValueId Input(const Emitter& emitter, const std::string& suffix, Shape shape) {
    const TensorType type = Checked(emitter, std::move(shape));
    scope_.Count(type, emitter.Where());
    return scope_.graph.AddInput(StrCat(emitter.name(), ".", suffix), type);
  }

  ValueId Weights(Emitter& emitter, Shape shape, int64_t summed) {
    const TensorType type = Checked(emitter, std::move(shape));
    emitter.Require(type);
    if (options_.on_random_weights) options_.on_random_weights(emitter.name());
    return emitter.AddConstant(
        "weights", RandomTensor(type, WeightRange(summed), *options_.weights_seed, emitter.name()));
  }

  ValueId Sum(Emitter& emitter, const ShapeLayer& layer) {
    const Shape shape = {layer.batch, layer.channels, layer.input[0], layer.input[1]};
    const ValueId a = Input(emitter, "a", shape);
    return emitter.Emit(Op::kAdd, {a, Input(emitter, "b", shape)});
  }

  ValueId Product(Emitter& emitter, const ShapeLayer& layer) {
    const int64_t channels = layer.groups * layer.channels, filters = layer.groups * layer.filters;
    const int64_t summed = layer.channels * layer.kernel[0] * layer.kernel[1];
    const bool is_pixel =
        layer.groups == 1 && layer.input[0] * layer.input[1] == 1 && summed == layer.channels;
    if (is_pixel) {
      const ValueId x = Input(emitter, "input", {layer.batch, channels});
      return emitter.Emit(
          Op::kGemm, {x, Weights(emitter, {filters, channels}, summed)},
          {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
    }
    const ValueId x =
        Input(emitter, "input", {layer.batch, channels, layer.input[0], layer.input[1]});
    const ValueId w =
        Weights(emitter, {filters, layer.channels, layer.kernel[0], layer.kernel[1]}, summed);
    const auto list = [](const auto& sizes) {
      return std::vector<int64_t>(sizes.begin(), sizes.end());
    };
    return emitter.Emit(Op::kConv2d, {x, w},
                        {{"strides", list(layer.strides)},
                         {"pads", list(layer.pads)},
                         {"dilations", list(layer.dilations)},
                         {"groups", layer.groups}});
  }

  const ImportOptions& options_;
  ImportScope scope_;
  std::set<std::string> names_;
};

}  // namespace

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool IsWorkload(std::string_view text) { return FormatOf(text) != nullptr; }

Graph ImportWorkload(std::string_view text, const std::string& file, const ImportOptions& options) {
  const ShapeLayers workload = FormatOf(text)->parse(text, file);
  if (options.on_left_out)
    for (const std::string& layer : workload.left_out) options.on_left_out(layer);
  if (workload.layers.empty()) throw Error(file, "layers", "0", "there must be one");
  if (!options.weights_seed)
    throw Error(file, "", "", "has the shapes of layers alone: --assume int8 gives them weights");
  NetworkOfLayers network(workload.name, options);
  for (const ShapeLayer& layer : workload.layers) network.Add(layer);
  return std::move(network).Finish();
}

}  // namespace vta::compiler
