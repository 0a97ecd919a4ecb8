// Operators of TensorFlow Lite models that move, choose and resize elements, against values worked
// out by hand.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

/// 0, 1, 2, ... of a shape.
Tensor Counted(const Shape& shape) {
  std::vector<float> values(Elements(shape));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::Of<float>(shape, values);
}

Tensor Of(const Shape& shape, const std::vector<float>& values) {
  return Tensor::Of<float>(shape, values);
}

/// An operator on 0, 1, 2, ..., and constants.
struct Case : TfliteOperands<Case> {
  explicit Case(const Shape& shape) : x(Counted(shape)) {
    operands.push_back(b.Input("x", {shape.begin(), shape.end()}));
  }
  Case& Float(float value) {
    operands.push_back(b.Constant<float>("value", {}, {value}));
    return *this;
  }
  Tensor Out(Code code) {
    b.Operator(code, operands, {b.Output("y", {})});
    return b.Run({x});
  }
  template <typename Options>
  Tensor Out(Code code, Options options) {
    b.Operator(code, operands, {b.Output("y", {})}, std::move(options));
    return b.Run({x});
  }
  /// All outputs of an operator that has several.
  std::vector<Tensor> Outs(Code code, int count) {
    std::vector<int32_t> outputs;
    for (int i = 0; i < count; ++i) outputs.push_back(b.Output(StrCat("y", i), {}));
    b.Operator(code, operands, outputs);
    return Evaluate(b.Import(), {x});
  }

  Tensor x;
};

TEST(TfliteMovement, Shapes) {
  EXPECT_EQ(Case({2, 3}).Ints({3, -1}).Out(Code::RESHAPE), Counted({3, 2}));
  tfl::ReshapeOptionsT by_option;
  by_option.new_shape = {6};
  EXPECT_EQ(Case({2, 3}).Out(Code::RESHAPE, by_option), Counted({6}));
  tfl::SqueezeOptionsT all, one;
  one.squeeze_dims = {-2};
  EXPECT_EQ(Case({1, 3, 1, 2}).Out(Code::SQUEEZE, all), Counted({3, 2}));
  EXPECT_EQ(Case({1, 3, 1, 2}).Out(Code::SQUEEZE, one), Counted({1, 3, 2}));
  EXPECT_EQ(Case({2, 3}).Ints({-1}).Out(Code::EXPAND_DIMS), Counted({2, 3, 1}));
  EXPECT_EQ(Case({2, 3}).Ints({1, 0}).Out(Code::TRANSPOSE), Of({3, 2}, {0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Case({1, 2}).Ints({2, 2}).Out(Code::TILE), Of({2, 4}, {0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(Case({2, 1}).Ints({2, 2}).Out(Code::BROADCAST_TO), Of({2, 2}, {0, 0, 1, 1}));
}

/// As converters write a flattening whose batch they do not know.
TEST(TfliteMovement, ShapesAreArithmeticOfConstants) {
  TfliteBuilder b;
  b.Input("x", {1, 3, 4});
  b.tensor(0).shape_signature = {-1, 3, 4};
  const int32_t shape = b.Tensor("shape", {3}, Type::INT32);
  const int32_t batch = b.Tensor("batch", {}, Type::INT32);
  const int32_t asked = b.Tensor("asked", {2}, Type::INT32);
  const int32_t rest = b.Constant<int32_t>("rest", {}, {12});
  const int32_t begin = b.Ints({0}), end = b.Ints({1}), strides = b.Ints({1});
  b.Output("y", {1, 12});
  b.tensor(b.graph().outputs[0]).shape_signature = {-1, 12};
  b.Operator(Code::SHAPE, {0}, {shape});
  tfl::StridedSliceOptionsT shrink;
  shrink.shrink_axis_mask = 1;
  b.Operator(Code::STRIDED_SLICE, {shape, begin, end, strides}, {batch}, shrink);
  b.Operator(Code::PACK, {batch, rest}, {asked}, tfl::PackOptionsT());
  b.Operator(Code::RESHAPE, {0, asked}, {b.graph().outputs[0]});
  EXPECT_EQ(Evaluate(b.Import({.batch = 2}), {Counted({2, 3, 4})})[0], Counted({2, 12}));
  TfliteBuilder rank;
  rank.Input("x", {1, 3, 4});
  rank.Output("y", {}, Type::INT32);
  rank.Operator(Code::RANK, {0}, {1});
  EXPECT_EQ(rank.Run({Counted({1, 3, 4})}), Tensor::Scalar<int32_t>(3));
  TfliteBuilder fill;
  fill.Ints({2, 2});
  fill.Constant<float>("v", {}, {2.5f});
  fill.Output("y", {2, 2});
  fill.Operator(Code::FILL, {0, 1}, {2});
  EXPECT_EQ(fill.Run({}), Of({2, 2}, {2.5f, 2.5f, 2.5f, 2.5f}));
}

TEST(TfliteMovement, JoinedAndSplit) {
  TfliteBuilder join;
  join.Input("x", {1, 2});
  join.Constant<float>("c", {1, 1}, {7});
  join.Output("y", {1, 3});
  tfl::ConcatenationOptionsT last;
  last.axis = -1;
  join.Operator(Code::CONCATENATION, {0, 1}, {2}, last);
  EXPECT_EQ(join.Run({Counted({1, 2})}), Of({1, 3}, {0, 1, 7}));
  TfliteBuilder pack;
  pack.Input("x", {2});
  pack.Output("y", {2, 2});
  tfl::PackOptionsT second;
  second.axis = 1;
  pack.Operator(Code::PACK, {0, 0}, {1}, second);
  EXPECT_EQ(pack.Run({Counted({2})}), Of({2, 2}, {0, 0, 1, 1}));
  EXPECT_EQ(Case({2, 2}).Outs(Code::UNPACK, 2),
            (std::vector<Tensor>{Of({2}, {0, 1}), Of({2}, {2, 3})}));
  Case by_sizes({1, 4});
  by_sizes.Ints({1, -1});
  by_sizes.operands.push_back(by_sizes.b.Constant<int32_t>("axis", {}, {1}));
  EXPECT_EQ(by_sizes.Outs(Code::SPLIT_V, 2),
            (std::vector<Tensor>{Of({1, 1}, {0}), Of({1, 3}, {1, 2, 3})}));
  Case equal({1, 4});
  equal.operands.insert(equal.operands.begin(), equal.b.Constant<int32_t>("axis", {}, {1}));
  EXPECT_EQ(equal.Outs(Code::SPLIT, 2),
            (std::vector<Tensor>{Of({1, 2}, {0, 1}), Of({1, 2}, {2, 3})}));
}

TEST(TfliteMovement, Slices) {
  EXPECT_EQ(Case({3, 3}).Ints({1, 0}).Ints({-1, 2}).Out(Code::SLICE), Of({2, 2}, {3, 4, 6, 7}));
  EXPECT_EQ(Case({2, 2}).Ints({-1}).Out(Code::REVERSE_V2), Of({2, 2}, {1, 0, 3, 2}));
  const auto strided = [](int begin_mask, int end_mask, int shrink_mask,
                          const std::vector<int32_t>& begin, const std::vector<int32_t>& end,
                          const std::vector<int32_t>& strides) {
    tfl::StridedSliceOptionsT options;
    options.begin_mask = begin_mask;
    options.end_mask = end_mask;
    options.shrink_axis_mask = shrink_mask;
    return Case({3, 4}).Ints(begin).Ints(end).Ints(strides).Out(Code::STRIDED_SLICE, options);
  };
  EXPECT_EQ(strided(0, 0, 0, {1, 0}, {3, 4}, {1, 2}), Of({2, 2}, {4, 6, 8, 10}));
  EXPECT_EQ(strided(0, 0, 0, {1}, {2}, {1}), Of({1, 4}, {4, 5, 6, 7}));
  EXPECT_EQ(strided(2, 1, 0, {2, 9}, {0, 2}, {1, 1}), Of({1, 2}, {8, 9}));
  EXPECT_EQ(strided(3, 3, 0, {0, 0}, {0, 0}, {-2, -3}), Of({2, 2}, {11, 8, 3, 0}));
  EXPECT_EQ(strided(0, 0, 1, {-1, 1}, {0, 3}, {1, 1}), Of({2}, {9, 10}));
  tfl::GatherOptionsT columns;
  columns.axis = 1;
  EXPECT_EQ(Case({2, 3}).Ints({2, 0}).Out(Code::GATHER, columns), Of({2, 2}, {2, 0, 5, 3}));
}

TEST(TfliteMovement, Padding) {
  const std::vector<int32_t> pads = {0, 1, 1, 0};
  EXPECT_EQ(Case({1, 2}).Pairs(pads).Out(Code::PAD), Of({2, 3}, {0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(Case({1, 2}).Pairs(pads).Float(7).Out(Code::PADV2), Of({2, 3}, {7, 0, 1, 7, 7, 7}));
  tfl::MirrorPadOptionsT reflect, symmetric;
  symmetric.mode = tfl::MirrorPadMode::SYMMETRIC;
  EXPECT_EQ(Case({3}).Pairs({2, 1}).Out(Code::MIRROR_PAD, reflect), Of({6}, {2, 1, 0, 1, 2, 1}));
  EXPECT_EQ(Case({3}).Pairs({2, 1}).Out(Code::MIRROR_PAD, symmetric), Of({6}, {1, 0, 0, 1, 2, 2}));
  TfliteBuilder codes;  // are padded with their zero point
  codes.Scaled(codes.Input("x", {2}, Type::INT8), {0.5f}, {9});
  codes.Constant<int32_t>("p", {1, 2}, {1, 2});
  codes.Scaled(codes.Output("y", {5}, Type::INT8), {0.5f}, {9});
  codes.Operator(Code::PAD, {0, 1}, {2});
  EXPECT_EQ(codes.Run({Tensor::Of<int8_t>({2}, {1, 2})}), Tensor::Of<int8_t>({5}, {9, 1, 2, 9, 9}));
}

TEST(TfliteMovement, Blocks) {
  tfl::DepthToSpaceOptionsT to_space;
  tfl::SpaceToDepthOptionsT to_depth;
  to_space.block_size = to_depth.block_size = 2;
  EXPECT_EQ(Case({1, 1, 2, 4}).Out(Code::DEPTH_TO_SPACE, to_space),
            Of({1, 2, 4, 1}, {0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(Case({1, 2, 4, 1}).Out(Code::SPACE_TO_DEPTH, to_depth),
            Of({1, 1, 2, 4}, {0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(Case({1, 3, 1}).Ints({2}).Pairs({1, 0}).Out(Code::SPACE_TO_BATCH_ND),
            Of({2, 2, 1}, {0, 1, 0, 2}));
  EXPECT_EQ(Case({2, 2, 1}).Ints({2}).Pairs({1, 0}).Out(Code::BATCH_TO_SPACE_ND),
            Of({1, 3, 1}, {2, 1, 3}));
}

TEST(TfliteMovement, ResizedByTheNearest) {
  const auto y = [](int32_t in, int32_t out, bool corners, bool half) {
    tfl::ResizeNearestNeighborOptionsT options;
    options.align_corners = corners;
    options.half_pixel_centers = half;
    const Tensor y = Case({1, 1, in, 1}).Ints({1, out}).Out(Code::RESIZE_NEAREST_NEIGHBOR, options);
    return y.Reshaped({out});
  };
  EXPECT_EQ(y(2, 4, false, false), Of({4}, {0, 0, 1, 1}));
  EXPECT_EQ(y(3, 2, false, false), Of({2}, {0, 1}));
  EXPECT_EQ(y(3, 2, false, true), Of({2}, {0, 2}));
  EXPECT_EQ(y(2, 4, true, false), Of({4}, {0, 0, 1, 1}));
  EXPECT_EQ(y(4, 2, true, false), Of({2}, {0, 3}));
}

TEST(TfliteMovement, ResizedBetweenTwo) {
  const auto y = [](int32_t in, int32_t out, bool corners, bool half) {
    tfl::ResizeBilinearOptionsT options;
    options.align_corners = corners;
    options.half_pixel_centers = half;
    return Case({1, in, 1, 1}).Ints({out, 1}).Out(Code::RESIZE_BILINEAR, options).Reshaped({out});
  };
  EXPECT_EQ(y(2, 4, false, false), Of({4}, {0, 0.5f, 1, 1}));
  EXPECT_EQ(y(2, 4, false, true), Of({4}, {0, 0.25f, 0.75f, 1}));
  EXPECT_EQ(y(3, 5, true, false), Of({5}, {0, 0.5f, 1, 1.5f, 2}));
  EXPECT_EQ(y(4, 2, false, true), Of({2}, {0.5f, 2.5f}));
}

/// Against its definition: each element of the input adds a kernel to the output.
TEST(TfliteMovement, TransposedConvolutions) {
  for (const bool same : {false, true})
    for (const int32_t stride : {1, 2, 3})
      for (const int32_t k : {1, 2, 3, 4, 5}) {
        const int32_t h = 3, w = 2;
        const int32_t oh = same ? h * stride : (h - 1) * stride + k;
        const int32_t ow = same ? w * stride : (w - 1) * stride + k;
        TfliteBuilder b;
        b.Ints({1, oh, ow, 2});
        const Tensor weights = Counted({2, k, k, 1});
        b.Constant<float>("w", {2, k, k, 1},
                          {weights.data<float>().begin(), weights.data<float>().end()});
        b.Input("x", {1, h, w, 1});
        b.Output("y", {1, oh, ow, 2});
        tfl::TransposeConvOptionsT options;
        options.padding = same ? tfl::Padding::SAME : tfl::Padding::VALID;
        options.stride_h = options.stride_w = stride;
        b.Operator(Code::TRANSPOSE_CONV, {0, 1, 2}, {3}, options);
        std::vector<float> expected(oh * ow * 2);
        const int32_t before = same ? std::max(k - stride, 0) / 2 : 0;
        for (int32_t y = 0; y < h; ++y)
          for (int32_t x = 0; x < w; ++x)
            for (int32_t ky = 0; ky < k; ++ky)
              for (int32_t kx = 0; kx < k; ++kx)
                for (int32_t oc = 0; oc < 2; ++oc) {
                  const int32_t oy = y * stride + ky - before, ox = x * stride + kx - before;
                  if (oy >= 0 && oy < oh && ox >= 0 && ox < ow)
                    expected[(oy * ow + ox) * 2 + oc] +=
                        static_cast<float>((y * w + x) * ((oc * k + ky) * k + kx));
                }
        EXPECT_EQ(b.Run({Counted({1, h, w, 1})}), Of({1, oh, ow, 2}, expected))
            << same << stride << k;
      }
}

}  // namespace
}  // namespace vta::compiler
