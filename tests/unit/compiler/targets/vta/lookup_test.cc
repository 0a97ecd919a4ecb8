// Tables of codes through the whole target: the graph's evaluator against the linked program on the
// functional simulator, behind each operator that can have one; and who cannot.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "compiler/targets/vta/plan.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

void AddDense(Case& c) {
  c.graph().Emit(
      Op::kDenseI8, "dense",
      {c.Input("x", 3, 50, 1, 1), c.Constant<int8_t>("w", {21, 50}, -128, 127),
       c.Constant<int32_t>("b", {21}, -999, 999),
       c.Constant<int32_t>("m", {21}, 1 << 30, INT32_MAX), c.Constant<int32_t>("e", {21}, -11, -9)},
      {{"zero_point", int64_t{4}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
}

void AddPhases(Case& c) {
  AddConv(&c, 16, 4 * 32, 1, 2, 1);
  c.graph().Emit(Op::kDepthToSpace, "interleave", {c.graph().nodes().back().output},
                 {{"blocks", Shape{2, 2}}, {"crops", Shape{1, 0, 0, 1}}, {"groups", int64_t{1}}});
}

void AddAdd(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("multiplier_a", int64_t{77});
  attributes.Set("multiplier_b", int64_t{-1234});
  attributes.Set("exponent", int64_t{-11});
  c.graph().Emit(Op::kAddI8, "add", {c.Input("a", 1, 33, 6, 4), c.Input("b", 1, 33, 6, 4)},
                 attributes);
}

void AddMul(Case& c) {
  c.graph().Emit(Op::kMulI8, "mul", {c.Input("a", 1, 33, 6, 4), c.Input("b", 1, 33, 6, 4)},
                 {{"zero_a", int64_t{-3}},
                  {"zero_b", int64_t{90}},
                  {"multiplier", int64_t{1} << 30},
                  {"exponent", int64_t{-7}},
                  {"zero_point", int64_t{9}},
                  {"low", int64_t{-128}},
                  {"high", int64_t{127}}});
}

void AddPool(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("kernel", Shape{3, 3});
  attributes.Set("pad_value", int64_t{0});
  Case::SetWindow(&attributes, {1, 2}, {0, 0, 0, 0});
  c.graph().Emit(Op::kAvgPoolI8, "pool", {c.Input("x", 1, 40, 9, 9)}, attributes);
}

void AddRequant(Case& c) {
  Attributes attributes = c.Requant();
  attributes.Set("exponent", int64_t{-1});
  c.graph().Emit(Op::kRequantI8, "requant", {c.Input("x", 1, 33, 6, 4)}, attributes);
}

struct Named {
  std::string name;
  std::function<void(Case&)> add;  // no node: the table is all
  bool needs_mul = false;
};
const Named kBehind[] = {{"conv", [](Case& c) { AddConv(&c, 40, 24, 1, 3, 1); }},
                         {"depthwise", [](Case& c) { AddConv(&c, 32, 32, 32, 3, 1); }},
                         {"conv and sum",
                          [](Case& c) {
                            AddConv(&c, 16, 48, 1, 1, 1);
                            AddSum(&c, 48, 3, 2, true);
                          },
                          true},
                         {"conv and wide sum",
                          [](Case& c) {
                            AddConv(&c, 16, 16, 1, 1, 1);
                            AddSum(&c, 16, 300, 9000, false);
                          },
                          true},
                         {"phases", AddPhases},
                         {"dense", AddDense},
                         {"sum", AddAdd},
                         {"product", AddMul, true},
                         {"average", AddPool},
                         {"requant", AddRequant},
                         {"nothing", [](Case&) {}}};

/// Puts a random table behind all that is there.
void AddLookup(Case* c) {
  const ValueId x =
      c->graph().nodes().empty() ? c->Input("x", 2, 40, 5, 7) : c->graph().nodes().back().output;
  c->graph().Emit(Op::kLookupI8, "lookup", {x, c->Constant<int8_t>("table", {256}, -128, 127)}, {});
}

TEST(VtaLookup, EqualsTheEvaluatorBehindEachOperator) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(1));
  for (const char* name : {"two_banks", "only_lut", "pynq", "extended"})
    configs.push_back(ConfigNamed(name));
  uint32_t seed = 900;
  for (const isa::Config& config : configs)
    for (const Named& one : kBehind) {
      if (one.needs_mul && !config.arch.mul) continue;
      // Bits of multipliers make the least difference to codes: that is not what is tested.
      isa::Config exact = config;
      exact.arch.requant_multiplier_bits = 32;
      SCOPED_TRACE(StrCat("seed ", ++seed, ": ", one.name, " on ", config.name, " ",
                          config.arch.block_in, "x", config.arch.block_out));
      Case c(exact, seed % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
      one.add(c);
      AddLookup(&c);
      c.Run();
    }
}

TEST(VtaLookup, IsOneOperationOfTheMachine) {
  const auto operations = [](bool looks_up) {
    Case c(Batched(1), isa::Rounding::kSingle, 5);
    AddConv(&c, 32, 32, 1, 3, 1);
    if (looks_up) AddLookup(&c);
    const ProgramCode code = c.Compile();
    std::map<int64_t, int64_t> alus;  // instructions by operation, and -1: LOADs of the table
    const isa::Layout layout(Batched(1));
    for (const isa::Word& word : isa::WordsOf(code.code)) {
      const isa::Instruction insn = isa::Decode(layout, word);
      if (insn.opcode == static_cast<int64_t>(isa::Opcode::kAlu)) ++alus[insn.alu_opcode];
      alus[-1] += insn.opcode == static_cast<int64_t>(isa::Opcode::kLoad) &&
                  insn.memory_type == static_cast<int64_t>(isa::MemoryType::kLut);
    }
    return alus;
  };
  const auto requant = static_cast<int64_t>(isa::AluOp::kRequant),
             lut = static_cast<int64_t>(isa::AluOp::kLut);
  std::map<int64_t, int64_t> without = operations(false), with = operations(true);
  EXPECT_EQ(without[-1], 0);
  EXPECT_EQ(with[-1], 1);
  EXPECT_GT(without[requant], 0);
  EXPECT_EQ(with[lut], without[requant]);
  EXPECT_EQ(with[requant], 0);
}

TEST(VtaLookup, SaysWhyItRefuses) {
  EXPECT_EQ(WhyNot(ConfigNamed("only_requant"), [](Case& c) { AddLookup(&c); }),
            "arch.lut = 0: a function of one code is a table of 256, and that needs the ALU "
            "operation lut");
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     const ValueId x = c.Input("x", 1, 16, 5, 5);
                     const ValueId table = c.graph().AddInput("t", {DType::kInt8, {256}});
                     c.graph().Emit(Op::kLookupI8, "lookup", {x, table}, {});
                   }),
            "table = t: must be a constant");
  const std::string rule =
      ": must be one, or a convolution and the addition of its result to another tensor, what "
      "interleaves it, or a maximum of it; and a table for the codes of these, but for a maximum's";
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     AddConv(&c, 16, 16, 1, 1, 1);
                     AddLookup(&c);
                     AddLookup(&c);
                   }),
            "operators = 3" + rule);
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     AddLookup(&c);
                     AddSum(&c, 40, 1, 1, true);
                   }),
            "operators = 2" + rule);
}

}  // namespace
}  // namespace vta::compiler::targets
