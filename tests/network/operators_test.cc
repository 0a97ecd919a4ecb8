// Single operators through compiler and runtime, against arithmetic written out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/graph/ops.h"
#include "driver/functional/functional_device.h"
#include "runtime/session.h"
#include "tests/network/random_network.h"
#include "tests/network/trial.h"
#include "tests/support/trials.h"
#include "tools/vta/common/configs.h"

namespace vta::test {
namespace {

using compiler::Attributes;
using compiler::DType;
using compiler::Graph;
using compiler::Op;
using compiler::Shape;
using compiler::Tensor;
using compiler::ValueId;

struct Ran {
  std::vector<int8_t> y;
  std::set<std::string> on_vta;  // operators
};

/// The bytes of the only output for one input.
std::vector<uint8_t> OutputOf(const isa::Package& package, const isa::Config& config,
                              const Tensor& x) {
  driver::FunctionalDevice device(config, {.memory_bytes = int64_t{1} << 24});
  runtime::Session session(std::make_shared<runtime::Model>(package, "operator"), &device);
  const std::span<const uint8_t> input = x.bytes();
  return runtime::Infer(session, {&input, 1})[0];
}

/// The graph's only output, of int8, for one input.
Ran RunOn(const isa::Config& config, const Graph& graph, const Tensor& x) {
  const isa::Package package = CompileFor(config, graph).package;
  Ran ran;
  for (const isa::PackageStep& step : package.steps)
    if (step.kind == isa::PackageStep::Kind::kProgram) ran.on_vta.insert(step.facts.op);
  for (const uint8_t byte : OutputOf(package, config, x))
    ran.y.push_back(static_cast<int8_t>(byte));
  return ran;
}

/// dequantize of codes, and quantize: real = (code - zero) * scale.
struct Coding {
  float scale;
  int8_t zero;
};
ValueId Dequantized(Graph& g, ValueId codes, const Coding& coding) {
  return g.Emit(Op::kDequantize, "real",
                {codes, g.AddConstant("scale", Tensor::Scalar(coding.scale)),
                 g.AddConstant("zero", Tensor::Scalar(coding.zero))},
                {{"axis", int64_t{0}}});
}
void OutputCodes(Graph& g, ValueId real, const Coding& coding) {
  g.AddOutput("y", g.Emit(Op::kQuantize, "codes",
                          {real, g.AddConstant("scale", Tensor::Scalar(coding.scale)),
                           g.AddConstant("zero", Tensor::Scalar(coding.zero))},
                          {{"axis", int64_t{0}}}));
}

TEST(Operators, PadsReflect) {
  struct Case {
    Shape x, pads;
  };
  const Case cases[] = {{{5}, {4, 4}},
                        {{3}, {7, 11}},
                        {{2, 4}, {1, 3, 0, 2}},
                        {{1, 3, 4}, {0, 2, -1, 0, 1, 3}},
                        {{1, 2, 5, 4}, {0, 1, 4, 3, 0, 1, 2, 3}},
                        {{2, 1, 2, 3, 2}, {1, 0, 1, 2, 1, 0, 0, 1, 1, 1}}};
  for (const Case& c : cases) {
    const size_t rank = c.x.size();
    Graph g("pad", isa::Rounding::kSingle);
    const ValueId x = g.AddInput("x", {DType::kInt8, c.x});
    g.AddOutput(
        "y", g.Emit(Op::kPad, "pad", {x}, {{"mode", "reflect"}, {"pads", c.pads}, {"value", 0.0}}));
    std::vector<int8_t> codes(compiler::Elements(c.x));
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int8_t>(i + 1);
    const Ran ran = RunOn(tools::FindConfig("default"), g, Tensor::Of<int8_t>(c.x, codes));
    const Shape out = g.shape(g.outputs()[0].value);
    ASSERT_EQ(static_cast<int64_t>(ran.y.size()), compiler::Elements(out));
    for (size_t i = 0; i < ran.y.size(); ++i) {
      int64_t from = 0, rest = static_cast<int64_t>(i), stride = 1;
      for (size_t d = rank; d-- > 0;) {
        int64_t at = rest % out[d] - c.pads[d];
        rest /= out[d];
        while (at < 0 || at >= c.x[d]) {  // step by step, as a ball between two walls
          if (at < 0) at = -at;
          if (at >= c.x[d]) at = c.x[d] == 1 ? 0 : 2 * (c.x[d] - 1) - at;
        }
        from += at * stride;
        stride *= c.x[d];
      }
      ASSERT_EQ(ran.y[i], codes[from]) << "rank " << rank << " element " << i;
    }
  }
}

// 20 channels fill no whole blocks of a CPU's lanes. Layers on both sides keep them in blocks.
TEST(Operators, ChannelsInBlocksAreShuffled) {
  constexpr int64_t kChannels = 20, kPlane = 9, kGroups = 2;
  const Shape shape = {1, kChannels, 3, 3};
  Graph g("shuffle", isa::Rounding::kSingle);
  std::vector<float> same(kChannels * kChannels);
  for (int64_t c = 0; c < kChannels; ++c) same[c * (kChannels + 1)] = 1;
  const ValueId weight =
      g.AddConstant("same", Tensor::Of<float>({kChannels, kChannels, 1, 1}, same));
  const auto layer = [&](const char* name, ValueId x) {
    return g.Emit(Op::kConv2d, name, {x, weight},
                  {{"dilations", Shape{1, 1}},
                   {"groups", int64_t{1}},
                   {"pads", Shape{0, 0, 0, 0}},
                   {"strides", Shape{1, 1}}});
  };
  const ValueId x = layer("before", g.AddInput("x", {DType::kFloat32, shape}));
  const ValueId apart =
      g.Emit(Op::kReshape, "apart", {x}, {{"shape", Shape{1, kGroups, kChannels / kGroups, 3, 3}}});
  const ValueId crossed =
      g.Emit(Op::kTranspose, "crossed", {apart}, {{"perm", Shape{0, 2, 1, 3, 4}}});
  const ValueId joined = g.Emit(Op::kReshape, "joined", {crossed}, {{"shape", shape}});
  g.AddOutput("y", layer("after", joined));
  std::vector<float> input(kChannels * kPlane), want(input.size());
  for (int64_t i = 0; i < std::ssize(input); ++i) {
    const int64_t channel = i / kPlane, each = kChannels / kGroups;
    input[i] = static_cast<float>(i);
    want[(channel % each * kGroups + channel / each) * kPlane + i % kPlane] = input[i];
  }
  const isa::Config config = tools::FindConfig("default");
  const auto bytes = OutputOf(CompileFor(config, g).package, config, Tensor::Of(shape, input));
  EXPECT_EQ(Tensor({DType::kFloat32, shape}, bytes), Tensor::Of(shape, want));
}

/// In mode double halves go away from zero. In mode single they are a code up or down: where they
/// go to even codes, averages_test.cc says.
TEST(Operators, AveragesDivideOnEveryVariantThatRescales) {
  int trial = 0;
  for (const std::string& name : tools::ShippedConfigs())
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble})
      for (const auto& [kh, kw] : {std::pair<int64_t, int64_t>{2, 2}, {3, 3}, {2, 3}, {7, 7}}) {
        const isa::Config config = tools::FindConfig(name);
        if (!config.arch.requant || ++trial % OneTrialOf() != 0) continue;
        SCOPED_TRACE(StrCat(name, " ", kh, "x", kw, " rounding ", static_cast<int>(rounding)));
        const Shape shape{1, 16, 4 * kh, 4 * kw};
        Graph g("average", rounding);
        const Coding coding{0.05f, -9};
        const ValueId x = Dequantized(g, g.AddInput("x", {DType::kInt8, shape}), coding);
        OutputCodes(g,
                    g.Emit(Op::kAvgPool, "pool", {x},
                           {{"kernel", Shape{kh, kw}},
                            {"strides", Shape{kh, kw}},
                            {"pads", Shape{0, 0, 0, 0}},
                            {"count_include_pad", int64_t{0}}}),
                    coding);
        // Codes whose sums lie on the ties and right beside them.
        const int64_t taps = kh * kw;
        std::vector<int8_t> codes(compiler::Elements(shape));
        std::vector<int64_t> wanted;
        std::vector<bool> is_half;
        for (int64_t window = 0; window < 16 * 16; ++window) {
          const int64_t low = window - 128;
          int64_t left =
              std::clamp(low * taps + taps / 2 + window % 3 - 1, -128 * taps, 127 * taps);
          wanted.push_back((left + (left > 0 ? taps / 2 : -(taps / 2))) / taps);
          is_half.push_back(2 * (left % taps) % taps == 0 && left % taps != 0);
          const int64_t c = window / 16, oy = window / 4 % 4, ox = window % 4;
          for (int64_t tap = 0; tap < taps; ++tap) {
            const int64_t code =
                std::clamp<int64_t>(tap + 1 == taps ? left : left / (taps - tap), -128, 127);
            left -= code;
            codes[(c * 4 * kh + oy * kh + tap / kw) * 4 * kw + ox * kw + tap % kw] =
                static_cast<int8_t>(code);
          }
        }
        const Ran ran = RunOn(config, g, Tensor::Of<int8_t>(shape, codes));
        EXPECT_EQ(ran.on_vta, std::set<std::string>{"avg_pool_i8"});
        ASSERT_EQ(ran.y.size(), wanted.size());
        for (size_t i = 0; i < wanted.size(); ++i)
          ASSERT_LE(std::abs(ran.y[i] - wanted[i]),
                    is_half[i] && rounding == isa::Rounding::kSingle ? 1 : 0)
              << i;
      }
}

TEST(Operators, AdditionOfAConstantIsTheModelsOwnArithmetic) {
  // Differences of x / 255 and 1/2 are ties; the other constants leave sums just beside one.
  std::vector<int8_t> codes;
  for (int i = 0; i < 3 * 256; ++i) codes.push_back(static_cast<int8_t>(i));
  for (const float scale : {1 / 255.0f, 0.0123f, 0.25f})
    for (const auto& [constant, y] : {std::pair<Coding, Coding>{{0.5f, 0}, {scale, 0}},
                                      {{scale * 0.49999997f, 3}, {scale, -7}},
                                      {{scale * 0.5000001f, 2}, {scale * 0.33333334f, 11}}}) {
      Graph g("sum", isa::Rounding::kSingle);
      const Coding x{scale, -128};
      const ValueId a = Dequantized(g, g.AddInput("x", {DType::kInt8, {1, 3, 16, 16}}), x);
      const ValueId b = Dequantized(
          g, g.AddConstant("c", Tensor::Of<int8_t>({1, 3, 1, 1}, {-1, 1, 4})), constant);
      OutputCodes(g, g.Emit(Op::kAdd, "add", {a, b}, {}), y);
      const Ran ran =
          RunOn(tools::FindConfig("default"), g, Tensor::Of<int8_t>({1, 3, 16, 16}, codes));
      for (size_t i = 0; i < codes.size(); ++i) {
        const int channel[] = {-1, 1, 4};
        const float left = static_cast<float>(codes[i] + 128) * x.scale;
        const float right = static_cast<float>(channel[i / 256] - constant.zero) * constant.scale;
        const float sum = left + right, quotient = sum / y.scale;
        const float code = std::nearbyintf(quotient) + static_cast<float>(y.zero);
        ASSERT_EQ(ran.y[i], static_cast<int8_t>(std::clamp(code, -128.0f, 127.0f))) << i;
      }
    }
}

}  // namespace
}  // namespace vta::test
