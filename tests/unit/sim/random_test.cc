// Random programs. Any bit pattern: nothing crashes or hangs, and every SIMD path does what the
// in-order reference does. Race-free ones: every module order leaves the same memory.
#include <gtest/gtest.h>

#include <random>

#include "isa/support/error.h"
#include "sim/trace/lockstep.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::MemoryType;
using isa::Opcode;

isa::Config ShapedConfig(int64_t batch, int64_t block_in, int64_t block_out) {
  isa::Config config = SmallConfig();
  config.arch.batch = batch;
  config.arch.block_in = block_in;
  config.arch.block_out = block_out;
  config.arch.uop_depth = 32;
  config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth = 64;
  config.arch.requant_multiplier_bits = batch == 2 ? 16 : 32;
  config.uarch.bus_bits = 64;
  return config;
}

// Values that sit at the edges more often than chance.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  uint64_t Bits() { return random_(); }
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  int64_t Field(int64_t low, int64_t high) {
    if (OneIn(8)) return high;
    if (OneIn(8)) return low;
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 random_;
};

// An instruction whose fields are legal for themselves; what they do together may fault.
isa::Instruction RandomInstruction(Dice& dice, const isa::Layout& layout) {
  const int64_t opcode =
      static_cast<int64_t>(isa::kInstructions[dice.Below(std::size(isa::kInstructions))].code);
  const bool small = !dice.OneIn(8);
  isa::Instruction insn;
  for (const auto& field : layout.Fields(opcode)) {
    if (!field.spec->member) continue;
    const int64_t high = isa::FieldHigh(field.spec->is_signed, field.width);
    const int64_t low = isa::FieldLow(field.spec->is_signed, field.width);
    insn.*field.spec->member =
        small ? dice.Field(std::max<int64_t>(low, -40), std::min<int64_t>(high, 4))
              : dice.Field(low, high);
  }
  if (!dice.OneIn(6)) insn.pop_prev = insn.pop_next = insn.push_prev = insn.push_next = 0;
  insn.opcode = opcode;
  return insn;
}

// A GEMM or ALU instruction that stays inside 64 rows where its micro-ops stay inside 24.
isa::Instruction RandomCompute(Dice& dice) {
  isa::Instruction insn = Loop(dice.OneIn(2) ? Opcode::kGemm : Opcode::kAlu, dice.Below(16), 0);
  insn.uop_end = insn.uop_begin + dice.Below(16);
  insn.iter_out = dice.Below(5);
  insn.iter_in = dice.Below(5);
  for (auto member : {&isa::Instruction::dst_factor_out, &isa::Instruction::dst_factor_in,
                      &isa::Instruction::src_factor_out, &isa::Instruction::src_factor_in,
                      &isa::Instruction::wgt_factor_out, &isa::Instruction::wgt_factor_in})
    insn.*member = dice.OneIn(3) ? 0 : dice.Below(5);
  if (insn.opcode == static_cast<int64_t>(Opcode::kGemm)) {
    insn.reset = dice.OneIn(8);
    insn.overwrite = dice.OneIn(3);
    return insn;
  }
  insn.wgt_factor_out = insn.wgt_factor_in = 0;
  insn.alu_opcode = dice.Below(std::size(isa::kAluOps));
  insn.use_imm = isa::kAluOps[insn.alu_opcode].apply && dice.OneIn(2);
  insn.imm = dice.OneIn(2) ? dice.Field(-40, 40) : dice.Field(-32768, 32767);
  if (dice.OneIn(20)) insn.dst_factor_out = 63;  // may leave the buffer
  return insn;
}

// DRAM with random data; micro-op elements [0, 32) stay inside 24 rows, some in arithmetic
// progression.
std::vector<uint8_t> RandomData(Dice& dice, const isa::Layout& layout, int64_t bytes) {
  std::vector<uint8_t> dram(bytes);
  for (uint8_t& byte : dram) byte = static_cast<uint8_t>(dice.Bits());
  isa::Uop uop;
  for (int i = 0; i < 32; ++i) {
    uop.dst = dice.OneIn(3) ? dice.Below(24) : (uop.dst + dice.Below(2)) % 24;
    uop.src = dice.OneIn(3) ? dice.Below(24) : (uop.src + 1) % 24;
    uop.wgt = dice.OneIn(3) ? dice.Below(24) : uop.wgt;
    const uint32_t word = isa::EncodeUop(layout, uop);
    std::memcpy(dram.data() + 4 * i, &word, sizeof word);
  }
  return dram;
}

// Fills every scratchpad, then computes.
std::vector<isa::Instruction> ComputeProgram(Dice& dice, int64_t count) {
  std::vector<isa::Instruction> program = {
      LoadOf(MemoryType::kUop, 0, 0, 32), LoadOf(MemoryType::kInp, 0, 1, 64),
      LoadOf(MemoryType::kWgt, 0, 1, 64), LoadOf(MemoryType::kAcc, 0, 1, 64)};
  program[2].push_next = 1;
  program[3].pop_prev = 1;
  isa::Instruction set = Insn(Opcode::kSet);
  set.mode = static_cast<int64_t>(isa::Mode::kRounding);
  set.value = dice.Below(2);
  program.push_back(set);
  program.push_back(LoadOf(MemoryType::kLut, 0, 2, 1));
  for (int64_t i = 0; i < count; ++i) program.push_back(RandomCompute(dice));
  program.push_back(Finish());
  return program;
}

void ExpectEqualMachines(const Machine& a, const Machine& b) {
  for (Space space :
       {Space::kUop, Space::kWgt, Space::kInp, Space::kAcc, Space::kOut, Space::kLut}) {
    const auto left = a.scratchpads().Bytes(space), right = b.scratchpads().Bytes(space);
    EXPECT_TRUE(std::equal(left.begin(), left.end(), right.begin(), right.end()))
        << SpaceName(space);
  }
}

class Shapes : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  Shapes()
      : config_(ShapedConfig(std::get<0>(GetParam()), std::get<1>(GetParam()),
                             std::get<2>(GetParam()))) {}

  // Runs on the reference and on every SIMD path that the processor has; all must end the same.
  isa::LaunchResult RunEverywhere(const isa::LaunchRequest& request,
                                  const std::vector<uint8_t>& image, MachineOptions options) {
    options.simd = Simd::kScalar;
    Machine reference(config_, options);
    std::vector<uint8_t> expected = image;
    const isa::LaunchResult result = reference.Run(request, expected);
    for (Simd simd : {Simd::kAvx2, Simd::kVnni}) {
      if (!SimdSupported(simd)) continue;
      options.simd = simd;
      Machine machine(config_, options);
      std::vector<uint8_t> dram = image;
      EXPECT_EQ(machine.Run(request, dram), result) << SimdName(simd);
      EXPECT_EQ(dram, expected) << SimdName(simd);
      ExpectEqualMachines(machine, reference);
    }
    return result;
  }

  isa::Config config_;
};

TEST_P(Shapes, SimdComputesWhatTheReferenceDoes) {
  const isa::Layout layout(config_);
  const uint64_t code = 65 * std::max(config_.wgt_bytes(), config_.acc_bytes());
  int64_t finished = 0, macs = 0, alu_uops = 0;
  for (uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    std::vector<uint8_t> dram = RandomData(dice, layout, code);
    const std::vector<isa::Instruction> program = ComputeProgram(dice, 12);
    for (const isa::Instruction& insn : program) {
      dram.resize(dram.size() + isa::kInstructionBytes);
      isa::StoreWord(isa::Encode(layout, insn), dram.data() + dram.size() - isa::kInstructionBytes);
    }
    const isa::LaunchResult result =
        RunEverywhere({code, static_cast<int64_t>(program.size()), {}}, dram, {});
    finished += result.outcome == isa::Outcome::kFinished;
    macs += result.counters.macs;
    alu_uops += result.counters.alu_uops;
  }
  EXPECT_GT(finished, 20);
  EXPECT_GT(macs, 4000 * config_.macs_per_cycle());
  EXPECT_GT(alu_uops, 5000);
}

TEST_P(Shapes, AnyBitPatternEndsTheSameWay) {
  const isa::Layout layout(config_);
  const uint64_t code = 0x2000;
  std::array<int, 5> outcomes = {};
  for (uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const int64_t count = 1 + dice.Below(40);
    std::vector<uint8_t> dram = RandomData(dice, layout, code + isa::kInstructionBytes * count);
    const bool raw = dice.OneIn(4);
    for (int64_t i = 0; i < count && !raw; ++i)
      isa::StoreWord(isa::Encode(layout, RandomInstruction(dice, layout)),
                     dram.data() + code + isa::kInstructionBytes * i);
    isa::LaunchRequest request{code, count, {}};
    for (uint64_t& base : request.base) base = dice.OneIn(3) ? dice.Below(0x3000) : 0;
    const MachineOptions options{
        .order = ModuleOrder::kRandom, .seed = seed, .micro_op_limit = 3000};
    ++outcomes[static_cast<int>(RunEverywhere(request, dram, options).outcome)];
  }
  EXPECT_GT(outcomes[static_cast<int>(isa::Outcome::kFinished)], 0);
  EXPECT_GT(outcomes[static_cast<int>(isa::Outcome::kFault)], 0);
  EXPECT_GT(outcomes[static_cast<int>(isa::Outcome::kDeadlock)], 0);
}

INSTANTIATE_TEST_SUITE_P(All, Shapes,
                         testing::Values(std::tuple(1, 4, 4), std::tuple(1, 16, 16),
                                         std::tuple(2, 8, 8), std::tuple(1, 64, 4),
                                         std::tuple(4, 4, 64), std::tuple(1, 32, 32),
                                         std::tuple(2, 16, 8), std::tuple(1, 8, 16),
                                         std::tuple(1, 64, 64), std::tuple(16, 4, 4)));

// Tiles that flow load -> compute -> store through two halves of each scratchpad, tokens closing
// every hazard. Micro-ops [0, 8) stay in the first half, [8, 16) in the second.
std::vector<isa::Instruction> PipelinedProgram(Dice& dice, int64_t tiles) {
  std::vector<isa::Instruction> program = {LoadOf(MemoryType::kUop, 0, 0, 16)};
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t half = 8 * (t % 2);
    isa::Instruction inp = LoadOf(MemoryType::kInp, half, 16 + dice.Below(100), 8);
    inp.pop_next = t >= 2;
    isa::Instruction wgt = LoadOf(MemoryType::kWgt, half, 16 + dice.Below(50), 8);
    wgt.push_next = 1;
    isa::Instruction reset = Loop(Opcode::kGemm, half, half + 8);
    reset.reset = reset.pop_prev = 1;
    reset.pop_next = t >= 2;
    isa::Instruction gemm = Loop(Opcode::kGemm, half, half + 8);
    gemm.push_prev = 1;
    isa::Instruction shift = AluImm(isa::AluOp::kShr, half, half + 8, dice.Below(9));
    shift.push_next = 1;
    isa::Instruction store = StoreOf(half, 0x800 + 8 * t, 8);
    store.pop_prev = store.push_prev = 1;
    for (const isa::Instruction& insn : {inp, wgt, reset, gemm, shift, store})
      program.push_back(insn);
  }
  program.push_back(Finish());
  return program;
}

std::vector<uint8_t> RunPipelined(uint64_t seed, const MachineOptions& options) {
  Dice dice(seed);
  Bench bench(SmallConfig(), options);
  for (int64_t i = 64; i < 0x2000; ++i) bench.dram[i] = static_cast<uint8_t>(dice.Bits());
  for (int64_t i = 0; i < 16; ++i) {
    const auto in_half = [&] { return 8 * (i / 8) + dice.Below(8); };
    bench.PutUops(4 * i, {{in_half(), in_half(), in_half()}});
  }
  for (const isa::Instruction& insn : PipelinedProgram(dice, 6)) bench.Add(insn);
  EXPECT_EQ(isa::Describe(bench.Run()), "finished");
  return bench.dram;
}

TEST(Order, RaceFreeProgramsEndTheSameInEveryOrder) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TraceRecorder in_order(TraceDetail::kHashes);
    const std::vector<uint8_t> expected = RunPipelined(seed, {.trace = &in_order});
    for (ModuleOrder order : {ModuleOrder::kLoadFirst, ModuleOrder::kComputeFirst,
                              ModuleOrder::kStoreFirst, ModuleOrder::kRandom})
      for (uint64_t draw = 0; draw < 3; ++draw) {
        TraceRecorder recorder(TraceDetail::kHashes);
        EXPECT_EQ(RunPipelined(seed, {.order = order, .seed = draw, .trace = &recorder}), expected);
        for (isa::Module m : {isa::Module::kLoad, isa::Module::kCompute, isa::Module::kStore})
          EXPECT_EQ(recorder.events(m), in_order.events(m));
      }
  }
}

TEST(Simd, TheScalarPathIsAlwaysThere) { EXPECT_TRUE(SimdSupported(Simd::kScalar)); }

TEST(Simd, RefusesWhatTheProcessorLacks) {
  for (Simd simd : {Simd::kAvx2, Simd::kVnni}) {
    if (SimdSupported(simd)) continue;
    try {
      Machine machine(SmallConfig(), {.simd = simd});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), StrCat("functional simulator: simd = ", SimdName(simd),
                                        ": this processor does not have it")
                                     .c_str());
    }
  }
}

}  // namespace
}  // namespace vta::sim
