// The RTL as its host sees it, register by register: launch, interrupt, soft reset, watchdog, and
// the state that a fault leaves.
#include <gtest/gtest.h>

#include <optional>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "sim/rtl/machine.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::Fault;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;
using isa::Outcome;
using isa::Register;

constexpr uint64_t kCode = 0x1000, kData = 0x2000, kOut = 0x3000;
constexpr int64_t kPatience = 5000;  // cycles; more than any launch here takes

class HostTest : public testing::Test {
 protected:
  HostTest()
      : config_(isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"))),
        rtl_(config_),
        dram_(0x4000) {
    rtl_.bus().set_memory(dram_);
  }

  void Start(const std::vector<isa::Instruction>& program) {
    for (size_t i = 0; i < program.size(); ++i)
      isa::StoreWord(isa::Encode(rtl_.layout(), program[i]),
                     dram_.data() + kCode + i * isa::kInstructionBytes);
    rtl_.WriteRegister(Register::kInstructionAddressLow, kCode);
    rtl_.WriteRegister(Register::kInstructionCount, static_cast<uint32_t>(program.size()));
    rtl_.WriteRegister(Register::kControl, isa::kControlStart);
  }
  uint32_t Status() { return rtl_.ReadRegister(Register::kStatus); }
  bool Busy() { return Status() & isa::kStatusBusy; }
  // Waits for the end of the launch, as a host does that polls.
  Outcome End() {
    const int64_t begin = rtl_.cycle();
    while (Busy() && rtl_.cycle() < begin + kPatience) {
    }
    const uint32_t status = Status();
    EXPECT_TRUE(status & isa::kStatusDone) << status;
    return static_cast<Outcome>(status >> isa::kStatusOutcomeLsb & 7);
  }
  void Steps(int64_t cycles) {
    for (int64_t i = 0; i < cycles; ++i) rtl_.Step();
  }
  uint32_t ModuleWord(Module module, int64_t word) {
    return rtl_.ReadRegister(Register::kModule,
                             (static_cast<int64_t>(module) + 1) * isa::kModuleRegisters + word);
  }
  Fault FaultOf(Module module) {
    return static_cast<Fault>(ModuleWord(module, 0) >> isa::kStateFaultLsb & 0xf);
  }
  uint64_t AddressOf(Module module) {
    return ModuleWord(module, 2) | uint64_t{ModuleWord(module, 3)} << 32;
  }

  // Adds 1 to 8 numbers of kData and stores their low bytes at kOut: all modules but load, which
  // gets something of its own.
  std::vector<isa::Instruction> GoodProgram() {
    const isa::Uop uop;
    const uint32_t word = isa::EncodeUop(rtl_.layout(), uop);
    std::memcpy(dram_.data() + kData, &word, sizeof word);
    isa::Instruction add = AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_next = 1;
    isa::Instruction store = StoreOf(0, kOut / config_.out_bytes(), 1);
    store.pop_prev = 1;
    return {LoadOf(MemoryType::kInp, 0, 0, 4),
            LoadOf(MemoryType::kUop, 0, kData / 4, 1),
            LoadOf(MemoryType::kAcc, 0, (kData + 0x100) / config_.acc_bytes(), 1),
            add,
            store,
            Finish()};
  }
  // Runs it on fresh numbers and looks at what it stored.
  void ExpectWorks() {
    static int32_t fresh = 0;
    const auto program = GoodProgram();
    for (int32_t lane = 0; lane < 8; ++lane) {
      const int32_t value = ++fresh;
      std::memcpy(dram_.data() + kData + 0x100 + 4 * lane, &value, sizeof value);
    }
    Start(program);
    EXPECT_EQ(End(), Outcome::kFinished);
    for (int32_t lane = 0; lane < 8; ++lane)
      EXPECT_EQ(dram_[kOut + lane], static_cast<uint8_t>(fresh - 7 + lane + 1)) << lane;
  }
  // Soft reset, and how many polls it takes to end.
  void Reset() {
    rtl_.WriteRegister(Register::kControl, isa::kControlReset);
    const int64_t begin = rtl_.cycle();
    while (Busy() && rtl_.cycle() < begin + kPatience) {
    }
    EXPECT_EQ(Status() & (isa::kStatusBusy | isa::kStatusDone | isa::kStatusWatchdog), 0u);
  }

  isa::Config config_;
  RtlMachine rtl_;
  std::vector<uint8_t> dram_;
};

TEST_F(HostTest, InterruptIsPendingUntilItIsCleared) {
  const auto pending = [&] { return rtl_.ReadRegister(Register::kInterruptStatus); };
  EXPECT_EQ(pending(), 0u);
  ExpectWorks();
  EXPECT_EQ(pending(), 1u);
  EXPECT_FALSE(rtl_.interrupt()) << "not enabled";
  rtl_.WriteRegister(Register::kInterruptEnable, 1);
  EXPECT_TRUE(rtl_.interrupt());
  rtl_.WriteRegister(Register::kInterruptStatus, 0);
  EXPECT_EQ(pending(), 1u) << "only a one clears";
  rtl_.WriteRegister(Register::kInterruptStatus, 1);
  EXPECT_EQ(pending(), 0u);
  EXPECT_FALSE(rtl_.interrupt());
  Start(GoodProgram());
  EXPECT_FALSE(rtl_.interrupt()) << "not before the end";
  End();
  EXPECT_TRUE(rtl_.interrupt());
  rtl_.WriteRegister(Register::kInterruptEnable, 0);
  EXPECT_FALSE(rtl_.interrupt());
  EXPECT_EQ(pending(), 1u);
}

TEST_F(HostTest, AStartWhileBusyIsIgnored) {
  const auto cycles = [&](uint32_t control) {
    Start({LoadOf(MemoryType::kInp, 0, 0, 32), Finish()});
    Steps(20);
    rtl_.WriteRegister(Register::kControl, control);
    EXPECT_EQ(End(), Outcome::kFinished);
    return rtl_.ReadCounter(isa::HardwareCounter::kCycles);
  };
  EXPECT_EQ(cycles(isa::kControlStart), cycles(0));
}

TEST_F(HostTest, RegistersReadWhatWasWritten) {
  for (const isa::RegisterSpec& row : isa::kRegisters) {
    if (row.access != isa::Access::kReadWrite) continue;
    for (uint32_t pattern : {0u, ~0u, 0x5a5aa5a5u, 0u}) {
      if (row.offset == Register::kInterruptEnable) pattern &= 1;
      const auto value = [&](int64_t word) { return pattern & ~static_cast<uint32_t>(word); };
      for (int64_t word = 0; word < row.count; ++word)
        rtl_.WriteRegister(row.offset, value(word), word);
      for (int64_t word = 0; word < row.count; ++word)
        EXPECT_EQ(rtl_.ReadRegister(row.offset, word), value(word)) << row.name << " " << word;
    }
  }
  ExpectWorks();
}

TEST_F(HostTest, HashesAreTheConfigs) {
  const auto pair = [&](Register low) {
    return rtl_.ReadRegister(low) | uint64_t{rtl_.ReadRegister(low, 1)} << 32;
  };
  EXPECT_EQ(pair(Register::kArchHashLow), isa::ArchHash(config_));
  EXPECT_EQ(pair(Register::kTimingHashLow), isa::TimingHash(config_));
}

// The access that the table gives an offset; none: it is in no row.
std::optional<isa::Access> AccessOf(int64_t offset) {
  for (const isa::RegisterSpec& row : isa::kRegisters) {
    const auto first = static_cast<int64_t>(row.offset);
    if (offset >= first && offset < first + 4 * row.count) return row.access;
  }
  return std::nullopt;
}

TEST_F(HostTest, AnswersAreThoseOfTheTable) {
  using isa::Access;
  HostPort& host = rtl_.host();
  for (int64_t offset = 0; offset < 1 << isa::kRegisterAddressBits; offset += 4) {
    const auto address = static_cast<uint16_t>(offset);
    const std::optional<Access> access = AccessOf(offset);
    const bool reads = access && *access != Access::kWrite;
    const bool writes = access && *access != Access::kRead;
    const HostPort::Answer before = host.Read(address);
    EXPECT_EQ(before.response, reads ? AxiResponse::kOkay : AxiResponse::kSlaveError) << offset;
    if (!reads) {
      EXPECT_EQ(before.data, 0u) << offset;
    }
    EXPECT_EQ(host.Write(address, writes ? 0 : ~0u),
              writes ? AxiResponse::kOkay : AxiResponse::kSlaveError)
        << offset;
    EXPECT_EQ(host.Read(address), before) << offset;
  }
  EXPECT_EQ(host.Read(static_cast<uint16_t>(Register::kId)).data, isa::kHardwareId);
  ExpectWorks();
}

TEST_F(HostTest, ARefusedAccessIsAnError) {
  const auto said = [&](auto access) {
    try {
      access();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said([&] { rtl_.WriteRegister(Register::kId, 0); }),
            "RTL: write of register 0x010 = SLVERR: must be OKAY");
  EXPECT_EQ(said([&] { rtl_.ReadRegister(Register::kId, 1); }),
            "RTL: read of register 0x014 = SLVERR: must be OKAY");
}

TEST_F(HostTest, OnlyStrobedBytesAreWritten) {
  for (const isa::RegisterSpec& row : isa::kRegisters) {
    if (row.access != isa::Access::kReadWrite) continue;
    const uint32_t kept = row.offset == Register::kInterruptEnable ? 1 : ~0u;
    for (uint8_t strobes = 0; strobes < 16; ++strobes)
      for (int64_t word = 0; word < row.count; ++word) {
        const uint32_t old = 0x12345678, fresh = 0x9abcdef1;
        uint32_t mask = 0;
        for (int i = 0; i < 4; ++i) mask |= strobes >> i & 1 ? 0xffu << 8 * i : 0;
        const auto address = static_cast<uint16_t>(static_cast<int64_t>(row.offset) + 4 * word);
        rtl_.WriteRegister(row.offset, old, word);
        EXPECT_EQ(rtl_.host().Write(address, fresh, {.strobes = strobes}), AxiResponse::kOkay);
        EXPECT_EQ(rtl_.ReadRegister(row.offset, word), ((old & ~mask) | (fresh & mask)) & kept)
            << row.name << " " << word << " " << int{strobes};
      }
  }
  // What has an effect has none without its byte.
  for (const isa::RegisterSpec& row : isa::kRegisters)
    if (row.access == isa::Access::kReadWrite)
      for (int64_t word = 0; word < row.count; ++word) rtl_.WriteRegister(row.offset, 0, word);
  ExpectWorks();
  const HostPort::WriteShape upper{.strobes = 0xe};
  rtl_.host().Write(static_cast<uint16_t>(Register::kInterruptStatus), 1, upper);
  EXPECT_EQ(rtl_.ReadRegister(Register::kInterruptStatus), 1u);
  rtl_.host().Write(static_cast<uint16_t>(Register::kControl), isa::kControlStart, upper);
  Steps(2);
  EXPECT_FALSE(Busy());
  rtl_.host().Write(static_cast<uint16_t>(Register::kControl), isa::kControlReset, upper);
  EXPECT_TRUE(Status() & isa::kStatusDone) << "not reset";
}

TEST_F(HostTest, AddressAndDataComeInAnyOrder) {
  const auto address = static_cast<uint16_t>(Register::kWatchdogCycles);
  uint32_t value = 0;
  rtl_.WriteRegister(Register::kWatchdogCycles, value);  // the reset has ended
  for (int64_t address_from = 0; address_from < 5; ++address_from)
    for (int64_t data_from = 0; data_from < 5; ++data_from)
      for (int64_t answer_from = 0; answer_from < 10; answer_from += 3) {
        const HostPort::WriteShape shape{.address_from_cycle = address_from,
                                         .data_from_cycle = data_from,
                                         .answer_from_cycle = answer_from};
        const int64_t begin = rtl_.cycle();
        EXPECT_EQ(rtl_.host().Write(address, ++value, shape), AxiResponse::kOkay);
        const int64_t taken = std::max(address_from, data_from);
        EXPECT_EQ(rtl_.cycle() - begin, std::max(taken + 2, answer_from) + 1);
        EXPECT_EQ(rtl_.ReadRegister(Register::kWatchdogCycles), value);
      }
}

TEST_F(HostTest, SoftResetAfterAFault) {
  Start({Insn(static_cast<Opcode>(7)), Finish()});
  EXPECT_EQ(End(), Outcome::kFault);
  rtl_.WriteRegister(Register::kWatchdogCycles, 1234);
  Reset();
  for (Module module : {Module::kLoad, Module::kCompute, Module::kStore})
    EXPECT_EQ(FaultOf(module), Fault::kNone);
  EXPECT_EQ(rtl_.ReadRegister(Register::kWatchdogCycles), 1234u) << "registers keep their values";
  ExpectWorks();
}

TEST_F(HostTest, SoftResetAfterADeadlock) {
  isa::Instruction waits = StoreOf(0, kOut / config_.out_bytes(), 1);
  waits.pop_prev = 1;
  isa::Instruction pushes = LoadOf(MemoryType::kInp, 0, 0, 1);
  pushes.push_next = 1;
  Start({pushes, waits, Finish()});
  EXPECT_EQ(End(), Outcome::kDeadlock);
  Reset();
  ExpectWorks();
}

// Between the answer to its first burst and that to its last one.
TEST_F(HostTest, SoftResetInTheMiddleOfARefusedStore) {
  const isa::Instruction refused = StoreOf(0, std::ssize(dram_) / config_.out_bytes(), 64);
  for (int64_t cycles = 30; cycles < 120; cycles += 3) {
    SCOPED_TRACE(cycles);
    Start({refused, Finish()});
    Steps(cycles);
    Reset();
    ExpectWorks();
  }
}

// At every phase of a program: the first request, beats under way, writes not acknowledged.
TEST_F(HostTest, SoftResetInTheMiddleOfARun) {
  std::vector<isa::Instruction> program = {LoadOf(MemoryType::kInp, 0, 0, 32),
                                           LoadOf(MemoryType::kAcc, 0, kData / 32, 16)};
  for (int i = 0; i < 4; ++i) program.push_back(StoreOf(0, kOut / config_.out_bytes(), 32));
  program.push_back(Finish());
  for (int64_t cycles = 0; cycles < 260; cycles += cycles < 16 ? 1 : 7) {
    SCOPED_TRACE(cycles);
    Start(program);
    Steps(cycles);
    Reset();
    EXPECT_EQ(rtl_.ReadRegister(Register::kInterruptStatus), 0u) << "no launch ended";
    ExpectWorks();
    rtl_.WriteRegister(Register::kInterruptStatus, 1);
  }
}

TEST_F(HostTest, WatchdogEndsALaunchOnADeadBus) {
  constexpr uint32_t kCycles = 300;
  rtl_.WriteRegister(Register::kWatchdogCycles, kCycles);
  ExpectWorks();  // latencies are no death
  for (int64_t alive : {1, 12, 40, 75}) {
    SCOPED_TRACE(alive);
    rtl_.WriteRegister(Register::kInterruptStatus, 1);
    Start(GoodProgram());
    Steps(alive);
    rtl_.bus().set_dead(true);
    // Nothing has moved for up to the memory's latency already.
    Steps(kCycles - config_.memory.read_latency_cycles - 8);
    EXPECT_TRUE(Busy());
    Steps(config_.memory.read_latency_cycles + 16);
    EXPECT_EQ(Status(), isa::kStatusDone | isa::kStatusWatchdog |
                            static_cast<uint32_t>(Outcome::kStopped) << isa::kStatusOutcomeLsb);
    EXPECT_EQ(rtl_.ReadRegister(Register::kInterruptStatus), 1u);
    rtl_.WriteRegister(Register::kControl, isa::kControlReset);
    Steps(1000);
    EXPECT_TRUE(Busy()) << "what the bus owes must be drained first";
    rtl_.bus().set_dead(false);
    Reset();
    ExpectWorks();
  }
}

TEST_F(HostTest, AStartAfterAWatchdogWaitsForTheBus) {
  constexpr uint32_t kCycles = 300;
  const uint32_t dead = isa::kStatusDone | isa::kStatusWatchdog |
                        static_cast<uint32_t>(Outcome::kStopped) << isa::kStatusOutcomeLsb;
  for (int64_t alive : {1, 12, 40, 75}) {
    SCOPED_TRACE(alive);
    rtl_.WriteRegister(Register::kWatchdogCycles, kCycles);
    Start(GoodProgram());
    Steps(alive);
    rtl_.bus().set_dead(true);
    Steps(kCycles + 16);
    EXPECT_EQ(Status(), dead);
    Start(GoodProgram());
    Steps(kCycles - 16);
    EXPECT_EQ(Status() & (isa::kStatusBusy | isa::kStatusDone | isa::kStatusWatchdog),
              isa::kStatusBusy);
    Steps(32);
    EXPECT_EQ(Status(), dead) << "the watchdog counts the wait as well";
    rtl_.WriteRegister(Register::kWatchdogCycles, 0);
    Start(GoodProgram());
    Steps(5 * kCycles);
    EXPECT_TRUE(Busy());
    rtl_.bus().set_dead(false);
    EXPECT_EQ(End(), Outcome::kFinished);
    ExpectWorks();
  }
}

// It asks the bus for nothing more when that is back, and is out of the way of the next launch.
TEST_F(HostTest, ALaunchThatTheWatchdogEndedDoesNotGoOn) {
  constexpr uint32_t kCycles = 100;
  rtl_.WriteRegister(Register::kWatchdogCycles, kCycles);
  // Modules that wait for each other: a bus that is idle now and then.
  std::vector<isa::Instruction> program = {LoadOf(MemoryType::kAcc, 0, kData / 32, 1)};
  for (int i = 0; i < 4; ++i) {
    isa::Instruction add = AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_prev = 1;
    isa::Instruction load = LoadOf(MemoryType::kInp, 0, kData / 8, 1);
    load.pop_next = 1;
    program.insert(program.end(), {add, load});
  }
  program.push_back(StoreOf(0, kOut / config_.out_bytes(), 1));
  program.back().pop_prev = 1;
  program[program.size() - 3].push_next = 1;
  program.push_back(Finish());
  const auto stop = [&](int64_t alive) {
    Start(program);
    Steps(alive);
    rtl_.bus().set_dead(true);
    Steps(kCycles + 64);
    EXPECT_EQ(Status() & (isa::kStatusBusy | isa::kStatusWatchdog), isa::kStatusWatchdog);
    rtl_.bus().set_dead(false);
  };
  stop(40);
  dram_[kOut] = 0x5a;
  Steps(1000);
  EXPECT_EQ(dram_[kOut], 0x5a) << "stored after its end";
  for (int64_t wait = 0; wait < 120; ++wait) {
    SCOPED_TRACE(wait);
    stop(10);
    Steps(wait);
    rtl_.WriteRegister(Register::kControl, isa::kControlStart);
    EXPECT_EQ(End(), Outcome::kFinished);
    ExpectWorks();
  }
}

TEST_F(HostTest, WithoutAWatchdogADeadBusOnlyDelays) {
  Start(GoodProgram());
  Steps(20);
  rtl_.bus().set_dead(true);
  Steps(3000);
  EXPECT_TRUE(Busy());
  rtl_.bus().set_dead(false);
  EXPECT_EQ(End(), Outcome::kFinished);
}

TEST_F(HostTest, RefusedAddressesAreFaultsOfTheirInstruction) {
  const auto outside = static_cast<int64_t>(dram_.size());
  const isa::Instruction fine = LoadOf(MemoryType::kInp, 0, 0, 1);
  const struct {
    Module module;
    isa::Instruction insn;
  } kCases[] = {
      {Module::kLoad, LoadOf(MemoryType::kInp, 0, outside / config_.inp_bytes(), 1)},
      {Module::kCompute, LoadOf(MemoryType::kAcc, 0, outside / config_.acc_bytes(), 2)},
      {Module::kCompute, LoadOf(MemoryType::kUop, 0, outside / 4, 2)},
      {Module::kStore, StoreOf(0, outside / config_.out_bytes(), 2)},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(isa::Spec(test.module).name);
    Start({fine, fine, fine, test.insn, Finish()});
    EXPECT_EQ(End(), Outcome::kFault);
    EXPECT_EQ(FaultOf(test.module), Fault::kBusError);
    EXPECT_EQ(ModuleWord(test.module, 1), 3u);
    EXPECT_EQ(AddressOf(test.module), kCode + 3 * isa::kInstructionBytes);
    for (Module module : {Module::kLoad, Module::kCompute, Module::kStore}) {
      if (module != test.module) {
        EXPECT_EQ(FaultOf(module), Fault::kNone);
      }
    }
    Reset();
  }
  ExpectWorks();
}

}  // namespace
}  // namespace vta::sim
