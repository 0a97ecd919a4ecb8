// Averages of codes, and resizing, against exact quotients: where one lies halfway between two
// codes it is the even one, by the evaluator and on the CPU. On the accelerator it may be one code
// off there, and a package says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "compiler/compile.h"
#include "compiler/graph/evaluate.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "driver/functional/functional_device.h"
#include "runtime/session.h"
#include "tests/network/trial.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::test {
namespace {

using compiler::Graph;
using compiler::OnnxBuilder;
using compiler::Shape;
using compiler::Tensor;

constexpr int64_t kC = 3, kH = 6, kW = 9;  // of the input
constexpr int8_t kZeroX = -7, kZeroY = 4;

/// The exact average of an output element: dividend / divisor.
struct Quotient {
  int64_t dividend = 0, divisor = 1;
};
using At = std::function<int64_t(int64_t c, int64_t y, int64_t x)>;  // codes less zero points

struct Average {
  std::string name;
  std::function<void(OnnxBuilder&)> add;  // of "x" to "y"
  int64_t c, h, w;                        // of the output
  std::function<Quotient(const At&, int64_t c, int64_t y, int64_t x)> exact;
  bool on_vta = false;  // where it is, it is tried there, too
};

/// A window of 4 x 2, in steps of 2, behind two rows of pads in front.
Average Window(bool counts_pads, int64_t dilation) {
  const int64_t h = (kH + 2 - 3 * dilation - 1) / 2 + 1, w = (kW - dilation - 1) / 2 + 1;
  const auto add = [=](OnnxBuilder& b) {
    auto& node = b.Node("AveragePool", {"x"}, "y");
    OnnxBuilder::SetInts(node, "kernel_shape", {4, 2});
    OnnxBuilder::SetInts(node, "strides", {2, 2});
    OnnxBuilder::SetInts(node, "pads", {2, 0, 0, 0});
    OnnxBuilder::SetInt(node, "count_include_pad", counts_pads);
    if (dilation > 1) OnnxBuilder::SetInts(node, "dilations", {dilation, dilation});
  };
  const auto exact = [=](const At& at, int64_t c, int64_t y, int64_t x) {
    Quotient q{0, counts_pads ? 8 : 0};
    for (int64_t ky = 0; ky < 4; ++ky)
      for (int64_t kx = 0; kx < 2; ++kx) {
        const int64_t iy = 2 * y - 2 + ky * dilation;
        if (iy < 0) continue;
        q.dividend += at(c, iy, 2 * x + kx * dilation);
        q.divisor += !counts_pads;
      }
    return q;
  };
  return {StrCat("window", counts_pads ? " with pads" : "", dilation > 1 ? ", dilated" : ""),
          add,
          kC,
          h,
          w,
          exact,
          counts_pads && dilation == 1};
}

/// Linearly, by centres of pixels.
Average Resized(int64_t h, int64_t w) {
  const auto add = [=](OnnxBuilder& b) {
    b.Ints("sizes", {4}, {1, kC, h, w});
    OnnxBuilder::SetString(b.Node("Resize", {"x", "", "", "sizes"}, "y"), "mode", "linear");
  };
  const auto exact = [=](const At& at, int64_t c, int64_t y, int64_t x) {
    struct Place {
      int64_t first, second, share, of;  // of the second
    };
    const auto place = [](int64_t i, int64_t in, int64_t out) {
      const int64_t number = (2 * i + 1) * in - out, of = 2 * out;
      const int64_t below = number >= 0 ? number / of : -1;
      return Place{std::clamp<int64_t>(below, 0, in - 1), std::clamp<int64_t>(below + 1, 0, in - 1),
                   number - below * of, of};
    };
    const Place v = place(y, kH, h), u = place(x, kW, w);
    const auto row = [&](int64_t iy) {
      return (u.of - u.share) * at(c, iy, u.first) + u.share * at(c, iy, u.second);
    };
    return Quotient{(v.of - v.share) * row(v.first) + v.share * row(v.second), v.of * u.of};
  };
  return {StrCat("resized to ", h, "x", w), add, kC, h, w, exact};
}

Average Mean(const std::vector<int64_t>& axes) {
  const bool plane = axes.size() == 2;
  const auto add = [=](OnnxBuilder& b) {
    OnnxBuilder::SetInts(b.Node("ReduceMean", {"x"}, "y"), "axes", axes);
  };
  const auto exact = [=](const At& at, int64_t c, int64_t y, int64_t) {
    Quotient q{0, plane ? kH * kW : kW};
    for (int64_t iy = plane ? 0 : y; iy < (plane ? kH : y + 1); ++iy)
      for (int64_t ix = 0; ix < kW; ++ix) q.dividend += at(c, iy, ix);
    return q;
  };
  return {plane ? "mean of planes" : "mean of rows", add, kC, plane ? 1 : kH, 1, exact, plane};
}

/// Of x and of x the other way round.
Average MeanOfTwo() {
  const auto add = [](OnnxBuilder& b) {
    b.Ints("start", {1}, {-1}).Ints("end", {1}, {-1000}).Ints("axis", {1}, {3});
    b.Node("Slice", {"x", "start", "end", "axis", "start"}, "turned");
    b.Node("Mean", {"x", "turned"}, "y");
  };
  const auto exact = [](const At& at, int64_t c, int64_t y, int64_t x) {
    return Quotient{at(c, y, x) + at(c, y, kW - 1 - x), 2};
  };
  return {"mean of two", add, kC, kH, kW, exact};
}

Graph ModelOf(const Average& average, float scale_x, float scale_y) {
  OnnxBuilder b(17);
  b.Input("codes", {1, kC, kH, kW}, onnx::TensorProto::INT8).Output("made");
  b.Floats("sx", {}, {scale_x}).Ints("zx", {}, {kZeroX}, onnx::TensorProto::INT8);
  b.Floats("sy", {}, {scale_y}).Ints("zy", {}, {kZeroY}, onnx::TensorProto::INT8);
  b.Node("DequantizeLinear", {"codes", "sx", "zx"}, "x");
  average.add(b);
  b.Node("QuantizeLinear", {"y", "sy", "zy"}, "made");
  return b.Import();
}

std::vector<int8_t> BytesOf(const Tensor& tensor) {
  const auto codes = tensor.data<int8_t>();
  return {codes.begin(), codes.end()};
}

std::vector<int8_t> CodesOf(const isa::Package& package, driver::Device* device, const Tensor& x) {
  runtime::Session session(std::make_shared<runtime::Model>(package, "average"), device);
  const std::span<const uint8_t> input = x.bytes();
  const std::vector<uint8_t> bytes = runtime::Infer(session, {&input, 1})[0];
  return {bytes.begin(), bytes.end()};
}

std::vector<int8_t> RunOnCpu(const Graph& graph, const Tensor& x) {
  const compiler::lower::CpuSpec machine = tools::NativeCpu();
  const compiler::targets::CpuTarget cpu({machine});
  const compiler::CodeTarget* const targets[] = {&cpu};
  const auto compiled = compiler::Compile(
      graph, {.targets = targets, .cpus = {&machine, 1}, .build_module = compiler::BuildModule});
  return CodesOf(compiled.package, nullptr, x);
}

class Averages : public testing::TestWithParam<std::pair<int64_t, int64_t>> {
 protected:
  /// Scales of x and y: the same, or multiples of one.
  const float scale_x_ = 0.05f * static_cast<float>(GetParam().first);
  const float scale_y_ = 0.05f * static_cast<float>(GetParam().second);

  void Try(const Average& average) {
    SCOPED_TRACE(average.name);
    std::mt19937 random(7);
    Tensor x(compiler::TensorType{compiler::DType::kInt8, {1, kC, kH, kW}});
    for (int8_t& code : x.mutable_data<int8_t>()) code = static_cast<int8_t>(random());
    const At at = [&](int64_t c, int64_t y, int64_t ix) {
      return int64_t{x.data<int8_t>()[(c * kH + y) * kW + ix]} - kZeroX;
    };
    std::vector<int8_t> wanted;
    std::vector<bool> tie;
    for (int64_t i = 0; i < average.c * average.h * average.w; ++i) {
      const Quotient q =
          average.exact(at, i / (average.h * average.w), i / average.w % average.h, i % average.w);
      const int64_t dividend = q.dividend * GetParam().first;
      const int64_t by = q.divisor * GetParam().second;
      const int64_t twice = 2 * dividend + by, up = twice / (2 * by) - (twice % (2 * by) < 0);
      tie.push_back(twice % (2 * by) == 0);
      const int64_t code = tie.back() && up % 2 != 0 ? up - 1 : up;
      wanted.push_back(static_cast<int8_t>(std::clamp<int64_t>(code + kZeroY, -128, 127)));
    }
    ties_ += std::ranges::count(tie, true);
    const Graph graph = ModelOf(average, scale_x_, scale_y_);
    EXPECT_EQ(BytesOf(compiler::Evaluate(compiler::Normalize(graph), {x})[0]), wanted);
    if (GetParam() != std::pair<int64_t, int64_t>(1, 1)) return;
    EXPECT_EQ(RunOnCpu(graph, x), wanted);
    if (!average.on_vta) return;

    const isa::Config config = tools::FindConfig("default");
    const isa::Package package = CompileFor(config, graph).package;
    driver::FunctionalDevice device(config, {.memory_bytes = int64_t{1} << 24});
    const std::vector<int8_t> made = CodesOf(package, &device, x);
    ASSERT_TRUE(package.inexactness());
    EXPECT_EQ(*package.inexactness(), (isa::Inexactness{1, 1, 1}));
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LE(std::abs(made[i] - wanted[i]), tie[i] ? 1 : 0) << i;
  }

  int64_t ties_ = 0;
};

TEST_P(Averages, AreExactQuotients) {
  for (const Average& average :
       {Window(true, 1), Window(false, 1), Window(true, 2), Window(false, 2), Mean({2, 3}),
        Mean({3}), MeanOfTwo(), Resized(2 * kH, 2 * kW), Resized(4, 6), Resized(9, 4 * kW),
        Resized(3 * kH, kW)})
    Try(average);
  EXPECT_GT(ties_, 20);
}

INSTANTIATE_TEST_SUITE_P(Scales, Averages,
                         testing::Values(std::pair(1, 1), std::pair(2, 1), std::pair(1, 2),
                                         std::pair(1, 4)));

}  // namespace
}  // namespace vta::test
