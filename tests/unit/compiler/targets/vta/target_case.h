// One step of graph operators through the whole target: compiled, proved, run on the functional
// simulator, and compared with the graph's evaluator.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "isa/check/published.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {

class Case {
 public:
  Case(isa::Config config, isa::Rounding rounding, uint32_t seed)
      : config_(std::move(config)), graph_("case", rounding), random_(seed) {}

  Graph& graph() { return graph_; }
  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint32_t>(high - low + 1));
  }

  /// A packed input of these plain sizes.
  ValueId Input(const std::string& name, int64_t n, int64_t c, int64_t h, int64_t w) {
    const ActivationBlocks blocks = *VtaTarget(config_).Layout();
    const Shape shape{(n + blocks.batch - 1) / blocks.batch,
                      (c + blocks.channel - 1) / blocks.channel,
                      h,
                      w,
                      blocks.batch,
                      blocks.channel};
    return graph_.AddInput(name, {DType::kInt8, shape});
  }
  template <typename T>
  ValueId Constant(const std::string& name, const Shape& shape, int64_t low, int64_t high) {
    std::vector<T> values(Elements(shape));
    for (T& value : values) value = static_cast<T>(Draw(low, high));
    return graph_.AddConstant(name, Tensor::Of<T>(shape, values));
  }
  Attributes Requant() {
    return {{"bias", Draw(-500, 500)},  {"multiplier", Draw(1 << 30, INT32_MAX)},
            {"exponent", Draw(-9, -5)}, {"zero_point", Draw(-20, 20)},
            {"low", int64_t{-110}},     {"high", int64_t{120}}};
  }
  static void SetWindow(Attributes* attributes, const Shape& strides, const Shape& pads) {
    attributes->Set("strides", strides);
    attributes->Set("pads", pads);
  }

  /// All of the graph is one step.
  std::vector<NodeId> Nodes() const {
    std::vector<NodeId> nodes(graph_.nodes().size());
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }
  /// `point`: of its space.
  ProgramCode Compile(const tune::Point* point = nullptr) {
    graph_.AddOutput("y", graph_.nodes().back().output);
    const VtaTarget target(config_);
    std::string why;
    EXPECT_TRUE(target.CanTake(graph_, Nodes(), &why)) << why;
    int64_t end = 0;
    for (size_t id = 0; id < graph_.values().size(); ++id) {
      if (graph_.values()[id].constant) continue;
      offsets_[static_cast<ValueId>(id)] = end;
      end += (graph_.values()[id].type.bytes() + 4095) / 4096 * 4096;
    }
    constants_ = end;
    ProgramCode code = std::get<ProgramCode>(target.Compile(
        graph_, {Nodes(), "vta"},
        {[this](ValueId value) { return offsets_.at(value); }, constants_}, {.point = point}));
    off_by_ = code.off_by;
    return code;
  }
  int64_t off_by() const { return off_by_; }

  /// Compiles, proves, runs and compares.
  void Run() {
    const ProgramCode step = Compile();
    std::vector<uint8_t> memory(constants_);
    memory.insert(memory.end(), step.constants.begin(), step.constants.end());
    std::vector<Tensor> inputs;
    for (const ValueId input : graph_.inputs()) {
      inputs.emplace_back(graph_.type(input), RandomBytes(graph_.type(input).bytes(), random_));
      std::copy(inputs.back().bytes().begin(), inputs.back().bytes().end(),
                memory.begin() + offsets_.at(input));
    }
    const isa::Report report = Prove(step);
    EXPECT_TRUE(report.ok()) << isa::ReportToText(report);
    EXPECT_TRUE(report.statistics.serially_legal);
    if (config_.version == isa::Version::k002 && !config_.arch.mul) {
      const isa::PublishedReport published = Judge(isa::CheckPublished, step);
      EXPECT_TRUE(published.ok()) << isa::PublishedToText(published);
    }

    const size_t program = memory.size();
    memory.insert(memory.end(), step.code.begin(), step.code.end());
    sim::Machine machine(config_, {.order = sim::ModuleOrder::kStoreFirst});
    const isa::LaunchResult result = machine.Run(
        {program, static_cast<int64_t>(step.code.size()) / isa::kInstructionBytes, {}}, memory);
    ASSERT_EQ(result.outcome, isa::Outcome::kFinished);
    const Tensor wanted = Evaluate(graph_, inputs)[0];
    const int64_t at = offsets_.at(graph_.outputs()[0].value);
    Compare(wanted, {memory.begin() + at, memory.begin() + at + wanted.type().bytes()});
  }

  isa::Report Prove(const ProgramCode& step) const { return Judge(isa::Check, step); }

 private:
  template <typename Report>
  Report Judge(Report (*check)(const isa::Config&, const isa::Launch&),
               const ProgramCode& step) const {
    const std::vector<isa::Word> words = isa::WordsOf(step.code);
    const isa::ImagePart part{constants_, step.constants, true};
    isa::Launch launch;
    launch.instructions = words;
    launch.memory_bytes = constants_ + static_cast<int64_t>(step.constants.size());
    launch.image = {&part, 1};
    return check(config_, launch);
  }
  virtual void Compare(const Tensor& wanted, const std::vector<uint8_t>& found) {
    EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.bytes().begin()));
  }

  isa::Config config_;
  Graph graph_;
  std::mt19937 random_;
  std::map<ValueId, int64_t> offsets_;
  int64_t constants_ = 0, off_by_ = 0;
};

/// Why the target does not take the graph that `add` makes, as one step.
template <typename F>
std::string WhyNot(const isa::Config& config, const F& add) {
  Case c(config, isa::Rounding::kSingle, 10);
  add(c);
  std::string reason;
  EXPECT_FALSE(VtaTarget(config).CanTake(c.graph(), c.Nodes(), &reason));
  return reason;
}

inline isa::Config Batched(int64_t batch) {
  isa::Config config = ConfigNamed("default");
  config.arch.batch = batch;
  return config;
}

/// Blocks that differ: an activation's channels are several elements of inp, or of out.
inline isa::Config Blocks(int64_t in, int64_t out) {
  isa::Config config = ConfigNamed("default");
  config.arch.block_in = in, config.arch.block_out = out;
  return config;
}
inline std::vector<isa::Config> AllBlocks() { return {Batched(2), Blocks(8, 32), Blocks(32, 8)}; }

/// Channels, groups and what they become.
inline void AddConv(Case* c, int64_t in, int64_t out, int64_t groups, int64_t kernel,
                    int64_t dilation, const std::optional<Tensor>& weights = std::nullopt) {
  const ValueId x = c->Input("x", 2, in, 9, 7);
  const ValueId w = weights
                        ? c->graph().AddConstant("w", *weights)
                        : c->Constant<int8_t>("w", {out, in / groups, kernel, kernel}, -128, 127);
  const ValueId bias = c->Constant<int32_t>("bias", {out}, -3000, 3000);
  const ValueId multiplier = c->Constant<int32_t>("multiplier", {out}, 1 << 30, INT32_MAX);
  const ValueId exponent = c->Constant<int32_t>("exponent", {out}, -12, -8);
  Attributes attributes{{"groups", groups},
                        {"pad_value", c->Draw(-128, 127)},
                        {"zero_point", c->Draw(-128, 127)},
                        {"low", int64_t{-120}},
                        {"high", int64_t{100}},
                        {"dilations", Shape{dilation, dilation}}};
  const int64_t most = (kernel - 1) * dilation;
  Case::SetWindow(&attributes, {c->Draw(1, 2), c->Draw(1, 2)},
                  {c->Draw(0, most), c->Draw(0, most), c->Draw(0, most), c->Draw(0, most)});
  c->graph().Emit(Op::kConv2dI8, "conv", {x, w, bias, multiplier, exponent}, attributes);
}

/// The convolution's result, as the left or right operand, plus a tensor of its shape; with
/// `exponent` their sum is scaled by 2^(exponent - 1).
inline void AddSum(Case* c, int64_t channels, int64_t own, int64_t other, bool left,
                   std::optional<int64_t> exponent = std::nullopt) {
  const ValueId y = c->graph().nodes().back().output;
  const Shape packed = c->graph().shape(y);
  const ValueId s = c->Input("s", 2, channels, packed[2], packed[3]);
  Attributes attributes = c->Requant();
  attributes.Set("multiplier_a", left ? own : other);
  attributes.Set("multiplier_b", left ? other : own);
  const int64_t size = std::max(std::abs(own), std::abs(other));
  attributes.Set("exponent", -std::lround(std::log2(static_cast<double>(size))));
  if (exponent) {
    attributes.Set("multiplier", int64_t{1 << 30});
    attributes.Set("exponent", *exponent);
  }
  c->graph().Emit(Op::kAddI8, "add", left ? std::vector{y, s} : std::vector{s, y}, attributes);
}

}  // namespace vta::compiler::targets
