// Samples and labels out of files: what converts, and what is refused.
#include "tools/vta/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using isa::ElementType;

template <typename T>
std::vector<uint8_t> Bytes(std::initializer_list<T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string MessageOf(auto&& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

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
    return MessageOf([&] {
      ParseSamples(Bytes<float>({0, 0, 0, value}), "f", kPair, {"float32", scale});
    });
  };
  EXPECT_EQ(refusal(127.75f), "f: sample 1: element 1 = 127.75: does not fit x, which is int8");
  EXPECT_EQ(refusal(-1, 1e9), "f: sample 1: element 1 = -1e+09: does not fit x, which is int8");
  EXPECT_EQ(refusal(NAN), "f: sample 1: element 1 = nan: does not fit x, which is int8");
  const isa::PackageTensor wide{"w", ElementType::kInt64, {1}};
  EXPECT_EQ(MessageOf([&] { ParseSamples(Bytes<float>({0x1p63f}), "f", wide, {"float32"}); }),
            "f: sample 0: element 0 = 9.22337204e+18: does not fit w, which is int64");
}

TEST(SamplesTest, FloatsOfAnInputAreFinite) {
  const isa::PackageTensor real{"x", ElementType::kFloat32, {3}};
  const auto refusal = [&](float value) {
    return MessageOf([&] { RequireFinite(Bytes<float>({1, value, 2}), real, "f: sample 4"); });
  };
  EXPECT_EQ(refusal(std::numeric_limits<float>::max()), "no error");
  EXPECT_EQ(refusal(NAN), "f: sample 4: element 1 = nan: must be finite: an input of x");
  EXPECT_EQ(refusal(-INFINITY), "f: sample 4: element 1 = -inf: must be finite: an input of x");
  // Bytes of another type are not read as floats.
  RequireFinite(Bytes<float>({NAN}), {"i", ElementType::kInt32, {1}}, "f");
}

TEST(SamplesTest, ATensorWithoutElementsHasNoSamples) {
  const isa::PackageTensor empty{"x", ElementType::kInt8, {4, 0}};
  EXPECT_EQ(MessageOf([&] { ParseSamples(Bytes<int8_t>({1}), "f", empty); }),
            "f: size = 1 bytes: must be whole samples of x: 0 int8 values, 0 bytes each");
}

TEST(SamplesTest, LabelsAreIntegersOneALine) {
  EXPECT_EQ(ParseLabels("3\n-1\n7", "f"), (std::vector<int64_t>{3, -1, 7}));
  EXPECT_EQ(MessageOf([] { ParseLabels("3\n\n", "f"); }),
            "f:2: label: must be an integer, one a line");
  EXPECT_EQ(MessageOf([] { ParseLabels("3\n9223372036854775808\n", "f"); }),
            "f:2: label = 9223372036854775808: must be an integer, one a line");
}

}  // namespace
}  // namespace vta::tools
