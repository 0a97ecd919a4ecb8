// Sums: the kernel against plain arithmetic, the operator against the graph's evaluator.
#include "compiler/targets/vta/kernels/add.h"

#include <gtest/gtest.h>

#include "compiler/targets/vta/kernels/constants.h"
#include "isa/spec/requant.h"
#include "tests/unit/compiler/targets/vta/kernels/kernel_case.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(Add, EqualsPlainArithmetic) {
  std::mt19937 random(11);
  for (int64_t batch : {1, 2})
    for (const auto& [ma, mb] :
         {std::pair(8191, -8000), std::pair(100, -127), std::pair(64, 130)}) {
      isa::Config config = ConfigNamed("default");
      config.arch.batch = batch;
      const int64_t rows = 150;
      const isa::Rounding rounding = isa::Rounding::kDouble;
      Tensors tensors = Operands(config, rows, random);
      const Digits da = DigitsOf(ma), db = DigitsOf(mb);
      const bool two = da.high || db.high;
      for (const int8_t digit : two ? std::vector<int8_t>{da.low, db.low, da.high, db.high}
                                    : std::vector<int8_t>{da.low, db.low}) {
        const std::vector<uint8_t> block = Diagonal(config, digit);
        tensors["w"].insert(tensors["w"].end(), block.begin(), block.end());
      }
      const Scheduled op = ScheduleAdd(config, rounding, {}, "add", {{rows}, two});
      const Tensors found = RunBoth(config, rounding, op, tensors);
      for (size_t i = 0; i < found.at("y").size(); ++i) {
        const int32_t sum =
            ma * static_cast<int8_t>(tensors["a"][i]) + mb * static_cast<int8_t>(tensors["b"][i]);
        ASSERT_EQ(static_cast<int8_t>(found.at("y")[i]), isa::Requant(sum, SomeLane(), rounding));
      }
    }
}

TEST(Add, OldHardwareAddsToo) {
  std::mt19937 random(13);
  const isa::Config config = ConfigNamed("vta_0.0.2");
  Tensors tensors = Operands(config, 60, random);
  for (const int8_t digit : {3, -4}) {
    const std::vector<uint8_t> block = Diagonal(config, digit);
    tensors["w"].insert(tensors["w"].end(), block.begin(), block.end());
  }
  RunBoth(config, isa::Rounding::kSingle,
          ScheduleAdd(config, isa::Rounding::kSingle, SomeLane(), "add", {{60}, false}), tensors);
}

TEST(Add, IsTheGraphs) {
  for (const isa::Config& config : AllBlocks())
    for (const auto& [factor, other, exponent] : {std::array<int64_t, 3>{7, -100, -13},
                                                  {8191, -100, -13},
                                                  {13 << 16, 63 << 16, -23},
                                                  {8191 << 8, -101 << 8, -21}}) {
      Case c(config, isa::Rounding::kDouble, 5);
      Attributes attributes = c.Requant();
      attributes.Set("multiplier_a", factor);
      attributes.Set("multiplier_b", other);
      attributes.Set("exponent", exponent);
      const ValueId a = c.Input("a", 1, 40, 13, 11), b = c.Input("b", 1, 40, 13, 11);
      c.graph().Emit(Op::kAddI8, "add", {a, b}, attributes);
      c.Run();
    }
}

TEST(Add, OfANumberAChannelIsTheGraphs) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(ConfigNamed("two_banks"));
  configs.push_back(ConfigNamed("default"));
  configs.back().arch.acc_depth = 64;
  for (const isa::Config& config : configs)
    for (const auto& [factor, other, exponent] :
         {std::array<int64_t, 3>{7, -100, -13}, {8191, -100, -13}, {8191 << 8, -101 << 8, -21}})
      for (const bool left : {true, false}) {
        Case c(config, isa::Rounding::kDouble, 5);
        Attributes attributes = c.Requant();
        attributes.Set("multiplier_a", factor);
        attributes.Set("multiplier_b", other);
        attributes.Set("exponent", exponent);
        const ValueId all = c.Input("a", 3, 40, 13, 11), one = c.Input("b", 3, 40, 1, 1);
        c.graph().Emit(Op::kAddI8, "add", left ? std::vector{one, all} : std::vector{all, one},
                       attributes);
        c.Run();
      }
}

TEST(Add, OldHardwareAddsANumberAChannelToo) {
  std::mt19937 random(14);
  const isa::Config config = ConfigNamed("vta_0.0.2");
  for (const RowGroups& rows : {RowGroups{9, 21}, {2, 700}}) {
    Tensors tensors = Operands(config, rows.rows(), random);
    tensors["b"].resize(rows.groups * config.inp_bytes());
    for (const int8_t digit : {3, -4, 1, 7}) {
      const std::vector<uint8_t> block = Diagonal(config, digit);
      tensors["w"].insert(tensors["w"].end(), block.begin(), block.end());
    }
    RunBoth(config, isa::Rounding::kSingle,
            ScheduleAdd(config, isa::Rounding::kSingle, SomeLane(), "add", {rows, true}), tensors);
  }
}

// A power of two rescales exactly, so the program is the graph's, and keeps the rules of published
// hardware.
TEST(Add, OfANumberAChannelByShiftsIsTheGraphs) {
  for (const int64_t factor : {1, 900})
    for (const Shape& shape : {Shape{2, 40, 13, 11}, {1, 16, 40, 40}}) {
      Case c(ConfigNamed("vta_0.0.2"), isa::Rounding::kSingle, 15);
      Attributes attributes = c.Requant();
      attributes.Set("multiplier_a", factor);
      attributes.Set("multiplier_b", 2 * factor);
      attributes.Set("multiplier", int64_t{1} << 30);
      attributes.Set("exponent", factor == 1 ? int64_t{-1} : int64_t{-10});
      const ValueId one = c.Input("a", shape[0], shape[1], 1, 1);
      const ValueId all = c.Input("b", shape[0], shape[1], shape[2], shape[3]);
      c.graph().Emit(Op::kAddI8, "add", {one, all}, attributes);
      c.Run();
    }
}

TEST(Add, SaysWhyItRefuses) {
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     Attributes attributes = c.Requant();
                     attributes.Set("multiplier_a", int64_t{16385});
                     attributes.Set("multiplier_b", int64_t{2});
                     const ValueId x = c.Input("x", 1, 16, 5, 5);
                     c.graph().Emit(Op::kAddI8, "a", {x, x}, attributes);
                   }),
            "multiplier = 16385: must be at most 16319 times a power of two of both");
  const auto add = [](Case& c) {
    Attributes attributes = c.Requant();
    attributes.Set("multiplier_a", int64_t{1000});  // two digits
    attributes.Set("multiplier_b", int64_t{1});
    const ValueId x = c.Input("x", 1, 16, 5, 5);
    c.graph().Emit(Op::kAddI8, "a", {x, x}, attributes);
  };
  for (const auto& [depth, least] : {std::pair(&isa::Arch::inp_depth, 4),
                                     {&isa::Arch::wgt_depth, 4},
                                     {&isa::Arch::acc_depth, 8}}) {
    isa::Config small = Batched(1);
    small.arch.*depth = least;
    Case fits(small, isa::Rounding::kSingle, 11);
    add(fits);
    fits.Run();
    small.arch.*depth = least / 2;
    EXPECT_EQ(WhyNot(small, add),
              "tile = none: one row must fit the scratchpads of the config twice");
  }
}

}  // namespace
}  // namespace vta::compiler::targets
