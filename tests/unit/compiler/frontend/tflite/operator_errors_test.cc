// What TensorFlow Lite models with operators that do not fit are told.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compiler/frontend/tflite/operators.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

/// The error of an operator on an input of that shape and constants, less its place.
struct Wrong : TfliteOperands<Wrong> {
  explicit Wrong(const std::vector<int32_t>& shape) { operands.push_back(b.Input("x", shape)); }
  Wrong& Values(const std::vector<float>& values) {
    operands.push_back(b.Constant<float>("values", {static_cast<int32_t>(values.size())}, values));
    return *this;
  }
  template <typename Options = tfl::ReducerOptionsT>
  std::string Error(Code code, std::optional<Options> options = std::nullopt, int outputs = 1) {
    std::vector<int32_t> made;
    for (int i = 0; i < outputs; ++i) made.push_back(b.Output("y", {}));
    tfl::OperatorT& op = b.Operator(code, operands, made);
    if (options) op.builtin_options.Set(std::move(*options));
    const std::string error = b.ImportError();
    const size_t place = error.find("): ");
    return place == std::string::npos ? error : error.substr(place + 3);
  }
};

/// The names of all operators that have a row.
std::set<std::string> Known() {
  constexpr int kCodes = 256;
  std::set<std::string> names;
  for (int code = 0; code < kCodes; ++code)
    if (FindTfliteOperator(code, "")) names.insert(TfliteOperatorName(code));
  for (const char* custom : {"Convolution2DTransposeBias"})
    if (FindTfliteOperator(static_cast<int>(Code::CUSTOM), custom)) names.insert(custom);
  return names;
}

TEST(TfliteOperatorErrors, TheFuzzingSeedsAreSoundAndHaveEveryOperator) {
  std::set<std::string> used;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/fuzz/corpus/tflite"))) {
    const std::vector<uint8_t> bytes = ReadFile(entry.path());
    const bool refused = entry.path().filename().string().starts_with("refused_");
    EXPECT_EQ(ErrorOf([&] { ImportTflite(bytes, "m"); }) != "no error", refused) << entry.path();
    if (refused) continue;
    for (const auto* code : *tfl::GetModel(bytes.data())->operator_codes())
      used.insert(code->custom_code() ? code->custom_code()->str()
                                      : TfliteOperatorName(static_cast<int>(code->builtin_code())));
  }
  EXPECT_EQ(Known(), used);
}

/// Its last paragraph lists them.
TEST(TfliteOperatorErrors, ThePageNamesEveryOperator) {
  const std::string page = ReadTextFile(SourcePath("docs/tflite.md"));
  const std::string list = page.substr(page.rfind("\n\n"));
  std::set<std::string> listed;
  for (size_t at = list.find('`'); at != std::string::npos; at = list.find('`', at + 1)) {
    const size_t first = at + 1;
    at = list.find('`', first);
    listed.insert(list.substr(first, at - first));
  }
  EXPECT_EQ(Known(), listed);
}

TEST(TfliteOperatorErrors, ConstantsThatAreNeeded) {
  TfliteBuilder b;
  b.Input("x", {2, 2});
  b.Input("axes", {1}, Type::INT32);
  b.Output("y", {2});
  b.Operator(Code::SUM, {0, 1}, {2});
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operator 0 \"y\" (SUM): input axes = axes: must be a constant");
  EXPECT_EQ(Wrong({2, 2}).Values({1}).Error(Code::SUM),
            "input axes = float32[1]: must be a list of int64 or int32");
  EXPECT_EQ(Wrong({2, 2}).Ints({2}).Error(Code::SUM), "axis = 2: must be in [-2, 2)");
  EXPECT_EQ(Wrong({2, 2}).Ints({0, 1}).Error(Code::ARG_MAX),
            "input axis = int32[2]: must have one element");
}

TEST(TfliteOperatorErrors, Shapes) {
  EXPECT_EQ(Wrong({2, 3}).Ints({4, -1}).Error(Code::RESHAPE),
            "shape = [4,-1]: must keep the elements of [2,3]");
  EXPECT_EQ(Wrong({2, 3}).Ints({-1, -1}).Error(Code::RESHAPE),
            "shape = [-1,-1]: must keep the elements of [2,3]");
  tfl::SqueezeOptionsT first;
  first.squeeze_dims = {0};
  EXPECT_EQ(Wrong({2, 3}).Error<tfl::SqueezeOptionsT>(Code::SQUEEZE, first),
            "squeeze_dims = 0: must be of size 1 in [2,3]");
  EXPECT_EQ(Wrong({2, 3}).Ints({3}).Error(Code::EXPAND_DIMS), "axis = 3: must be in [-3, 3)");
  EXPECT_EQ(Wrong({2, 3}).Ints({0, 0}).Error(Code::TRANSPOSE),
            "perm = [0,0]: must be a permutation of the 2 axes");
  EXPECT_EQ(Wrong({2, 3}).Ints({2}).Error(Code::TILE), "input multiples = [2]: must be 2 integers");
  EXPECT_EQ(Wrong({2, 3}).Ints({0, 1}).Error(Code::TILE),
            "input multiples = [0,1]: every dimension must be at least 1 and their product at most "
            "2^40");
  EXPECT_EQ(Wrong({2, 3}).Ints({2, 2}).Error(Code::BROADCAST_TO),
            "input shapes = [2,3] and [2,2]: must be equal or 1 in each dimension, counted from "
            "the last");
  TfliteBuilder pack;
  pack.Input("x", {2});
  pack.Input("z", {3});
  pack.Output("y", {});
  pack.Operator(Code::PACK, {0, 1}, {2});
  EXPECT_EQ(pack.ImportError(),
            "m.tflite: operator 0 \"y\" (PACK): input 1 shape = [3]: must be [2]");
}

TEST(TfliteOperatorErrors, Slices) {
  EXPECT_EQ(Wrong({3}).Ints({0, 0}).Ints({1, 1}).Error(Code::SLICE),
            "input begin = [0,0]: must be 1 integers");
  EXPECT_EQ(Wrong({3}).Ints({4}).Ints({1}).Error(Code::SLICE),
            "input begin = [4]: must lie in [3]");
  EXPECT_EQ(Wrong({3}).Ints({0}).Ints({-2}).Error(Code::SLICE),
            "input size = [-2]: must lie in [3]");
  EXPECT_EQ(Wrong({3}).Ints({2}).Ints({2}).Error(Code::SLICE),
            "slice of axis 0 = 2 from 2 by 1: must lie within its 3 elements");
  EXPECT_EQ(Wrong({3}).Ints({0}).Ints({3}).Ints({0}).Error(Code::STRIDED_SLICE),
            "input strides = [0]: must not be 0");
  EXPECT_EQ(Wrong({3}).Ints({0}).Ints({3}).Ints({1, 1}).Error(Code::STRIDED_SLICE),
            "input strides = [1,1]: must be at most 1 integers");
  EXPECT_EQ(Wrong({3, 3}).Ints({0}).Ints({3}).Ints({1, 1}).Error(Code::STRIDED_SLICE),
            "begin, end and strides = 1 begins: must be of one length");
  tfl::StridedSliceOptionsT ellipsis;
  ellipsis.ellipsis_mask = 1;
  EXPECT_EQ(Wrong({3}).Ints({0}).Ints({3}).Ints({1}).Error<tfl::StridedSliceOptionsT>(
                Code::STRIDED_SLICE, ellipsis),
            "ellipsis_mask and new_axis_mask = 1 and 0: must be 0");
  EXPECT_EQ(Wrong({3}).Ints({1, 1}).Ints({0}).Error(Code::SPLIT_V),
            "sizes = [1,1]: must be 1 whose sum is 3");
  EXPECT_EQ(Wrong({3}).Error<tfl::UnpackOptionsT>(Code::UNPACK, std::nullopt, 2),
            "outputs = 2: must be 3, the size of axis 0");
  tfl::GatherOptionsT batches;
  batches.batch_dims = 1;
  EXPECT_EQ(Wrong({3}).Ints({0}).Error<tfl::GatherOptionsT>(Code::GATHER, batches),
            "batch_dims = 1: must be 0");
  EXPECT_EQ(Wrong({3}).Ints({3}).Error(Code::GATHER), "input indices = 3: must be in [0, 3)");
}

TEST(TfliteOperatorErrors, Padding) {
  EXPECT_EQ(Wrong({3}).Ints({1, 1}).Error(Code::PAD),
            "input paddings = int32[2]: must be integers of shape [1,2]");
  EXPECT_EQ(Wrong({3}).Pairs({0, -1}).Error(Code::PAD),
            "input paddings = -1: must be from 0 to 2^31 - 1");
  EXPECT_EQ(Wrong({3}).Pairs({0, 1}).Ints({7}).Error(Code::PADV2),
            "input constant_values = int32[1]: must be of the input's type, float32");
  EXPECT_EQ(Wrong({3}).Pairs({0, 3}).Error(Code::MIRROR_PAD),
            "input paddings = 3: must be at most 2 for axis 0 of [3]");
}

TEST(TfliteOperatorErrors, Pictures) {
  const std::vector<int32_t> picture = {1, 3, 2, 6};
  for (const Code code : {Code::RESIZE_BILINEAR, Code::RESIZE_NEAREST_NEIGHBOR}) {
    EXPECT_EQ(Wrong({3}).Ints({1, 1}).Error(code), "input shape = [3]: must be [N,H,W,C]");
    EXPECT_EQ(Wrong(picture).Ints({1, 0}).Error(code),
              "input size = [1,0]: must be a height and a width from 1 to 2^24");
  }
  tfl::ResizeBilinearOptionsT both;
  both.align_corners = both.half_pixel_centers = true;
  EXPECT_EQ(
      Wrong(picture).Ints({1, 1}).Error<tfl::ResizeBilinearOptionsT>(Code::RESIZE_BILINEAR, both),
      "align_corners and half_pixel_centers = true: must not both be");
  EXPECT_EQ(Wrong({3}).Error(Code::DEPTH_TO_SPACE), "input shape = [3]: must be [N,H,W,C]");
  tfl::DepthToSpaceOptionsT to_space;
  tfl::SpaceToDepthOptionsT to_depth;
  to_space.block_size = to_depth.block_size = 2;
  EXPECT_EQ(Wrong(picture).Error<tfl::DepthToSpaceOptionsT>(Code::DEPTH_TO_SPACE, to_space),
            "block_size = 2: its square must divide the channels of [1,3,2,6]");
  EXPECT_EQ(Wrong(picture).Error<tfl::SpaceToDepthOptionsT>(Code::SPACE_TO_DEPTH, to_depth),
            "block_size = 2: must divide the height and width of [1,3,2,6]");
  EXPECT_EQ(Wrong(picture).Ints({2}).Pairs({0, 0}).Error(Code::SPACE_TO_BATCH_ND),
            "block of axis 1 = 2: must divide the padded [1,3,2,6]");
  EXPECT_EQ(Wrong(picture).Ints({0}).Pairs({0, 0}).Error(Code::SPACE_TO_BATCH_ND),
            "block of axis 1 = 0: must be from 1 to 2^24, and input paddings from 0 on");
  EXPECT_EQ(Wrong(picture).Ints({2}).Pairs({0, 0, 0, 0}).Error(Code::SPACE_TO_BATCH_ND),
            "input paddings = int32[2,2]: must be [1,2], for axes of [1,3,2,6]");
  EXPECT_EQ(Wrong(picture).Ints({2}).Pairs({0, 0}).Error(Code::BATCH_TO_SPACE_ND),
            "input block_shape = [2]: its product must divide the batch of [1,3,2,6]");
  EXPECT_EQ(Wrong({3}).Error(Code::MAX_POOL_2D), "input shape = [3]: must be [N,H,W,C]");
}

TEST(TfliteOperatorErrors, Products) {
  TfliteBuilder b;
  b.Input("x", {3});
  b.Output("y", {});
  b.Operator(Code::BATCH_MATMUL, {0, 0}, {1});
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operator 0 \"y\" (BATCH_MATMUL): input 0 = [3]: must have two dimensions or "
            "more");
  const auto transposed = [](const std::vector<int32_t>& shape) {
    TfliteBuilder t;
    t.Ints(shape);
    t.Constant<float>("w", {2, 3, 3, 1}, std::vector<float>(18));
    t.Input("x", {1, 4, 4, 1});
    t.Output("y", {});
    tfl::TransposeConvOptionsT options;
    options.stride_h = options.stride_w = 2;
    t.Operator(Code::TRANSPOSE_CONV, {0, 1, 2}, {3}, options);
    return t.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"y\" (TRANSPOSE_CONV): ";
  EXPECT_EQ(transposed({1, 8, 8, 2}), "no error");
  EXPECT_EQ(transposed({1, 8, 8, 3}), at + "input output_shape = [1,8,8,3]: must be [1,H,W,2]");
  EXPECT_EQ(
      transposed({1, 80, 8, 2}),
      at + "height and width of the output = [80,8]: are not what the strides make of [1,4,4,1]");
}

TEST(TfliteOperatorErrors, ScalesThatOverflow) {
  TfliteBuilder b;
  b.Scaled(b.Input("x", {1, 2}, Type::INT8), {1e-30f}, {0});
  b.Scaled(b.Constant<int8_t>("w", {1, 2}, {1, 2}), {1e-30f}, {0});
  b.Ints({7});
  b.Scaled(b.Output("y", {1, 1}, Type::INT8), {1}, {0});
  b.Operator(Code::FULLY_CONNECTED, {0, 1, 2}, {3});
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operator 0 \"y\" (FULLY_CONNECTED): input scale x weight scale = 0: must be "
            "positive and finite");
}

}  // namespace
}  // namespace vta::compiler
