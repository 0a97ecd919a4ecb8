// Tables of codes through the whole target: the graph's evaluator against the linked program on the
// functional simulator, behind each operator that can have one; and who cannot.
#include <gtest/gtest.h>

#include <map>

#include "compiler/targets/vta/plan.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/behind.h"

namespace vta::compiler::targets {
namespace {

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
    for (const Maker& one : kMakers) {
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
      "interleaves it, or a maximum of it; and a table for the codes of these, but for a "
      "maximum's, or "
      "their prelu_i8, but for those of the last two";
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
