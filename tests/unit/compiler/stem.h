// The first layer of a network of images: few channels through a wide window.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"

namespace vta::compiler {

/// A graph of one conv2d_i8: `channels` x `size` x `size` codes through a square window, with pads
/// that keep the size at a stride of 1, to `out` channels. No weight is 0.
inline Graph Stem(int64_t channels, int64_t size, int64_t kernel, int64_t stride, int64_t out) {
  Graph g("stem");
  const ValueId x = g.AddInput("x", {DType::kInt8, {1, channels, size, size}});
  Tensor w({DType::kInt8, {out, channels, kernel, kernel}});
  for (int64_t i = 0; i < w.elements(); ++i)
    w.mutable_data<int8_t>()[i] = static_cast<int8_t>(i % 113 + 1);
  const auto lanes = [&](const char* name, int32_t value) {
    return g.AddConstant(name, Tensor::Of<int32_t>({out}, std::vector<int32_t>(out, value)));
  };
  const int64_t pad = kernel / 2;
  g.Emit(Op::kConv2dI8, "conv",
         {x, g.AddConstant("w", w), lanes("b", 0), lanes("m", 1 << 30), lanes("e", -12)},
         {{"strides", Shape{stride, stride}},
          {"pads", Shape{pad, pad, pad, pad}},
          {"dilations", Shape{1, 1}},
          {"groups", int64_t{1}},
          {"pad_value", int64_t{0}},
          {"zero_point", int64_t{0}},
          {"low", int64_t{-128}},
          {"high", int64_t{127}}});
  return g;
}

}  // namespace vta::compiler
