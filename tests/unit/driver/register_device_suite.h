// What all boards share, on a simulated board: launches, time-outs, and each fault in its error. It
// is instantiated where the engines are.
#pragma once

#include <gtest/gtest.h>

#include "driver/buffer.h"
#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tests/support/board_device.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::driver {

using sim::BoardEngine;
using sim::BoardFault;
using test::BoardDevice;

inline constexpr uint64_t kBase = 0x4'1000'0000;
inline const std::vector<uint8_t> kStored = {2, 3, 4, 5, 6, 7, 8, 0x7f};

class RegisterDeviceTest : public testing::TestWithParam<BoardEngine> {
 protected:
  RegisterDeviceTest()
      : config_(isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"))),
        board_(config_, {.engine = GetParam(), .memory_base = kBase, .memory_bytes = 0x10000}) {}

  // Loads bytes as accumulators, adds 1 and stores them.
  static std::vector<isa::Instruction> Program() {
    isa::Instruction add = sim::AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_next = 1;
    isa::Instruction store = sim::StoreOf(0, 32, 1);
    store.pop_prev = 1;
    return {sim::LoadOf(isa::MemoryType::kUop, 0, 16, 1),
            sim::LoadOf(isa::MemoryType::kAcc8, 0, 0, 1), add, store, sim::Finish()};
  }

  struct Ran {
    isa::LaunchResult result;
    std::vector<uint8_t> stored;
  };
  Ran Run(Device& device, const std::vector<isa::Instruction>& program = Program(),
          std::chrono::nanoseconds limit = kForever) {
    Buffer data(device, 0x1000), code(device, 0x1000);
    data.CopyIn(0, std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 0x7e});
    std::vector<uint8_t> words(program.size() * isa::kInstructionBytes);
    for (size_t i = 0; i < program.size(); ++i)
      isa::StoreWord(isa::Encode(isa::Layout(config_), program[i]),
                     words.data() + i * isa::kInstructionBytes);
    code.CopyIn(0, words);
    isa::LaunchRequest request{code.address(), std::ssize(program), {}};
    request.base.fill(data.address());
    device.Launch(request);
    Ran ran{device.Wait(limit), std::vector<uint8_t>(8)};
    data.CopyOut(256, ran.stored);
    return ran;
  }
  std::string RunError(BoardFault fault) {
    BoardDevice device(config_, board_);
    board_.set_fault(fault);
    return ErrorOf([&] { Run(device); });
  }
  void ExpectWorksAgain() {
    board_.set_fault(BoardFault::kNone);
    BoardDevice device(config_, board_);
    EXPECT_EQ(Run(device).stored, kStored);
  }

  isa::Config config_;
  sim::Board board_;
};

TEST_P(RegisterDeviceTest, RunsLaunchesAsTheFunctionalDeviceDoes) {
  BoardDevice device(config_, board_);
  FunctionalDevice functional(config_);
  EXPECT_EQ(device.id().name, "board");
  EXPECT_EQ(device.id().arch_hash, isa::ArchHash(config_));
  EXPECT_EQ(device.id().timing_hash.has_value(), GetParam() != BoardEngine::kFunctional);
  ASSERT_TRUE(device.id().config);
  for (int turn = 0; turn < 2; ++turn) {
    Ran have = Run(device), want = Run(functional);
    EXPECT_EQ(have.stored, kStored);
    EXPECT_EQ(have.stored, want.stored);
    EXPECT_EQ(isa::Describe(have.result), "finished");
    ASSERT_EQ(have.result.counters.time.has_value(), GetParam() != BoardEngine::kFunctional);
    EXPECT_GT(have.result.counters.time.value_or(isa::Time{.cycles = 1}).cycles, 0);
    have.result.counters.time.reset();
    EXPECT_EQ(have.result.counters, want.result.counters);
  }
}

TEST_P(RegisterDeviceTest, AFaultNamesTheInstructionAndItsAddress) {
  BoardDevice device(config_, board_);
  std::vector<isa::Instruction> program = Program();
  program[1].sram_base = 32;  // behind the last row
  const isa::LaunchResult result = Run(device, program).result;
  EXPECT_EQ(result.outcome, isa::Outcome::kFault);
  const isa::ModuleState& state = result.modules[static_cast<int>(isa::Module::kCompute)];
  EXPECT_EQ(state.index, 1);
  EXPECT_EQ(state.address, kBase + 0x1000 + 16);
  EXPECT_EQ(state.word, isa::Encode(isa::Layout(config_), program[1]));
  ExpectWorksAgain();
}

TEST_P(RegisterDeviceTest, ARefusedBurstIsTheFaultOfTheOneWhoAsked) {
  BoardDevice device(config_, board_);
  board_.set_fault(BoardFault::kBusError);
  const isa::LaunchResult result = Run(device).result;
  EXPECT_EQ(result.outcome, isa::Outcome::kFault);
  EXPECT_EQ(result.fetch.fault, isa::Fault::kBusError);
  EXPECT_EQ(result.fetch.address, kBase + 0x1000);
}

TEST_P(RegisterDeviceTest, EachFaultOfALaunchEndsInItsError) {
  EXPECT_EQ(RunError(BoardFault::kDeadBus),
            "board: register status = 0x00000046: memory answered nothing for 10 ms (1000000 "
            "cycles at 100 MHz), so the watchdog ended the launch");
  ExpectWorksAgain();
  EXPECT_EQ(RunError(BoardFault::kStuck),
            "board: register status = 0x00000001: the accelerator is busy and does nothing; it was "
            "reset");
  ExpectWorksAgain();
  EXPECT_EQ(RunError(BoardFault::kForgetful),
            "board: register status = 0x00000000: the accelerator forgot its launch: was it "
            "reset?");
  ExpectWorksAgain();
  EXPECT_EQ(RunError(BoardFault::kNoAnswer), "board: register = 0x028: does not answer");
  ExpectWorksAgain();
  EXPECT_EQ(RunError(BoardFault::kAllOnes),
            "board: register status = 0xffffffff: no VTA answers there any more");
  ExpectWorksAgain();
}

TEST_P(RegisterDeviceTest, ALaunchThatTakesTooLongIsReset) {
  {
    BoardDevice device(config_, board_);
    board_.set_fault(BoardFault::kStuck);
    EXPECT_EQ(Run(device, Program(), std::chrono::milliseconds(5)).result.outcome,
              isa::Outcome::kStopped);
    board_.set_fault(BoardFault::kNone);
    EXPECT_EQ(Run(device).result.outcome, isa::Outcome::kFinished);
    board_.set_fault(BoardFault::kHung);
    EXPECT_EQ(ErrorOf([&] { Run(device, Program(), std::chrono::milliseconds(5)); }),
              "board: register status = 0x00000001: the accelerator does not come out of its "
              "reset; load its bitstream again");
  }
  EXPECT_EQ(ErrorOf([&] { BoardDevice device(config_, board_); }),
            "board: register status = 0x00000001: the accelerator does not come out of its reset; "
            "load its bitstream again");
}

TEST_P(RegisterDeviceTest, AnErrorWhileItWaitsLeavesNothingRunning) {
  struct Deaf : BoardDevice {
    using BoardDevice::BoardDevice;
    void WaitForInterrupt(std::chrono::nanoseconds) override { throw Error("board", "", "", "hm"); }
  } device(config_, board_);
  board_.set_fault(BoardFault::kStuck);
  EXPECT_EQ(ErrorOf([&] { Run(device); }), "board: hm");
  EXPECT_EQ(board_.Read(static_cast<uint32_t>(isa::Register::kStatus)), 0u);
}

// Or the end of the one would be taken for that of the other.
TEST_P(RegisterDeviceTest, WhatAnErrorLeftRunningIsEndedBeforeTheNextLaunch) {
  struct Breaking : BoardDevice {
    Breaking(const isa::Config& config, sim::Board& board)
        : BoardDevice(config, board), board(board) {}
    void WaitForInterrupt(std::chrono::nanoseconds) override {
      board.set_fault(BoardFault::kNoAnswer);
    }
    sim::Board& board;
  } device(config_, board_);
  board_.set_fault(BoardFault::kStuck);
  EXPECT_EQ(ErrorOf([&] { Run(device); }), "board: register = 0x004: does not answer");
  board_.set_fault(BoardFault::kNone);
  EXPECT_EQ(Run(device).stored, kStored);
}

// Where timing is not met any bit may be wrong.
TEST_P(RegisterDeviceTest, WhatNoVtaSaysIsRefused) {
  struct Lying : isa::RegisterPort {
    Lying(sim::Board& board, uint32_t at, uint32_t bits) : board(board), at(at), bits(bits) {}
    uint32_t ReadWord(uint32_t offset) override {
      return board.Read(offset).value_or(0) | (offset == at ? bits : 0);
    }
    void WriteWord(uint32_t offset, uint32_t value) override { board.Write(offset, value); }
    sim::Board& board;
    uint32_t at, bits;
  };
  struct Told : BoardDevice {
    Told(const isa::Config& config, Lying& port) : BoardDevice(config, port.board) { Attach(port); }
  };
  const auto run = [&](uint32_t at, uint32_t bits) {
    Lying port(board_, at, bits);
    Told device(config_, port);
    return ErrorOf([&] { isa::Describe(Run(device).result); });
  };
  constexpr auto kStatus = static_cast<uint32_t>(isa::Register::kStatus);
  constexpr auto kModule = static_cast<uint32_t>(isa::Register::kModule);
  const std::string rule = ": it, or a register module, says what no VTA does";
  EXPECT_EQ(run(kStatus, 7u << isa::kStatusOutcomeLsb),
            StrCat("board: register status = ",
                   Hex(isa::kStatusDone | 7u << isa::kStatusOutcomeLsb, 8), rule));
  for (int unit = 0; unit <= isa::kModules; ++unit)
    EXPECT_EQ(run(kModule + 4 * isa::kModuleRegisters * static_cast<uint32_t>(unit), 0xffff),
              StrCat("board: register status = ", Hex(isa::kStatusDone, 8), rule))
        << unit;
}

TEST_P(RegisterDeviceTest, WhatIsNoVtaOrAnotherOneIsRefused) {
  const auto open = [&](BoardFault fault) {
    board_.set_fault(fault);
    return ErrorOf([&] { BoardDevice device(config_, board_); });
  };
  EXPECT_EQ(open(BoardFault::kWrongId),
            "device board: register id = 0x31415457: is not a VTA's, 0x31415456");
  EXPECT_EQ(open(BoardFault::kAllOnes),
            "device board: register id = 0xffffffff: is not a VTA's, 0x31415456");
  const uint64_t hash = isa::ArchHash(config_);
  EXPECT_EQ(open(BoardFault::kWrongHash),
            StrCat("board: arch hash = ", Hex(hash, 16),
                   " (config \"extended_8x8\"): the device \"board\" is ", Hex(hash ^ 1, 16)));
  EXPECT_EQ(open(BoardFault::kNoAnswer), "board: register = 0x010: does not answer");
  ExpectWorksAgain();
}

// In cycles of the board's own clock where it says that, and in a whole number of them.
TEST_P(RegisterDeviceTest, TheWatchdogSaysHowLongItWaited) {
  const auto waited = [&](double clock_mhz) {
    board_.set_fault(BoardFault::kNone);
    BoardDevice device(config_, board_, clock_mhz);
    board_.set_fault(BoardFault::kDeadBus);
    const std::string error = ErrorOf([&] { Run(device); });
    return error.substr(error.find(" for "), error.find(", so ") - error.find(" for "));
  };
  EXPECT_EQ(waited(25), " for 10 ms (250000 cycles at 25 MHz)");
  EXPECT_EQ(waited(33.3333), " for 10 ms (333333 cycles at 33.3333 MHz)");
  EXPECT_EQ(waited(0.00025), " for 8 ms (2 cycles at 0.00025 MHz)");
  EXPECT_EQ(waited(0.00005), " for 20 ms (1 cycles at 5e-05 MHz)");
}

// What a process that was killed left running writes into memory that is somebody else's.
TEST_P(RegisterDeviceTest, WhatRunsWhenItIsOpenedIsReset) {
  board_.set_fault(BoardFault::kStuck);
  board_.Write(static_cast<uint32_t>(isa::Register::kControl), isa::kControlStart);
  board_.set_fault(BoardFault::kNone);
  BoardDevice device(config_, board_);
  EXPECT_EQ(device.ReadRegister(isa::Register::kStatus), 0u);
  EXPECT_EQ(Run(device).result.outcome, isa::Outcome::kFinished);
}

}  // namespace vta::driver
