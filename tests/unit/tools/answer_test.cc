// What a network answered, of outputs made by hand.
#include "tools/shared/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/tools/bytes.h"

namespace vta::tools {
namespace {

using isa::ElementType;

// With one input, and outputs of these shapes and types.
isa::Package With(std::vector<isa::PackageTensor> outputs, std::vector<isa::OutputFacts> facts = {},
                  int64_t batch = 1) {
  isa::Package package;
  package.tensors.push_back({"x", ElementType::kFloat32, {batch, 3}});
  package.inputs = {0};
  for (isa::PackageTensor& tensor : outputs) {
    package.outputs.push_back(std::ssize(package.tensors));
    package.tensors.push_back(std::move(tensor));
  }
  package.output_facts = std::move(facts);
  return package;
}

std::optional<int64_t> Classes(std::vector<int64_t> shape, int64_t batch = 1,
                               ElementType type = ElementType::kFloat32) {
  return ClassesOf(With({{"y", type, std::move(shape)}}, {}, batch), 0);
}

TEST(AnswerTest, ScoresLieAlongOneAxis) {
  EXPECT_EQ(Classes({1, 10}), 10);
  EXPECT_EQ(Classes({10}), 10);
  EXPECT_EQ(Classes({1, 10, 1, 1}), 10);
  EXPECT_EQ(Classes({1, 1, 1, 2}), 2);
  EXPECT_EQ(Classes({4, 10}, 4), 10);
  EXPECT_EQ(Classes({1, 10}, 1, ElementType::kUint8), 10);
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 1}, {}, {1, 2, 5}, {1, 10, 2}})
    EXPECT_EQ(Classes(shape), std::nullopt) << shape.size();
  EXPECT_EQ(Classes({4}, 4), std::nullopt);
  EXPECT_EQ(Classes({1, 10}, 1, ElementType::kInt64), std::nullopt);
}

TEST(AnswerTest, TheHighestComeFirstWithTheirSoftmax) {
  const isa::Package package = With({{"y", ElementType::kFloat32, {1, 6}}}, {{}});
  const auto scores = TopScores(package, 0, Bytes<float>({0, 2, 1, 2, -1, -3}));
  ASSERT_EQ(scores.size(), kMostClasses);
  const int64_t order[] = {1, 3, 2, 0, 4};
  const double values[] = {2, 2, 1, 0, -1};
  const double sum = 2 * std::exp(2) + std::exp(1) + 1 + std::exp(-1) + std::exp(-3);
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].index, order[i]);
    EXPECT_EQ(scores[i].value, values[i]);
    EXPECT_NEAR(*scores[i].softmax, std::exp(values[i]) / sum, 1e-12);
  }
  // No overflow.
  EXPECT_NEAR(*TopScores(package, 0, Bytes<float>({1000, 1000, 0, 0, 0, 0}))[0].softmax, 0.5,
              1e-12);
}

TEST(AnswerTest, WhatIsProbabilityOrUnknownHasNoSoftmaxBeside) {
  const std::vector<uint8_t> values = Bytes<float>({0.25, 0.75});
  const isa::PackageTensor y{"y", ElementType::kFloat32, {1, 2}};
  EXPECT_TRUE(TopScores(With({y}, {{}}), 0, values)[0].softmax);
  EXPECT_FALSE(TopScores(With({y}, {{.is_probability = true}}), 0, values)[0].softmax);
  EXPECT_FALSE(TopScores(With({y}), 0, values)[0].softmax);
}

TEST(AnswerTest, CodesAreWhatTheyStandFor) {
  const isa::PackageTensor y{"y", ElementType::kUint8, {1, 3}};
  const auto scores =
      TopScores(With({y}, {{.scale = 0.5, .zero_point = 100}}), 0, {{90, 255, 100}});
  EXPECT_EQ(scores[0].index, 1);
  EXPECT_EQ(scores[0].value, 77.5);
  EXPECT_EQ(scores[2].value, -5);
  EXPECT_NEAR(*scores[1].softmax, std::exp(-77.5), 1e-40);
}

TEST(AnswerTest, NaNComesLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const isa::Package package = With({{"y", ElementType::kFloat32, {1, 3}}});
  const auto scores = TopScores(package, 0, Bytes<float>({nan, -5, 1}));
  EXPECT_EQ(scores[0].index, 2);
  EXPECT_EQ(scores[1].index, 1);
  EXPECT_TRUE(std::isnan(scores[2].value));
}

TEST(AnswerTest, OneInferenceIsATableAndSeveralAreLines) {
  const isa::Package package = With({{"y", ElementType::kFloat32, {1, 2}}}, {{}});
  const Inferences one = {{Bytes<float>({0, 12.5})}}, two = {one[0], {Bytes<float>({3, 3})}};
  EXPECT_EQ(AnswerText(package, one, {}, {"cat", "black dog"}),
            "y [1,2] float32: the highest of 2 scores, and their softmax\n"
            "  1 black dog  12.5  100.00 %\n"
            "  0 cat           0    0.00 %\n");
  EXPECT_EQ(AnswerText(package, two, {"a.png", "b\x1b.png"}, {}),
            "y [1,2] float32: the highest of 2 scores, and their softmax\n"
            "  a.png: 1: 12.5 (100.00 %), 0: 0 (0.00 %)\n"
            "  b\\x1b.png: 0: 3 (50.00 %), 1: 3 (50.00 %)\n");
  EXPECT_EQ(AnswerText(package, one, {}, {"猫", "\u00e9tal\u00e9"}),
            "y [1,2] float32: the highest of 2 scores, and their softmax\n"
            "  1 \u00e9tal\u00e9  12.5  100.00 %\n"
            "  0 猫        0    0.00 %\n");
  const std::string many = AnswerText(package, Inferences(20, one[0]), {}, {});
  EXPECT_EQ(std::ranges::count(many, '\n'), 2 + static_cast<int64_t>(kMostAnswers));
  EXPECT_TRUE(many.ends_with("\n  and 4 more samples: --output writes all\n")) << many;
  EXPECT_TRUE(AnswerText(package, Inferences(kMostAnswers + 1, one[0]), {}, {})
                  .ends_with("\n  and 1 more sample: --output writes all\n"));
  EXPECT_EQ(
      AnswerJson(package, one, {}, {"cat", "black dog"}).Dump(-1),
      R"([{"name":"y","type":"float32","shape":[1,2],"classes":2,"samples":[{"sample":"sample 0",)"
      R"("top":[{"class":1,"name":"black dog","score":12.5,"softmax":0.9999962733607158},)"
      R"({"class":0,"name":"cat","score":0.0,"softmax":3.7266392841865614e-06}]}]}])");
}

TEST(AnswerTest, ABatchIsSeveralInferences) {
  const isa::Package package = With({{"y", ElementType::kFloat32, {2, 2}}}, {}, 2);
  EXPECT_EQ(AnswerText(package, {{Bytes<float>({0, 1, 5, 4})}}, {}, {}),
            "y [2,2] float32: the highest of 2 scores\n"
            "  sample 0: 1: 1, 0: 0\n"
            "  sample 1: 0: 5, 1: 4\n");
}

TEST(AnswerTest, OtherOutputsHaveRanges) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const isa::Package package = With({{"boxes", ElementType::kFloat32, {1, 2, 2}},
                                     {"count", ElementType::kInt64, {1}},
                                     {"lost", ElementType::kFloat32, {1}}});
  const Inferences outputs = {
      {Bytes<float>({-1, 2, nan, 4}), Bytes<int64_t>({7}), Bytes<float>({nan})}};
  EXPECT_EQ(AnswerText(package, outputs, {}, {}),
            "boxes [1,2,2] float32: -1 to 4, mean 1.66667, 1 NaN\n"
            "count [1] int64: 7 to 7, mean 7\n"
            "lost [1] float32: 1 NaN\n");
  EXPECT_EQ(AnswerJson(package, outputs, {}, {}).Dump(-1),
            R"([{"name":"boxes","type":"float32","shape":[1,2,2],"least":-1.0,"greatest":4.0,)"
            R"("mean":1.6666666666666667,"nan":1},{"name":"count","type":"int64","shape":[1],)"
            R"("least":7.0,"greatest":7.0,"mean":7.0},{"name":"lost","type":"float32","shape":[1],)"
            R"("nan":1}])");
}

}  // namespace
}  // namespace vta::tools
