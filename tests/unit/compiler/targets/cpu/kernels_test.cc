// Kernels of the CPU target: random layers of odd shapes and what follows them element
// by element, natively on each kind of CPU that this machine can be and interpreted, against the
// graph's evaluator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"
#include "compiler/graph/text.h"
#include "compiler/targets/cpu/anchors.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kMostMacs = 50'000;

class RandomLayers {
 public:
  RandomLayers(uint64_t seed, bool real) : random_(seed), real_(real), graph_("layers") {}

  Graph Run() {
    values_ = {graph_.AddInput(
        "x", {Type(), {Once(3) ? Int(2, 3) : 1, Int(1, 40), Int(1, 12), Int(1, 30)}})};
    for (int64_t left = Once(3) ? Int(3, 5) : Int(1, 2); left > 0;) {
      const ValueId made =
          Layer(Once(3) ? values_[Int(0, std::ssize(values_) - 1)] : values_.back());
      if (made == kNone) continue;
      values_.push_back(made);
      if (const ValueId chain = Chain(made); chain != made) values_.push_back(chain);
      --left;
    }
    const std::vector<int64_t> uses = graph_.UseCounts();
    for (const ValueId value : values_)
      if (graph_.Producer(value) && (uses[value] == 0 || Once(6)))
        graph_.AddOutput(graph_.value(value).name, value);
    return std::move(graph_);
  }

 private:
  int64_t Int(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool Once(int64_t times) { return Int(1, times) == 1; }
  DType Type() const { return real_ ? DType::kFloat32 : DType::kInt8; }

  /// A constant of int32 or int8 from [low, high], of float32 from [-1, 1].
  ValueId Constant(DType dtype, const Shape& shape, int64_t low, int64_t high) {
    Tensor tensor({dtype, shape});
    DispatchDType(dtype, [&](auto zero) {
      using T = decltype(zero);
      for (T& v : tensor.mutable_data<T>())
        v = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(Int(-512, 512)) / 512)
                                        : static_cast<T>(Int(low, high));
    });
    return graph_.AddConstant("c", std::move(tensor));
  }
  ValueId Emit(Op op, std::vector<ValueId> inputs, Attributes attributes) {
    return graph_.Emit(op, std::string(Spec(op).name), std::move(inputs), std::move(attributes));
  }

  Attributes Range() {
    const int64_t low = Once(2) ? Int(-128, 0) : -128;
    return {{"zero_point", Int(-100, 100)}, {"low", low}, {"high", Once(2) ? Int(low, 127) : 127}};
  }
  /// Of sums of about this size.
  int64_t Exponent(double size) {
    return std::clamp<int64_t>(std::lround(-std::log2(size / 64)) + Int(-1, 1), -31, 30);
  }
  Attributes Requant(double size) {
    Attributes attributes = Range();
    attributes.Set("multiplier", Int(int64_t{1} << 30, INT32_MAX));
    attributes.Set("exponent", Exponent(size));
    attributes.Set("bias", Int(-500, 500));
    return attributes;
  }
  /// Weights and what follows them in a layer's inputs.
  std::vector<ValueId> WithWeights(ValueId x, const Shape& w) {
    std::vector<ValueId> inputs = {x, Constant(Type(), w, -128, 127)};
    const Shape channels{w[0]};
    if (real_) {
      if (!Once(3)) inputs.push_back(Constant(Type(), channels, 0, 0));
      return inputs;
    }
    const double size = 74 * 74 * std::sqrt(static_cast<double>(Elements(w) / w[0]));
    inputs.push_back(Constant(DType::kInt32, channels, -5000, 5000));
    inputs.push_back(Constant(DType::kInt32, channels, 1 << 30, INT32_MAX));
    const int64_t exponent = Exponent(size);
    inputs.push_back(Constant(DType::kInt32, channels, exponent - 1, exponent));
    return inputs;
  }

  /// A window over x: its kernel, and attributes. Nothing where it does not fit.
  std::optional<Attributes> Window(const Shape& x, bool dilates, Shape* kernel) {
    Shape strides(2), dilations(2, 1), pads(4);
    *kernel = Shape(2);
    for (int axis = 0; axis < 2; ++axis) {
      (*kernel)[axis] = Int(1, Once(3) ? 7 : 3);
      strides[axis] = Once(2) ? 1 : Int(1, 3);
      if (dilates && Once(4)) dilations[axis] = Int(2, 3);
      const int64_t reach = ((*kernel)[axis] - 1) * dilations[axis] + 1;
      if (!Once(3)) pads[axis] = Int(0, reach - 1), pads[axis + 2] = Int(0, reach - 1);
      if (x[2 + axis] + pads[axis] + pads[axis + 2] < reach) return std::nullopt;
    }
    Attributes attributes = {{"strides", strides}, {"pads", pads}};
    if (dilates) attributes.Set("dilations", dilations);
    return attributes;
  }

  ValueId Layer(ValueId x) {
    const Shape& shape = graph_.shape(x);
    if (shape.size() == 2) return Product(x);
    switch (Int(0, 9)) {
      case 0:
        return MaxPool(x);
      case 1:
        return AvgPool(x);
      case 2:
        return real_ ? Emit(Op::kReduceMean, {x}, {{"axes", Shape{2, 3}}, {"keepdims", int64_t{1}}})
                     : kNone;
      case 3:
        return Product(
            Emit(Op::kReshape, {x}, {{"shape", Shape{shape[0], shape[1] * shape[2] * shape[3]}}}));
      case 4:
      case 5:
        return Conv(x, shape[1], shape[1]);
      default:
        return Conv(x, 1, Int(1, 40));
    }
  }

  ValueId Conv(ValueId x, int64_t groups, int64_t out) {
    const Shape in = graph_.shape(x);
    Shape kernel;
    std::optional<Attributes> attributes = Window(in, true, &kernel);
    const Shape w{out, in[1] / groups, kernel[0], kernel[1]};
    if (!attributes || Elements(w) * in[0] * in[2] * in[3] > kMostMacs) return kNone;
    attributes->Set("groups", groups);
    if (!real_) {
      for (const auto& [name, value] : Range()) attributes->Set(name, value);
      attributes->Set("pad_value", Once(2) ? int64_t{0} : Int(-128, 127));
    }
    return Emit(real_ ? Op::kConv2d : Op::kConv2dI8, WithWeights(x, w), *attributes);
  }

  ValueId MaxPool(ValueId x) {
    Shape kernel;
    std::optional<Attributes> attributes = Window(graph_.shape(x), real_, &kernel);
    if (!attributes) return kNone;
    attributes->Set("kernel", kernel);
    return Emit(real_ ? Op::kMaxPool : Op::kMaxPoolI8, {x}, *attributes);
  }

  ValueId AvgPool(ValueId x) {
    Shape kernel;
    std::optional<Attributes> attributes = Window(graph_.shape(x), false, &kernel);
    if (!attributes) return kNone;
    attributes->Set("kernel", kernel);
    if (real_) {
      attributes->Set("count_include_pad", Int(0, 1));
    } else {
      for (const auto& [name, value] : Requant(300)) attributes->Set(name, value);
      attributes->Set("pad_value", Int(-128, 127));
      const bool divides = Once(2);
      attributes->Set("factor", divides ? Int(1, 3) : 0);
      attributes->Set("divisor", divides ? 2 * Int(1, 20) : 0);
    }
    const ValueId made = Emit(real_ ? Op::kAvgPool : Op::kAvgPoolI8, {x}, *attributes);
    if (real_ || Once(2)) return made;
    const Shape places{graph_.shape(made)[2] * graph_.shape(made)[3]};
    const int64_t exponent = Exponent(300);
    const ValueId biases = Constant(DType::kInt32, places, -500, 500),
                  multipliers = Constant(DType::kInt32, places, 1 << 30, INT32_MAX),
                  exponents = Constant(DType::kInt32, places, exponent, exponent + 1),
                  factors = Constant(DType::kInt32, places, 1, 9),
                  divisors = Constant(DType::kInt32, places, 0, 40);
    return Emit(Op::kAvgPoolI8, {x, biases, multipliers, exponents, factors, divisors},
                *attributes);
  }

  ValueId Product(ValueId x) {
    const int64_t depth = graph_.shape(x)[1], out = Int(1, 70);
    if (depth * out * graph_.shape(x)[0] > kMostMacs) return kNone;
    if (!real_) return Emit(Op::kDenseI8, WithWeights(x, {out, depth}), Range());
    if (Once(2)) return Emit(Op::kMatMul, {x, Constant(Type(), {depth, out}, 0, 0)}, {});
    return Emit(Op::kGemm, WithWeights(x, {out, depth}),
                {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
  }

  /// Up to three element-wise ops.
  ValueId Chain(ValueId x) {
    for (int64_t left = Int(0, 3); left > 0; --left) {
      if (Once(2))
        x = Sum(x);
      else if (Once(4))
        x = ReadTwice(x);
      else if (!real_)
        x = Emit(Op::kRequantI8, {x}, Requant(128));
      else
        x = Once(2) ? Emit(Op::kRelu, {x}, {})
                    : Emit(Op::kClip, {x}, {{"low", -0.5}, {"high", 6.0}});
    }
    return x;
  }

  /// Of x and what is made of it.
  ValueId ReadTwice(ValueId x) {
    ValueId other = x;
    for (int64_t left = Int(0, 2); left > 0; --left)
      other = real_ ? Emit(Op::kClip, {other}, {{"low", -0.5}, {"high", 1.5}})
                    : Emit(Op::kRequantI8, {other}, Requant(128));
    if (real_) return Emit(Once(2) ? Op::kMul : Op::kAdd, {x, other}, {});
    Attributes attributes = Requant(74 * 100);
    attributes.Set("multiplier_a", Int(-127, 127));
    attributes.Set("multiplier_b", Int(-127, 127));
    return Emit(Op::kAddI8, {x, other}, attributes);
  }

  /// With what was made before, another input, a layer of that, or a constant.
  ValueId Sum(ValueId x) {
    const Shape shape = graph_.shape(x);
    ValueId other = kNone;
    for (const ValueId value : values_)
      if (graph_.shape(value) == shape && Once(2)) other = value;
    if (other != kNone) {
      // Then layers before and after it read one value.
    } else if (Once(4)) {
      other = Constant(Type(), Once(2) ? Shape{1} : shape, -128, 127);
    } else {
      other = graph_.AddInput("z", {Type(), shape});
      if (shape.size() == 4 && Once(2)) {
        const ValueId made = Emit(real_ ? Op::kMaxPool : Op::kMaxPoolI8, {other},
                                  real_ ? Attributes{{"kernel", Shape{3, 3}},
                                                     {"strides", Shape{1, 1}},
                                                     {"pads", Shape{1, 1, 1, 1}},
                                                     {"dilations", Shape{1, 1}}}
                                        : Attributes{{"kernel", Shape{3, 3}},
                                                     {"strides", Shape{1, 1}},
                                                     {"pads", Shape{1, 1, 1, 1}}});
        other = made;
      }
    }
    std::vector<ValueId> operands = {x, other};
    if (Once(2)) std::swap(operands[0], operands[1]);
    if (real_) return Emit(Once(3) ? Op::kMul : Op::kAdd, operands, {});
    Attributes attributes = Requant(74 * 100);
    attributes.Set("multiplier_a", Int(-127, 127));
    attributes.Set("multiplier_b", Int(-127, 127));
    return Emit(Op::kAddI8, operands, attributes);
  }

  std::mt19937_64 random_;
  bool real_;
  Graph graph_;
  std::vector<ValueId> values_;  // activations, in order
};

TEST(CpuKernels, RandomLayersComputeWhatTheGraphSays) {
  // VTA_CPU_LAYERS=5000 for a long search, VTA_CPU_SEED=N from that one on.
  const char *wish = std::getenv("VTA_CPU_LAYERS"), *first = std::getenv("VTA_CPU_SEED");
  const uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 0;
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = begin; seed < begin + (wish ? std::strtoull(wish, nullptr, 10) : Trials(50));
       ++seed) {
    const Graph graph = RandomLayers(seed, seed % 2 == 0).Run();
    const llvm::Machine& machine = machines[seed / 2 % machines.size()];
    std::string text;
    try {
      text = Try(graph, machine, static_cast<uint32_t>(seed));
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_EQ(text, "") << "seed " << seed << ", " << machine.tune_cpu << " with "
                        << machine.vector_bits << " bits\n"
                        << Print(graph);
  }
}

TEST(CpuKernels, AnyPointOfTheirSpacesComputesTheSame) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  RandomChooser chooser(7);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(30)); ++seed) {
    const Graph graph = RandomLayers(1000 + seed, seed % 2 == 0).Run();
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), &chooser),
              "")
        << "seed " << seed << "\n"
        << Print(graph);
  }
  EXPECT_GT(chooser.chosen(), Trials(30) / 2);
}

/// Taps of a random window, in an accelerator's blocks.
Graph RandomTaps(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Graph graph("taps");
  const ValueId x =
      graph.AddInput("x", {DType::kInt8, {draw(1, 3), draw(1, 5), draw(7, 12), draw(7, 40)}});
  const Shape kernel{draw(1, 4), draw(1, 7)};
  const ValueId taps = graph.Emit(Op::kIm2Col, "taps", {x},
                                  {{"kernel", kernel},
                                   {"strides", Shape{draw(1, 3), draw(1, 3)}},
                                   {"dilations", Shape{draw(1, 2), 1}},
                                   {"pads", Shape{draw(0, 3), draw(0, 3), draw(0, 3), draw(0, 3)}},
                                   {"pad_value", draw(-128, 127)}});
  graph.AddOutput(
      "y", graph.Emit(Op::kPack, "blocks", {taps},
                      {{"batch_block", draw(1, 2)}, {"channel_block", int64_t{1} << draw(2, 6)}}));
  return graph;
}

TEST(CpuKernels, TapsOfAWindowAreWrittenInBlocksAtOnce) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(50)); ++seed) {
    const Graph graph = RandomTaps(seed);
    EXPECT_TRUE(CpuTarget().CanTake(graph, std::vector<NodeId>{0, 1}));
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed)), "")
        << "seed " << seed << "\n"
        << Print(graph);
  }
}

/// To one, two or three channels, of many or of as few, with windows of up to 40 columns.
TEST(CpuKernels, ConvolutionsToFewChannels) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  std::mt19937_64 random(5);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(40)); ++seed) {
    const bool wide = seed % 2;  // the window
    const Shape weights = {draw(1, 3), wide ? draw(1, 3) : draw(4, 40), draw(1, 3),
                           wide ? draw(16, 40) : draw(1, 7)};
    Graph graph("narrow");
    const auto constant = [&](const Shape& shape) {
      Tensor tensor({DType::kFloat32, shape});
      for (float& value : tensor.mutable_data<float>())
        value = static_cast<float>(draw(-500, 500)) / 500;
      return graph.AddConstant("c", std::move(tensor));
    };
    const ValueId x =
        graph.AddInput("x", {DType::kFloat32, {draw(1, 2), weights[1], draw(3, 8), draw(45, 70)}});
    std::vector<ValueId> inputs = {graph.Emit(Op::kRelu, "before", {x}, {}), constant(weights)};
    if (draw(0, 1)) inputs.push_back(constant({weights[0]}));
    ValueId y = graph.Emit(Op::kConv2d, "y", inputs,
                           {{"strides", Shape{draw(1, 2), draw(1, 2)}},
                            {"dilations", Shape{1, wide ? 1 : draw(1, 2)}},
                            {"pads", Shape{draw(0, 1), draw(0, 3), draw(0, 1), draw(0, 3)}},
                            {"groups", int64_t{1}}});
    if (draw(0, 1)) y = graph.Emit(Op::kMul, "square", {y, y}, {});
    // Behind it another one, which wants it kept; or nothing.
    if (draw(0, 1))
      y = graph.Emit(Op::kConv2d, "z", {y, constant({draw(1, 20), weights[0], 1, 3})},
                     {{"strides", Shape{1, 1}},
                      {"dilations", Shape{1, 1}},
                      {"pads", Shape{0, 1, 0, 1}},
                      {"groups", int64_t{1}}});
    graph.AddOutput("y", y);
    EXPECT_EQ(Try(graph, machines[seed / 2 % machines.size()], static_cast<uint32_t>(seed), nullptr,
                  seed % 8 < 2),
              "")
        << "seed " << seed << "\n"
        << Print(graph);
    const Step step = Steps(graph).at(1);
    EXPECT_EQ(IsNarrow(graph, graph.nodes()[step.nodes[0]]), true) << Print(graph);
  }
}

TEST(CpuKernels, ChannelsSideBySideInBlocksPartsOfThemAndOthers) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  uint32_t seed = 0;
  for (const std::vector<int64_t>& channels :
       std::vector<std::vector<int64_t>>{{16, 32, 5},
                                         {32, 7, 16},
                                         {48, 16},
                                         {5, 16},
                                         {16, 16, 16, 16},
                                         {24, 24},
                                         {8, 24, 3},
                                         {4, 12, 20, 28, 5}}) {
    Graph graph("concat");
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 8, 5, 6}});
    std::vector<ValueId> parts;
    const auto conv = [&](ValueId of, int64_t to) {
      Tensor weights({DType::kFloat32, {to, graph.shape(of)[1], 1, 1}});
      float next = -1;
      for (float& value : weights.mutable_data<float>())
        value = next = next > 1 ? -1 : next + 0.37F;
      return graph.Emit(Op::kConv2d, "conv", {of, graph.AddConstant("w", std::move(weights))},
                        {{"strides", Shape{1, 1}},
                         {"dilations", Shape{1, 1}},
                         {"pads", Shape{0, 0, 0, 0}},
                         {"groups", int64_t{1}}});
    };
    for (const int64_t count : channels) parts.push_back(conv(x, count));
    const ValueId all = graph.Emit(Op::kConcat, "all", parts, {{"axis", int64_t{1}}});
    Graph shown = graph;  // where the whole lies row by row
    shown.AddOutput("y", all);
    EXPECT_EQ(Try(shown, machines[seed % machines.size()], seed), "") << Print(shown);
    graph.AddOutput("y", conv(graph.Emit(Op::kRelu, "relu", {all}, {}), 20));
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], seed), "") << Print(graph);
    ++seed;
  }
}

TEST(CpuKernels, LayersWhoseResultsHaveTypesThatNothingIsKeptIn) {
  std::string weights;
  for (int i = 0; i < 160; ++i) weights += StrCat(i ? "," : "", i % 7 - 3, ".0");
  for (const std::string type : {"uint8", "int32", "int64", "bool"}) {
    const Graph graph = Parse(
        "%x : float32[1,8,3,3] = input\n%w : float32[20,8,1,1] = const [" + weights +
        "]\n%c : float32[1,20,3,3] = conv2d(%x, %w) {dilations=[1,1], groups=1, pads=[0,0,0,0], "
        "strides=[1,1]} \"c\"\n%y : " +
        type + "[1,20,3,3] = cast(%c) {to=\"" + type + "\"} \"y\"\noutput \"y\" = %y\n");
    EXPECT_EQ(Try(graph, llvm::HostMachine(), 1), "") << type;
  }
}

}  // namespace
}  // namespace vta::compiler::targets
