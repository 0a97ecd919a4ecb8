// Spaces of steps: what is tried of a point is the program that the target makes of it.
#include "compiler/targets/vta/space.h"

#include <gtest/gtest.h>

#include "compiler/tune/tuner.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

/// Instructions, but for where in DRAM what they move lies.
std::vector<isa::Instruction> Unplaced(const isa::Config& config,
                                       const std::vector<uint8_t>& code) {
  const isa::Layout layout(config);
  std::vector<isa::Instruction> instructions;
  for (const isa::Word& word : isa::WordsOf(code)) {
    instructions.push_back(isa::Decode(layout, word));
    instructions.back().dram_base = 0;
  }
  return instructions;
}

TEST(VtaSpace, TrialsAreThePrograms) {
  std::mt19937 random(3);
  for (const char* name : {"default", "two_banks", "vta_0.0.2", "pynq"}) {
    const isa::Config config = ConfigNamed(name);
    const VtaTarget target(config);
    int64_t tried = 0;
    while (tried < Trials(6)) {
      Case c(config, isa::Rounding::kSingle, 11);
      AddConv(&c, 40, 70, 1, 3, 2);
      const auto space = target.SpaceOf(c.graph(), {c.Nodes(), "vta"});
      ASSERT_TRUE(space);
      tune::Point point;
      for (const tune::Choice& choice : space->Choices())
        point.push_back(choice.values[random() % choice.values.size()]);
      if (!space->Has(point)) continue;
      ++tried;
      SCOPED_TRACE(StrCat(name, ": ", tune::Print(space->Choices(), point)));
      const tune::Trial trial = space->Try(point);
      const auto& code = std::get<ProgramCode>(trial.code);
      const ProgramCode program = c.Compile(&point);
      const auto wanted = Unplaced(config, program.code), found = Unplaced(config, code.code);
      ASSERT_EQ(found.size(), wanted.size());
      EXPECT_TRUE(found == wanted);
      // Micro-ops lie behind the program's other constants.
      const auto size = static_cast<int64_t>(code.constants.size());
      EXPECT_TRUE(
          std::equal(code.constants.begin(), code.constants.end(), program.constants.end() - size));
      EXPECT_GT(trial.arena_bytes, size);
    }
  }
}

TEST(VtaSpace, TheFirstIsWhatTheTargetTakes) {
  for (const char* name : {"default", "two_banks", "vta_0.0.2"}) {
    Case c(ConfigNamed(name), isa::Rounding::kSingle, 11), other = c;
    AddConv(&c, 40, 70, 1, 3, 2), AddConv(&other, 40, 70, 1, 3, 2);
    const VtaTarget target(ConfigNamed(name));
    const auto space = target.SpaceOf(c.graph(), {c.Nodes(), "vta"});
    const tune::Point first = space->Cheapest(1).at(0);
    EXPECT_EQ(c.Compile(&first).code, other.Compile().code);
    EXPECT_LE(space->Bound(), space->Estimate(first));
  }
}

TEST(VtaSpace, OperatorsWithOneWay) {
  Case c(ConfigNamed("default"), isa::Rounding::kSingle, 11);
  const ValueId x = c.Input("x", 1, 16, 4, 4), y = c.Input("y", 1, 16, 4, 4);
  Attributes sum = c.Requant();
  sum.Set("multiplier_a", int64_t{3}), sum.Set("multiplier_b", int64_t{5});
  c.graph().Emit(Op::kAddI8, "sum", {x, y}, sum);
  EXPECT_EQ(VtaTarget(ConfigNamed("default")).SpaceOf(c.graph(), {c.Nodes(), "vta"}), nullptr);
}

}  // namespace
}  // namespace vta::compiler::targets
