// Sum, product and maximum end to end: the tensor expression on the interpreter against the program
// on the functional simulator, and plain arithmetic.
#include "compiler/targets/vta/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/lower/lower.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

std::vector<uint8_t> Diagonal(const isa::Config& config, int8_t value) {
  std::vector<uint8_t> block(config.wgt_bytes());
  for (int64_t i = 0; i < config.arch.block_in; ++i)
    block[i * config.arch.block_in + i] = static_cast<uint8_t>(value);
  return block;
}

Tensors RunBoth(const isa::Config& config, isa::Rounding rounding, const Scheduled& op,
                const Tensors& tensors) {
  TaskProgram program = LowerTasks(config, op.schedule.function(), rounding);
  FinishTasks(config, &program);
  const Tensors wanted = Interpret(op.definition, tensors);
  const Tensors found = Simulate(config, program, tensors, sim::ModuleOrder::kLoadFirst);
  EXPECT_TRUE(found.at("y") == wanted.at("y"));
  return found;
}

isa::RequantLane SomeLane() {
  return {.bias = 77,
          .multiplier = 1518500250,
          .exponent = -9,
          .zero_point = 5,
          .low = -100,
          .high = 120};
}

Tensors Operands(const isa::Config& config, int64_t rows, std::mt19937& random) {
  Tensors tensors;
  for (const char* name : {"a", "b", "y"})
    tensors[name] = RandomBytes(rows * config.inp_bytes(), random);
  const std::vector<isa::RequantLane> lanes(config.arch.block_out, SomeLane());
  tensors["p"] =
      BytesOf(PackParameters(config, lanes, std::vector<int64_t>(lanes.size(), int64_t{1} << 21)));
  return tensors;
}

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
      const Scheduled op = ScheduleAdd(config, rounding, {}, "add", {rows, two});
      const Tensors found = RunBoth(config, rounding, op, tensors);
      for (size_t i = 0; i < found.at("y").size(); ++i) {
        const int32_t sum =
            ma * static_cast<int8_t>(tensors["a"][i]) + mb * static_cast<int8_t>(tensors["b"][i]);
        ASSERT_EQ(static_cast<int8_t>(found.at("y")[i]), isa::Requant(sum, SomeLane(), rounding));
      }
    }
}

TEST(Mul, EqualsPlainArithmetic) {
  std::mt19937 random(12);
  const isa::Config config = ConfigNamed("default");
  const int64_t rows = 37;
  Tensors tensors = Operands(config, rows, random);
  tensors["w"] = Diagonal(config, 1);
  const Scheduled op = ScheduleMul(config, isa::Rounding::kSingle, {}, "mul", {rows, -12, 100});
  const Tensors found = RunBoth(config, isa::Rounding::kSingle, op, tensors);
  for (size_t i = 0; i < found.at("y").size(); ++i) {
    const int32_t product =
        (static_cast<int8_t>(tensors["a"][i]) + 12) * (static_cast<int8_t>(tensors["b"][i]) - 100);
    ASSERT_EQ(static_cast<int8_t>(found.at("y")[i]),
              isa::Requant(product, SomeLane(), isa::Rounding::kSingle));
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
          ScheduleAdd(config, isa::Rounding::kSingle, SomeLane(), "add", {60, false}), tensors);
}

TEST(MaxPool, RandomWindows) {
  std::mt19937 random(14);
  auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 12; ++round) {
    isa::Config config = ConfigNamed("default");
    config.arch.batch = 1 + round % 2;
    config.arch.inp_depth = round % 3 ? 2048 : 64;
    ConvShape s{.batch = draw(1, 2),
                .groups = draw(1, 3),
                .kh = draw(1, 3),
                .kw = draw(1, 3),
                .stride_h = draw(1, 2),
                .stride_w = draw(1, 2),
                .pad_value = -128};
    s.in_h = draw(s.kh, 12), s.in_w = draw(s.kw, 12);
    if (round % 4) {
      s.pad_top = draw(0, s.kh - 1), s.pad_left = draw(0, s.kw - 1);
      s.pad_bottom = draw(0, s.kh - 1), s.pad_right = draw(0, s.kw - 1);
    }
    SCOPED_TRACE(StrCat("round ", round));
    Tensors tensors;
    tensors["x"] = RandomBytes(s.batch * s.groups * s.in_h * s.in_w * config.inp_bytes(), random);
    tensors["w"] = Diagonal(config, 1);
    tensors["y"].resize(s.batch * s.groups * s.out_h() * s.out_w() * config.out_bytes());
    RunBoth(config, isa::Rounding::kSingle, ScheduleMaxPool(config, "pool", s), tensors);
  }
}

}  // namespace
}  // namespace vta::compiler::targets
