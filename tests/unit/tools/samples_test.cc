// Samples and labels out of files: what converts, and what is refused.
#include "tools/shared/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/tools/bytes.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {
namespace {

using isa::ElementType;

const isa::PackageTensor kPair{"x", ElementType::kInt8, {2}};

TEST(SamplesTest, IntegersTakeTheNearestWholeNumber) {
  const auto samples =
      ParseSamples(Bytes<float>({1.4f, -2.6f, -128.4f, 127.4f}), "f", kPair, {.type = "float32"});
  EXPECT_EQ(samples, (std::vector{Bytes<int8_t>({1, -3}), Bytes<int8_t>({-128, 127})}));
  const isa::PackageTensor middle{"m", ElementType::kInt16, {2}};
  EXPECT_EQ(ParseSamples(Bytes<float>({-32768.4f, 0.6f}), "f", middle, {.type = "float32"})[0],
            Bytes<int16_t>({-32768, 1}));
  EXPECT_EQ(ParseSamples(Bytes<int16_t>({-256, 254}), "f", kPair, {"int16", 0.5})[0],
            Bytes<int8_t>({-128, 127}));
  const isa::PackageTensor wide{"w", ElementType::kInt64, {1}};
  EXPECT_EQ(ParseSamples(Bytes<float>({-0x1p63f}), "f", wide, {.type = "float32"})[0],
            Bytes<int64_t>({std::numeric_limits<int64_t>::min()}));
}

TEST(SamplesTest, ValuesOutsideTheTypeAreRefused) {
  const auto refusal = [](float value, double scale = 1) {
    return ErrorOf([&] {
      ParseSamples(Bytes<float>({0, 0, 0, value}), "f", kPair, {"float32", scale});
    });
  };
  EXPECT_EQ(refusal(127.75f), "f: sample 1: element 1 = 127.75: does not fit x, which is int8");
  EXPECT_EQ(refusal(-1, 1e9), "f: sample 1: element 1 = -1e+09: does not fit x, which is int8");
  EXPECT_EQ(refusal(NAN), "f: sample 1: element 1 = nan: does not fit x, which is int8");
  const isa::PackageTensor wide{"w", ElementType::kInt64, {1}};
  EXPECT_EQ(ErrorOf([&] { ParseSamples(Bytes<float>({0x1p63f}), "f", wide, {"float32"}); }),
            "f: sample 0: element 0 = 9.22337204e+18: does not fit w, which is int64");
}

TEST(SamplesTest, FloatsOfAnInputAreFinite) {
  const isa::PackageTensor real{"x", ElementType::kFloat32, {3}};
  const auto refusal = [&](float value) {
    return ErrorOf([&] { RequireFinite(Bytes<float>({1, value, 2}), real, "f: sample 4"); });
  };
  EXPECT_EQ(refusal(std::numeric_limits<float>::max()), "no error");
  EXPECT_EQ(refusal(NAN), "f: sample 4: element 1 = nan: must be finite: an input of x");
  EXPECT_EQ(refusal(-INFINITY), "f: sample 4: element 1 = -inf: must be finite: an input of x");
  // Bytes of another type are not read as floats.
  RequireFinite(Bytes<float>({NAN}), {"i", ElementType::kInt32, {1}}, "f");
}

TEST(SamplesTest, ATensorWithoutElementsHasNoSamples) {
  const isa::PackageTensor empty{"x", ElementType::kInt8, {4, 0}};
  EXPECT_EQ(ErrorOf([&] { ParseSamples(Bytes<int8_t>({1}), "f", empty); }),
            "f: size = 1 byte: must be whole samples of x: 0 int8 values, 0 bytes each");
}

TEST(SamplesTest, LabelsAreIntegersOneALine) {
  EXPECT_EQ(ParseLabels("3\n0\n7", "f", 8), (std::vector<int64_t>{3, 0, 7}));
  EXPECT_EQ(ErrorOf([] { ParseLabels("3\n\n", "f", 8); }),
            "f:2: label: must be an integer, one a line");
  EXPECT_EQ(ErrorOf([] { ParseLabels("3\n9223372036854775808\n", "f", 8); }),
            "f:2: label = 9223372036854775808: must be an integer, one a line");
}

TEST(SamplesTest, LabelsAreClassesOfTheOutput) {
  EXPECT_EQ(ErrorOf([] { ParseLabels("0\n-1\n", "f", 10); }),
            "f:2: label = -1: must be 0 to 9: the output has 10 classes");
  EXPECT_EQ(ErrorOf([] { ParseLabels("1000000", "f", 10); }),
            "f:1: label = 1000000: must be 0 to 9: the output has 10 classes");
  EXPECT_EQ(ErrorOf([] { ParseLabels("9\n10", "f", 10); }),
            "f:2: label = 10: must be 0 to 9: the output has 10 classes");
}

const isa::PackageTensor kRows{"x", ElementType::kInt8, {1, 2, 3}};

TEST(SamplesTest, ATensorIsOneSampleOrSeveral) {
  using Shape = std::vector<int64_t>;
  const auto samples = [](const Shape& shape) {
    StoredTensor tensor{"int8", shape, {}};
    int64_t elements = 1;
    for (int64_t extent : shape) elements *= extent;
    tensor.bytes.resize(static_cast<size_t>(elements));
    std::iota(tensor.bytes.begin(), tensor.bytes.end(), uint8_t{0});
    return SamplesOf(tensor, "f", kRows);
  };
  const std::vector first = Bytes<int8_t>({0, 1, 2, 3, 4, 5}),
                    second = Bytes<int8_t>({6, 7, 8, 9, 10, 11});
  EXPECT_EQ(samples({1, 2, 3}), (std::vector<std::vector<uint8_t>>{first}));
  EXPECT_EQ(samples({2, 2, 3}), (std::vector{first, second}));
  EXPECT_EQ(samples({2, 1, 2, 3}), (std::vector{first, second}));
  for (const Shape& shape : {Shape{2, 3}, {6}, {1, 3, 2}, {1, 2, 3, 1}, {2, 2, 2, 3}, {}})
    EXPECT_EQ(ErrorOf([&] { samples(shape); }),
              "f: shape = " + ShapeText(shape) +
                  ": must be [1,2,3] of x, or several along the first dimension");
  EXPECT_EQ(ErrorOf([&] {
              samples({0, 2, 3});
            }),
            "f: size = 0 bytes: must be whole samples of x: 6 int8 values, 6 bytes each");
}

TEST(SamplesTest, ATensorHasTheTypeOfTheModelUnlessItIsToConvert) {
  const StoredTensor tensor{"float32", {1, 2, 3}, Bytes<float>({1.5, 2, 3, 4, 5, -6})};
  EXPECT_EQ(ErrorOf([&] { SamplesOf(tensor, "f", kRows); }),
            "f: element type = float32: must be int8, as is x; --input-type converts inputs");
  EXPECT_EQ(ErrorOf([&] { SamplesOf(tensor, "f", kRows, {.type = "uint8"}); }),
            "f: element type = float32: must be uint8 to convert to x");
  EXPECT_EQ(SamplesOf(tensor, "f", kRows, {"float32", 2})[0], Bytes<int8_t>({3, 4, 6, 8, 10, -12}));
}

TEST(SamplesTest, WrittenTensorsAreReadAgain) {
  const std::vector samples = {Bytes<int8_t>({1, 2, 3, 4, 5, 6}),
                               Bytes<int8_t>({7, 8, 9, 0, -1, -2})};
  for (const std::string path : {"y.npy", "y.pb"}) {
    const std::vector<uint8_t> written = SerializeSampleFile(samples, kRows, path);
    EXPECT_EQ(ParseTensorFile(written, path).shape(), (compiler::Shape{2, 2, 3}));
    EXPECT_EQ(ParseSampleFile(written, path, kRows), samples);
    const isa::PackageTensor scalar{"s", ElementType::kInt64, {}};
    using Samples = std::vector<std::vector<uint8_t>>;
    const Samples one = {Bytes<int64_t>({5})}, two = {one[0], Bytes<int64_t>({-6})};
    for (const Samples& scalars : {one, two})
      EXPECT_EQ(ParseSampleFile(SerializeSampleFile(scalars, scalar, path), path, scalar), scalars);
  }
  EXPECT_EQ(SerializeSampleFile(samples, kRows, "y.bin"),
            Bytes<int8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 0, -1, -2}));
}

// numpy.save of numpy.array([[1, -2]], numpy.int16), byte for byte.
constexpr char kNumpys[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }            "
    "                                              \n\x01\x00\xfe\xff";
const std::string kNumpy(kNumpys, sizeof kNumpys - 1);

StoredTensor Npy(const std::string& text) {
  return ParseNpy({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "f.npy");
}

TEST(TensorFileTest, ReadsAndWritesWhatNumpyWrites) {
  EXPECT_EQ(Npy(kNumpy), (StoredTensor{"int16", {1, 2}, Bytes<int16_t>({1, -2})}));
  const std::vector<uint8_t> written = SerializeNpy(Npy(kNumpy));
  EXPECT_EQ(std::string(written.begin(), written.end()), kNumpy);
  const std::string header = "{\"shape\":(),\"fortran_order\":False,\"descr\":\"|b1\"}  \n";
  const std::string version2 = std::string("\x93NUMPY\x02\x00", 8) +
                               static_cast<char>(header.size()) + std::string(3, '\0') + header +
                               '\x07';
  EXPECT_EQ(Npy(version2), (StoredTensor{"bool", {}, {1}}));
  const std::string path = "f.npy";
  EXPECT_EQ(ParseTensorFile(written, path), compiler::Tensor::Of<int16_t>({1, 2}, {1, -2}));
  EXPECT_EQ(SerializeTensorFile(ParseTensorFile(written, path), path), written);
}

TEST(TensorFileTest, RefusesOtherArrays) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kNumpy;
    text.replace(text.find(from), from.size(), to);
    return ErrorOf([&] { Npy(text); });
  };
  EXPECT_EQ(with("NUMPY", "NUMPZ"), "f.npy: is not a NumPy array: it must start with \\x93NUMPY");
  EXPECT_EQ(with("<i2", ">i2"),
            "f.npy: NumPy type = >i2: must be one of |b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <f4 <f8");
  EXPECT_EQ(with("<i2", "<f2").substr(0, 32), "f.npy: NumPy type = <f2: must be");
  EXPECT_EQ(with("False", "True "),
            "f.npy: NumPy header = 'True , 'shape': (1, 2), }               ': must be False: rows "
            "first, as numpy.ascontiguousarray makes them");
  EXPECT_EQ(with("(1, 2)", "(1, 3)"), "f.npy: data = 4 bytes: its header says int16[1,3]");
  EXPECT_EQ(
      with("(1, 2)", "(1,-2)"),
      "f.npy: NumPy header = '-2), }                                  ': must be a dimension");
  EXPECT_EQ(with("'shape'", "'shapf'").substr(0, 22), "f.npy: NumPy header = ");
  std::string huge = kNumpy;
  huge.replace(huge.find("(1, 2), }                     "), 30, "(1099511627776, 1099511627776)}");
  EXPECT_NE(ErrorOf([&] { Npy(huge); }), "no error");
  for (size_t size = 0; size < kNumpy.size(); ++size)
    EXPECT_NE(ErrorOf([&] { Npy(kNumpy.substr(0, size)); }), "no error") << size;
}

TEST(TensorFileTest, ReadsOnnxTensors) {
  const std::vector<uint8_t> bytes = {0x08, 2, 0x10, 3, 0x4a, 2, 5, 0xfb};  // dims, type, raw_data
  EXPECT_EQ(ParseTensorFile(bytes, "f.pb"), compiler::Tensor::Of<int8_t>({2}, {5, -5}));
  EXPECT_EQ(ErrorOf([&] { ParseTensorFile(std::span(bytes).first(7), "f.pb"); }),
            "f.pb: tensor = 7 bytes: is truncated or not an ONNX tensor");
  EXPECT_EQ(ErrorOf([&] { ParseTensorFile({}, "f.pb"); }),
            "f.pb: tensor \"\" = UNDEFINED: is not a supported element type");
}

TEST(SamplesTest, ZeroPointsAreTakenOffBeforeTheScale) {
  const isa::PackageTensor real{"x", ElementType::kFloat32, {2}};
  const auto samples = ParseSamples(Bytes<int8_t>({83, -128}), "f", real,
                                    {.type = "int8", .scale = 0.5, .zero_point = 83});
  EXPECT_EQ(samples[0], Bytes<float>({0, -105.5f}));
}

TEST(SamplesTest, ChannelsMoveToWhereTheModelHasThem) {
  // Two channels of 1 x 4 pixels: the shape does not say which axis they are, so the model has them
  // at the other end.
  const isa::PackageTensor first{"x", ElementType::kInt8, {1, 2, 1, 4}};
  const auto pixels = Bytes<int8_t>({10, 20, 11, 21, 12, 22, 13, 23});
  const auto planes = Bytes<int8_t>({10, 11, 12, 13, 20, 21, 22, 23});
  EXPECT_EQ(ParseSamples(pixels, "f", first, {.layout = kChannelsLast})[0], planes);
  const isa::PackageTensor last{"x", ElementType::kInt8, {1, 2, 4, 2}};
  EXPECT_EQ(ParseSamples(Bytes<int8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
                         "f", last, {.layout = kChannelsFirst})[0],
            Bytes<int8_t>({1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 8, 16}));
  // Each sample of a batch by itself.
  const isa::PackageTensor two{"x", ElementType::kInt8, {2, 2, 1, 2}};
  EXPECT_EQ(
      ParseSamples(Bytes<int8_t>({1, 2, 3, 4, 5, 6, 7, 8}), "f", two, {.layout = kChannelsLast})[0],
      Bytes<int8_t>({1, 3, 2, 4, 5, 7, 6, 8}));
  const StoredTensor stored{"int8", {1, 1, 4, 2}, pixels};
  EXPECT_EQ(SamplesOf(stored, "f", first, {.layout = kChannelsLast})[0], planes);
  EXPECT_EQ(ErrorOf([&] { SamplesOf(stored, "f", first); }),
            "f: shape = [1,1,4,2]: must be [1,2,1,4] of x, or several along the first dimension");
  EXPECT_EQ(ErrorOf([&] { ParseSamples(pixels, "f", kPair, {.layout = kChannelsLast}); }),
            "f: layout of x = nhwc: is for a tensor of 3 axes or more, and its shape is [2]");
}

TEST(SamplesTest, AShapeSaysWhereAPictureHasItsChannels) {
  using Shape = std::vector<int64_t>;
  for (const Shape& shape : {Shape{1, 3, 8, 9}, {2, 1, 8, 9}, {1, 3, 1, 2}})
    EXPECT_EQ(LayoutOf(shape), kChannelsFirst) << ShapeText(shape);
  for (const Shape& shape : {Shape{1, 8, 9, 3}, {1, 8, 9, 1}})
    EXPECT_EQ(LayoutOf(shape), kChannelsLast) << ShapeText(shape);
  for (const Shape& shape : {Shape{1, 3, 8, 3}, {1, 1, 8, 3}, {1, 2, 8, 9}, {3, 8, 9}, {1, 3}, {}})
    EXPECT_EQ(LayoutOf(shape), std::nullopt) << ShapeText(shape);
  for (const Shape& shape : {Shape{1, 3, 8, 9}, {1, 8, 9, 3}, {1, 1, 8, 3}, {1, 3, 3, 3}})
    EXPECT_TRUE(LayoutMatters(shape)) << ShapeText(shape);
  for (const Shape& shape : {Shape{1, 1, 8, 9}, {1, 3, 1, 1}, {1, 16, 8, 8}, {3, 8, 9}})
    EXPECT_FALSE(LayoutMatters(shape)) << ShapeText(shape);
}

TEST(SamplesTest, WhatLiesAsTheModelHasItDoesNotMove) {
  const isa::PackageTensor known{"x", ElementType::kInt8, {1, 4, 2, 3}};
  const std::vector<uint8_t> bytes(24, 0);
  std::vector<uint8_t> counted = bytes;
  std::iota(counted.begin(), counted.end(), uint8_t{0});
  EXPECT_EQ(ParseSamples(counted, "f", known, {.layout = kChannelsLast})[0], counted);
  EXPECT_NE(ParseSamples(counted, "f", known, {.layout = kChannelsFirst})[0], counted);
  // An array whose shape has them at the other end moves unasked.
  const StoredTensor planes{"int8", {1, 3, 4, 2}, counted};
  EXPECT_EQ(SamplesOf(planes, "f", known)[0],
            ParseSamples(counted, "f", known, {.layout = kChannelsFirst})[0]);
}

TEST(SamplesTest, MeansAndDeviationsAreOfChannels) {
  const isa::PackageTensor first{"x", ElementType::kFloat32, {1, 3, 1, 2}};
  const Encoding encoding{.type = "uint8", .scale = 0.5, .mean = {1, 2, 3}, .std = {1, 2, 4}};
  EXPECT_EQ(ParseSamples(Bytes<uint8_t>({0, 2, 4, 6, 8, 10}), "f", first, encoding)[0],
            Bytes<float>({-1, 0, 0, 0.5, 0.25, 0.5}));
  const isa::PackageTensor last{"x", ElementType::kFloat32, {1, 1, 2, 2}};
  EXPECT_EQ(ParseSamples(Bytes<float>({1, 2, 3, 4}), "f", last, {.mean = {1}})[0],
            Bytes<float>({0, 1, 2, 3}));
  EXPECT_EQ(ErrorOf([&] {
              ParseSamples(Bytes<float>({1, 2, 3, 4}), "f", last, {.mean = {1, 2}});
            }),
            "--input-mean: 2 values: x has 1 channel: give one, or one for each");
  const isa::PackageTensor neither{"x", ElementType::kFloat32, {2, 2}};
  EXPECT_EQ(ErrorOf([&] {
              ParseSamples(Bytes<float>({1, 2, 3, 4}), "f", neither, {.std = {1, 2}});
            }),
            "--input-std: 2 values: the shape of x, [2,2], does not say which axis has the "
            "channels: give --input-layout");
}

}  // namespace
}  // namespace vta::tools
