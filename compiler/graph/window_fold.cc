#include "compiler/graph/window_fold.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

/// One axis of the window: `fold` taps become channels, `taps` of them are left.
struct FoldedAxis {
  int64_t fold, taps, step, stride, dilation, pad_end;

  FoldedAxis(int64_t kernel, int64_t fold_taps, int64_t old_stride, int64_t old_dilation,
             int64_t input, int64_t pad_begin, int64_t output)
      : fold(fold_taps), taps((kernel + fold - 1) / fold) {
    // Positions of the input that the taps left start from; im2col keeps one in `step`.
    const int64_t apart = fold * old_dilation;
    step = taps == 1 ? old_stride : std::gcd(old_stride, apart);
    stride = old_stride / step;
    dilation = taps == 1 ? 1 : apart / step;
    const int64_t positions = (output - 1) * stride + (taps - 1) * dilation + 1;
    const int64_t reach = (positions - 1) * step + (fold - 1) * old_dilation + 1;
    pad_end = std::max<int64_t>(reach - input - pad_begin, 0);
  }
};

/// Shape: [channels, in, kh, kw] -> [channels, rows * columns * in, taps left].
Tensor FoldWeights(const Tensor& weights, const FoldedAxis& h, const FoldedAxis& w) {
  const Shape& old = weights.shape();
  const int64_t in = old[1], kh = old[2], kw = old[3];
  Tensor folded(TensorType{weights.dtype(), {old[0], h.fold * w.fold * in, h.taps, w.taps}});
  const int64_t size = Bytes(weights.dtype());
  const uint8_t* from = weights.bytes().data();
  const std::span<uint8_t> bytes = folded.mutable_bytes();
  // Of each tap where it goes among those of an input channel's first.
  std::vector<int64_t> places;
  for (int64_t y = 0; y < kh; ++y)
    for (int64_t x = 0; x < kw; ++x)
      places.push_back(((y % h.fold * w.fold + x % w.fold) * in * h.taps + y / h.fold) * w.taps +
                       x / w.fold);
  for (int64_t o = 0; o < old[0]; ++o)
    for (int64_t c = 0; c < in; ++c)
      for (const int64_t place : places) {
        const int64_t to = (o * folded.shape()[1] + c) * h.taps * w.taps + place;
        std::copy_n(from, size, &bytes[to * size]);
        from += size;
      }
  return folded;
}

}  // namespace

ValueId EmitFolded(const Graph& from, const Node& conv, const WindowFold& fold,
                   std::vector<ValueId> inputs, const std::string& value_name, Graph* to) {
  const Shape &x = from.shape(conv.inputs[0]), &y = from.shape(conv.output);
  const Tensor& weights = *from.constant(conv.inputs[1]);
  const std::vector<int64_t>&strides = conv.Ints("strides"), &pads = conv.Ints("pads");
  const std::vector<int64_t>& dilations = conv.Ints("dilations");
  const FoldedAxis h(weights.shape()[2], fold.rows, strides[0], dilations[0], x[2], pads[0], y[2]);
  const FoldedAxis w(weights.shape()[3], fold.columns, strides[1], dilations[1], x[3], pads[1],
                     y[3]);
  inputs[0] = to->Emit(Op::kIm2Col, conv.name + ".im2col", {inputs[0]},
                       {{"kernel", Shape{fold.rows, fold.columns}},
                        {"strides", Shape{h.step, w.step}},
                        {"dilations", dilations},
                        {"pads", Shape{pads[0], pads[1], h.pad_end, w.pad_end}},
                        {"pad_value", conv.Int("pad_value")}});
  inputs[1] = to->AddConstant(from.value(conv.inputs[1]).name, FoldWeights(weights, h, w));
  Attributes attributes = conv.attributes;
  attributes.Set("strides", Shape{h.stride, w.stride});
  attributes.Set("dilations", Shape{h.dilation, w.dilation});
  attributes.Set("pads", Shape(4));
  return to->Emit(Op::kConv2dI8, conv.name, std::move(inputs), std::move(attributes), value_name);
}

bool ReadsFold(const Graph& graph, const Node& node) {
  const Node* x = graph.Producer(node.inputs[0]);
  if (x && x->op == Op::kPack) x = graph.Producer(x->inputs[0]);
  return x && x->op == Op::kIm2Col;
}

Graph FoldedAlone(const Graph& from, const Node& conv, const WindowFold& fold) {
  Graph alone("folded", from.rounding());
  std::vector<ValueId> inputs = {alone.AddInput("x", from.type(conv.inputs[0]))};
  for (size_t i = 1; i < conv.inputs.size(); ++i)
    inputs.push_back(alone.AddConstant("c", from.value(conv.inputs[i]).constant));
  EmitFolded(from, conv, fold, std::move(inputs), "", &alone);
  return alone;
}

}  // namespace vta::compiler
