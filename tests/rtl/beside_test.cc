// What runs beside an ALU instruction, where something goes wrong: all is as if one instruction ran
// after the other.
#include "tests/rtl/timing_fixture.h"

namespace vta::test {
namespace {

using isa::AluOp;
using isa::Fault;
using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

// Micro-ops of the lower and of the upper bank, and cycles of the ALU instruction.
constexpr int64_t kUops = 8, kLow = 0, kHigh = kUops, kTimes = 200;
// One whose inp is outside.
constexpr int64_t kOutside = 2 * kUops;

class BesideBase : public RtlTiming {
 protected:
  static int64_t Depth() { return config_->arch.acc_depth; }
  static std::vector<isa::Uop> Table() {
    std::vector<isa::Uop> uops;
    for (int64_t row : {int64_t{0}, Depth() / 2})
      for (int64_t i = 0; i < kUops; ++i) uops.push_back({row + i, i % 4, i % 3});
    uops.push_back({Depth() / 2, Depth() - 1, 0});
    return uops;
  }
  static Instruction Kernel(Opcode opcode, int64_t begin, int64_t uops, int64_t times = 1) {
    Instruction insn = sim::Loop(opcode, begin, begin + uops);
    insn.iter_in = times;
    return insn;
  }
  static Instruction Gemm(int64_t begin, int64_t uops = kUops, int64_t times = 1) {
    return Kernel(Opcode::kGemm, begin, uops, times);
  }
  static Instruction Add(int64_t begin, int64_t uops = 1, int64_t times = kTimes) {
    Instruction insn = Kernel(Opcode::kAlu, begin, uops, times);
    insn.alu_opcode = static_cast<int64_t>(AluOp::kAdd), insn.use_imm = 1, insn.imm = 3;
    return insn;
  }
  static Instruction WithPushes(Instruction insn) {
    insn.push_prev = insn.push_next = 1;
    return insn;
  }
  static Instruction Nothing() { return sim::LoadOf(MemoryType::kAcc, 0, 0, 0); }
  // What carries a token and does nothing else.
  static Instruction LoadPops() {
    Instruction insn = sim::LoadOf(MemoryType::kInp, 0, 0, 0);
    insn.pop_next = 1;
    return insn;
  }
  static Instruction StorePops() {
    Instruction insn = sim::StoreOf(0, 0, 0);
    insn.pop_prev = 1;
    return insn;
  }
  // Rows of inp, wgt and acc that are not 0; what is read from DRAM is.
  static std::vector<Instruction> Fill() {
    Instruction inp = sim::LoadOf(MemoryType::kInp, 0, 0, 4);
    Instruction wgt = sim::LoadOf(MemoryType::kWgt, 0, 0, 3);
    wgt.push_next = 1;
    Instruction first = Add(kLow, 2 * kUops, 1);
    first.pop_prev = 1;
    return {inp, wgt, first};
  }

  static TestProgram Program(const std::vector<Instruction>& insns) {
    std::vector<Instruction> stream = Fill();
    stream.insert(stream.end(), insns.begin(), insns.end());
    stream.push_back(sim::Finish());
    TestProgram program = ProgramOf(stream, Table());
    for (size_t i = 0; i < 4096; ++i) program.memory[i] = static_cast<uint8_t>(7 * i + i / 256);
    return program;
  }
  static const isa::LaunchResult& Run(const std::vector<Instruction>& insns) {
    EXPECT_EQ(trial_->Run(Program(insns), std::nullopt), "");
    return trial_->result();
  }
  // Each accumulator row is read, written, and stored.
  static void RunRight() {
    Instruction all = Add(kLow, 1, Depth());
    all.dst_factor_in = 1, all.push_next = 1;
    Instruction store = sim::StoreOf(0, 0, Depth());
    store.pop_prev = store.push_prev = 1;
    Instruction last = Nothing();
    last.pop_next = 1;
    const isa::LaunchResult& result =
        Run({Add(kLow), Gemm(kHigh, kUops, 4), Gemm(kLow), all, store, last});
    EXPECT_EQ(result.outcome, isa::Outcome::kFinished);
    EXPECT_GE(trial_->beside().starts, 1);
  }
};

class Beside : public BesideBase {
 protected:
  static void SetUpTestSuite() { Open("tests/rtl/configs/banks_8x8.json"); }

  // Behind an ALU instruction that pushes comes what ends with this fault, and would push too.
  static void ExpectFault(const Instruction& follower, Fault fault,
                          const std::vector<Instruction>& between = {}, bool meets = true) {
    std::vector<Instruction> insns = {WithPushes(Add(kLow))};
    insns.insert(insns.end(), between.begin(), between.end());
    insns.push_back(WithPushes(follower));
    const int64_t index = 1 + std::ssize(Fill()) + std::ssize(insns) - 1;
    insns.insert(insns.end(), {Add(kHigh), LoadPops(), LoadPops(), StorePops(), StorePops()});
    const isa::LaunchResult& result = Run(insns);
    EXPECT_EQ(result.outcome, isa::Outcome::kFault);
    const isa::ModuleState& state = result.modules[static_cast<int>(Module::kCompute)];
    EXPECT_EQ(state.fault, fault) << Describe(result);
    EXPECT_EQ(state.index, index);
    EXPECT_EQ(result.counters.tokens[static_cast<int>(isa::Queue::kComputeToLoad)], 1);
    EXPECT_EQ(result.counters.tokens[static_cast<int>(isa::Queue::kComputeToStore)], 1);
    EXPECT_EQ(trial_->beside().faults > 0, meets) << "the ALU instruction runs meanwhile";
    RunRight();
  }
};

TEST_F(Beside, AGemmFaultsLateOrAtOnce) {
  for (int64_t bank : {kLow, kHigh}) {
    // In the other bank it meets its fault while the ALU instruction runs, in the same one after.
    Instruction gemm = Gemm(bank, kUops, 20);
    gemm.dst_factor_in = Depth() / 16;
    ExpectFault(gemm, Fault::kIndexOutOfRange, {}, bank == kHigh);
  }
  ExpectFault(Gemm(kOutside, 1), Fault::kIndexOutOfRange);
}

TEST_F(Beside, ALoadFaults) {
  const int64_t far = 1 << 20;
  for (MemoryType type : {MemoryType::kAcc, MemoryType::kAcc8}) {
    // Past the scratchpad after two rows; at once.
    ExpectFault(sim::LoadOf(type, Depth() - 2, 0, 4), Fault::kIndexOutOfRange);
    ExpectFault(sim::LoadOf(type, Depth(), 0, 4), Fault::kIndexOutOfRange);
    ExpectFault(sim::LoadOf(type, Depth() / 2, far, 4), Fault::kBusError);
    ExpectFault(sim::LoadOf(type, 0, far, 4), Fault::kBusError);
  }
  ExpectFault(sim::LoadOf(MemoryType::kUop, 0, far, 4), Fault::kBusError);
  ExpectFault(sim::LoadOf(MemoryType::kUop, config_->arch.uop_depth - 2, 0, 4),
              Fault::kIndexOutOfRange);
}

TEST_F(Beside, AWrongEncodingWaitsForTheAluInstruction) {
  Instruction alu = Add(kLow);
  alu.alu_opcode = 7;
  ExpectFault(alu, Fault::kIllegalAluOperation, {}, false);
  Instruction set = sim::Insn(Opcode::kSet);
  set.mode = 7;
  ExpectFault(set, Fault::kIllegalMode, {}, false);
}

TEST_F(Beside, AFaultBehindOthersThatAreHeld) {
  Instruction gemm = Gemm(kHigh, kUops, 20);
  gemm.dst_factor_in = Depth() / 16;
  for (int64_t n = 1; n < timing::kOlderInstructions; ++n) {
    ExpectFault(gemm, Fault::kIndexOutOfRange, std::vector<Instruction>(n, Nothing()));
    ExpectFault(gemm, Fault::kIndexOutOfRange, std::vector<Instruction>(n, Gemm(kHigh, 2)));
    ExpectFault(sim::LoadOf(MemoryType::kAcc, Depth(), 0, 1), Fault::kIndexOutOfRange,
                std::vector<Instruction>(n, Gemm(kHigh, 2)));
  }
  Instruction set = sim::Insn(Opcode::kSet);
  set.mode = 7;
  ExpectFault(set, Fault::kIllegalMode, {Gemm(kHigh, 2)}, false);
}

// The last micro-op of the ALU instruction is outside: nothing may run beside it.
TEST_F(Beside, AnAluInstructionFaultsLate) {
  for (int64_t past : {0, 1}) {
    Instruction alu = WithPushes(Add(kHigh, 1, Depth() / 2 + past));
    alu.dst_factor_in = 1;
    const isa::LaunchResult& result =
        Run({alu, Gemm(kLow), sim::LoadOf(MemoryType::kAcc, 0, 0, 2), LoadPops(), StorePops()});
    EXPECT_EQ(result.outcome, past ? isa::Outcome::kFault : isa::Outcome::kFinished);
    EXPECT_EQ(trial_->beside().starts > 0, !past);
    RunRight();
  }
}

TEST_F(Beside, AnotherModuleFaultsMeanwhile) {
  const auto fault_of = [](const isa::LaunchResult& result, Module module) {
    return result.modules[static_cast<int>(module)].fault;
  };
  const int64_t depth = config_->arch.inp_depth;
  for (int64_t rows = 1; rows < depth - 4; rows += 2) {
    // LOADs of inp begin when the ALU instruction may, the last one goes past the scratchpad.
    Instruction start = Nothing();
    start.push_prev = 1;
    Instruction load = sim::LoadOf(MemoryType::kInp, 4, 0, rows);
    load.pop_next = 1;
    const Instruction past = sim::LoadOf(MemoryType::kInp, depth - 1, 0, 2);
    Run({start, Add(kLow), Gemm(kHigh, kUops, 10), Gemm(kLow), load, past});
    EXPECT_EQ(trial_->result().outcome, isa::Outcome::kFault);
    EXPECT_EQ(fault_of(trial_->result(), Module::kLoad), Fault::kIndexOutOfRange);
    EXPECT_EQ(fault_of(trial_->result(), Module::kCompute), Fault::kNone);
    EXPECT_GE(trial_->beside().starts, 1);
    // Both.
    Instruction gemm = Gemm(kHigh, kUops, 20);
    gemm.dst_factor_in = Depth() / 16;
    Run({start, Add(kLow), gemm, load, past});
    EXPECT_EQ(fault_of(trial_->result(), Module::kLoad), Fault::kIndexOutOfRange);
    EXPECT_EQ(fault_of(trial_->result(), Module::kCompute), Fault::kIndexOutOfRange);
    EXPECT_GE(trial_->beside().faults, 1);
  }
  RunRight();
}

// An ALU instruction with followers that run, are held, wait for its bank, and wait for tokens.
std::vector<Instruction> Mixture(const std::vector<Instruction>& followers) {
  std::vector<Instruction> insns;
  for (const Instruction& insn : followers) {
    insns.push_back(insn);
    if (insn.push_prev) insns.push_back(sim::LoadOf(MemoryType::kInp, 0, 0, 0));
    if (insn.push_prev) insns.back().pop_next = 1;
    if (insn.push_next) insns.push_back(sim::StoreOf(0, 0, 0));
    if (insn.push_next) insns.back().pop_prev = 1;
  }
  return insns;
}

TEST_F(Beside, ASoftResetInTheMiddleLeavesNothing) {
  // The second one's fault waits for the ALU instruction.
  for (const std::vector<Instruction>& insns :
       {Mixture({WithPushes(Add(kLow, 1, 80)), Gemm(kHigh, 4), Nothing(),
                 sim::LoadOf(MemoryType::kAcc, Depth() / 2, 0, 4), WithPushes(Gemm(kLow)),
                 Add(kHigh), Gemm(kLow)}),
        std::vector{Add(kLow), Gemm(kHigh, 4), Gemm(kOutside, 1)}}) {
    const TestProgram program = Program(insns);
    EXPECT_EQ(trial_->Run(program, std::nullopt), "");
    const int64_t cycles = trial_->result().counters.time.value().cycles;
    for (int64_t at = 0; at < std::min<int64_t>(cycles, 300); at += 3) {
      EXPECT_EQ(trial_->Interrupt({.program = program}, {}, at), "");
      EXPECT_EQ(trial_->Run(RefillProgram(*config_, 1), {}), "");
      RunRight();
      if (HasFailure()) FAIL() << at;
    }
  }
}

TEST_F(Beside, ACycleLimitInTheMiddleLeavesNothing) {
  const TestProgram program = Program({Add(kLow), Gemm(kHigh), Nothing(), Gemm(kLow)});
  EXPECT_EQ(trial_->Run(program, std::nullopt), "");
  const int64_t cycles = trial_->result().counters.time.value().cycles;
  Image image = ImageOf(program);
  sim::RtlOptions& options = trial_->rtl().options();
  const int64_t before = options.cycle_limit;
  for (int64_t limit = cycles - kTimes; limit < cycles; limit += 7) {
    options.trace = nullptr, options.cycle_limit = limit;
    std::vector<uint8_t> dram = image.dram;
    EXPECT_EQ(trial_->rtl().Run(image.launch, dram).outcome, isa::Outcome::kStopped) << limit;
    options.cycle_limit = before;
    trial_->PowerOn();
    RunRight();
  }
}

TEST_F(Beside, WhileTheyRunTheStateIsOfTheOldest) {
  // Behind it the GEMM's fault waits, which would push to the other queue.
  Instruction alu = Add(kLow), gemm = Gemm(kOutside, 1);
  alu.push_prev = 1, gemm.push_next = 1;
  const TestProgram program = Program({alu, gemm});
  EXPECT_EQ(trial_->Run(program, std::nullopt), "");
  const int64_t cycles = trial_->result().counters.time.value().cycles;
  EXPECT_EQ(trial_->result().outcome, isa::Outcome::kFault);
  EXPECT_GE(trial_->beside().faults, 1);
  Image image = ImageOf(program);
  sim::RtlMachine& rtl = trial_->rtl();
  rtl.bus().set_memory(image.dram, 0);
  rtl.WriteLaunch(image.launch);
  for (int64_t i = 0; i < cycles - kTimes / 2; ++i) rtl.Step();
  const int64_t word = isa::kModuleRegisters * (1 + static_cast<int64_t>(Module::kCompute));
  const uint32_t state = rtl.ReadRegister(isa::Register::kModule, word);
  EXPECT_EQ(rtl.ReadRegister(isa::Register::kModule, word + 1), 1 + std::size(Fill()));
  EXPECT_EQ(state >> isa::kStateQueueLsb & 0xf, static_cast<uint32_t>(isa::Queue::kComputeToLoad));
  EXPECT_EQ(state >> isa::kStateFaultLsb & 0xf, static_cast<uint32_t>(Fault::kNone));
  trial_->PowerOn();
  RunRight();
}

class BesideOneToken : public BesideBase {
 protected:
  static void SetUpTestSuite() { Open("tests/rtl/configs/queues_2.json", {.quick = true}); }
};

TEST_F(BesideOneToken, PushesFindTheirSpace) {
  using Push = int64_t Instruction::*;
  const Push prev = &Instruction::push_prev, next = &Instruction::push_next;
  for (Push push : {prev, next})
    for (int64_t wait : {0, 1, 2, 3, 5, 8})
      for (bool same : {true, false})
        for (bool ends : {true, false}) {
          Instruction alu = Add(kLow, 1, 60), gemm = Gemm(kHigh, 2), other = Nothing();
          alu.*push = 1, gemm.*(same ? push : push == prev ? next : prev) = 1, other.*push = 1;
          // What pops may come late, or not at all.
          const auto pops = [&](const Instruction& insn) {
            if (insn.push_prev) return LoadPops();
            return StorePops();
          };
          Instruction late = push == prev ? sim::LoadOf(MemoryType::kInp, 4, 0, 3 * wait)
                                          : sim::StoreOf(Depth() - 8, 4096, wait);
          std::vector<Instruction> insns = {late, alu, pops(alu), gemm, pops(gemm), other};
          if (ends) insns.push_back(pops(other));
          EXPECT_EQ(Run(insns).outcome, isa::Outcome::kFinished);
          insns = {alu, gemm, other};
          EXPECT_EQ(Run(insns).outcome, isa::Outcome::kDeadlock);
          if (HasFailure()) FAIL() << wait << " " << same << " " << ends;
        }
}

TEST_F(BesideOneToken, AnAluInstructionWithoutSpaceLetsNothingBeside) {
  // The token of the first one stays.
  Instruction first = Nothing();
  first.push_next = 1;
  Instruction alu = Add(kLow, 1, 60);
  alu.push_next = 1;
  const isa::LaunchResult& result = Run({first, alu, Gemm(kHigh)});
  EXPECT_EQ(result.outcome, isa::Outcome::kDeadlock);
  EXPECT_EQ(trial_->beside().starts, 0);
}

}  // namespace
}  // namespace vta::test
