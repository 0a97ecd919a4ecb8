// The SystemC module as a host, a memory and another master meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "sim/functional/machine.h"
#include "sim/memory/traffic.h"
#include "tests/cycle/systemc_platform.h"
#include "tests/rtl/trial.h"

namespace vta::test {
namespace {

using testing::HasSubstr;

// One that takes some thousand cycles.
Image SomeImage(const isa::Config& config) {
  return ImageOf(RandomRtlProgram(config, ProgramKind::kSerial, 3));
}

class SystemcHostTest : public testing::Test {
 protected:
  SystemcHostTest() {
    platform_.memory.Configure(SourcePath(kConfigs[0]));
    platform_.memory.bytes() = image_.dram;
    CycleModel::Options options;
    options.memory_bytes = image_.dram.size();
    host_.model.Configure(SourcePath(kConfigs[0]), options);
  }
  // Runs it; returns the message with which that is refused.
  template <typename Function>
  static std::string Refusal(const Function& function) {
    try {
      function();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  Platform& platform_ = ThePlatform();
  Host& host_ = platform_.ours;
  isa::Config config_ = isa::LoadConfig(SourcePath(kConfigs[0]));
  Image image_ = SomeImage(config_);
};

TEST_F(SystemcHostTest, RegistersAnswerLikeThoseOfTheRtl) {
  uint32_t value = 0;
  sc_time delay;
  const auto access = [&](tlm::tlm_command command, uint64_t offset, unsigned bytes = 4) {
    value = 0x1234;
    return host_.Access(command, offset, value, delay, nullptr, bytes);
  };
  constexpr auto kRead = tlm::TLM_READ_COMMAND, kWrite = tlm::TLM_WRITE_COMMAND;
  for (const isa::RegisterSpec& row : isa::kRegisters)
    for (int64_t word : {int64_t{0}, row.count - 1}) {
      const uint64_t offset = static_cast<uint64_t>(row.offset) + 4 * static_cast<uint64_t>(word);
      if (row.offset == Register::kControl || row.offset == Register::kStatus) continue;
      const bool reads = row.access != isa::Access::kWrite,
                 writes = row.access != isa::Access::kRead;
      EXPECT_EQ(access(kRead, offset) == tlm::TLM_OK_RESPONSE, reads) << row.name;
      EXPECT_EQ(access(kWrite, offset) == tlm::TLM_OK_RESPONSE, writes) << row.name;
    }
  host_.Write(Register::kWatchdogCycles, 0);
  EXPECT_EQ(access(kRead, 0), tlm::TLM_COMMAND_ERROR_RESPONSE);  // control
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(access(kWrite, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);  // status
  EXPECT_EQ(access(kRead, 0x014), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(access(kRead, 0x1000), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(access(kRead, 6), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(access(kRead, 4, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(host_.Read(Register::kId), isa::kHardwareId);
  EXPECT_EQ(host_.Read(Register::kTimingHashLow), static_cast<uint32_t>(isa::TimingHash(config_)));
  EXPECT_EQ(host_.Read(Register::kArchHashHigh),
            static_cast<uint32_t>(isa::ArchHash(config_) >> 32));
  // Strobes: bytes 0 and 2.
  host_.Write(Register::kInstructionCount, 0x11111111);
  unsigned char enable[] = {0xff, 0, 0xff, 0};
  value = 0x22222222;
  host_.Access(kWrite, static_cast<uint64_t>(Register::kInstructionCount), value, delay, enable);
  EXPECT_EQ(host_.Read(Register::kInstructionCount), 0x11221122u);
  unsigned char none = 0xff;
  EXPECT_EQ(host_.Access(kRead, 4, value, delay, &none, 4, 0), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(platform_.confused.Access(&none, 0), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(platform_.confused.Access(&none, 1), tlm::TLM_OK_RESPONSE);
  // Not to byte 0 of control: nothing starts.
  unsigned char upper[] = {0, 0xff, 0xff, 0xff};
  value = isa::kControlStart;
  EXPECT_EQ(host_.Access(kWrite, 0, value, delay, upper), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(host_.Read(Register::kStatus), 0u);
  // A write takes two cycles, a read three.
  delay = SC_ZERO_TIME;
  access(kWrite, static_cast<uint64_t>(Register::kInstructionCount));
  EXPECT_EQ(delay, 2 * host_.model.clock_period());
  access(kRead, 4);
  EXPECT_EQ(delay, 5 * host_.model.clock_period());
}

TEST_F(SystemcHostTest, StatusErrorsAndInterrupt) {
  image_.launch.instruction_address = image_.dram.size() + 4096;
  host_.WriteLaunch(image_.launch);
  host_.Write(Register::kControl, isa::kControlStart);
  EXPECT_EQ(host_.Read(Register::kStatus), isa::kStatusBusy);
  host_.Write(Register::kControl, isa::kControlStart);  // ignored
  sc_core::sc_start(sc_time(100, sc_core::SC_US));
  const auto outcome = static_cast<uint32_t>(isa::Outcome::kFault) << isa::kStatusOutcomeLsb;
  EXPECT_EQ(host_.Read(Register::kStatus), isa::kStatusDone | outcome);
  const uint32_t fetch = host_.Read(Register::kModule);
  EXPECT_EQ(fetch >> isa::kStateFaultLsb, static_cast<uint32_t>(isa::Fault::kBusError));
  EXPECT_EQ(host_.Read(Register::kModule, 2), image_.launch.instruction_address);
  EXPECT_TRUE(host_.line.read());
  EXPECT_EQ(host_.Read(Register::kInterruptStatus), 1u);
  host_.Write(Register::kInterruptEnable, 0);
  sc_core::sc_start(sc_time(1, SC_NS));
  EXPECT_FALSE(host_.line.read());
  host_.Write(Register::kInterruptEnable, 1);
  sc_core::sc_start(sc_time(1, SC_NS));
  EXPECT_TRUE(host_.line.read());
  host_.Write(Register::kInterruptStatus, 1);
  sc_core::sc_start(sc_time(1, SC_NS));
  EXPECT_FALSE(host_.line.read());
}

// Wherever it lies: with DMI and without, whoever's time bursts take.
TEST_F(SystemcHostTest, MemoryLiesAnywhereOnTheBus) {
  constexpr uint64_t kBase = 0x12000;
  std::vector<uint8_t> want(kBase);
  want.insert(want.end(), image_.dram.begin(), image_.dram.end());
  const std::vector<uint8_t> before = want;
  ASSERT_EQ(sim::Machine(config_).Run(image_.launch, std::span(want).subspan(kBase)).outcome,
            isa::Outcome::kFinished);
  const int64_t cycles =
      sim::cycle::Core(config_).Run(image_.launch, image_.dram).counters.time->cycles;
  platform_.plain.refuses = [](const tlm::tlm_generic_payload& burst) {
    return burst.get_address() < kBase;
  };
  for (Host* host : {&platform_.ours, &platform_.foreign})
    for (CycleModel::Memory memory : {CycleModel::Memory::kOwn, CycleModel::Memory::kSocket}) {
      const bool own = memory == CycleModel::Memory::kOwn, dmi = host == &platform_.ours;
      SCOPED_TRACE(StrCat(own ? "own memory" : "memory at the socket", dmi ? ", DMI" : ""));
      std::vector<uint8_t>& bytes = dmi ? platform_.memory.bytes() : platform_.plain.bytes;
      bytes = before;
      platform_.memory.BeginLaunch();
      CycleModel::Options options;
      options.memory = memory;
      options.memory_base = kBase;
      options.memory_bytes = image_.dram.size();
      host->model.Configure(SourcePath(kConfigs[0]), options);
      const int64_t took = host->Run(image_.launch, kBase);
      if (own) {
        EXPECT_EQ(took, cycles);
      }
      EXPECT_EQ(host->model.Report(), "finished");
      EXPECT_EQ(bytes, want);
      // An address of the bus in, one of the bus out.
      isa::LaunchRequest outside = image_.launch;
      outside.instruction_address = image_.dram.size();
      host->Run(outside, kBase);
      EXPECT_EQ(host->Read(Register::kModule, 2), kBase + image_.dram.size());
    }
  platform_.plain.refuses = nullptr;
}

// Where the golden model sees nothing of it.
TEST_F(SystemcHostTest, AnErrorOfTheMemoryIsABusErrorOfTheLaunch) {
  Host& host = platform_.foreign;
  PlainMemory& memory = platform_.plain;
  memory.bytes = image_.dram;
  for (bool values : {true, false})
    for (bool write : {false, true}) {
      SCOPED_TRACE(StrCat(write ? "write" : "read", values ? "" : ", without values"));
      CycleModel::Options options;
      options.memory_bytes = image_.dram.size();
      options.values = values;
      host.model.Configure(SourcePath(kConfigs[0]), options);
      int count = 0;
      memory.refuses = [&](const tlm::tlm_generic_payload& burst) {
        return burst.is_write() == write && ++count == 1;
      };
      host.Run(image_.launch);
      memory.refuses = nullptr;
      const auto outcome = static_cast<uint32_t>(isa::Outcome::kFault) << isa::kStatusOutcomeLsb;
      EXPECT_EQ(host.Read(Register::kStatus), isa::kStatusDone | outcome);
      // Of fetch, or of store.
      const uint32_t state = host.Read(Register::kModule, write ? 3 * 4 : 0);
      EXPECT_EQ(state >> isa::kStateFaultLsb, static_cast<uint32_t>(isa::Fault::kBusError));
      EXPECT_THAT(host.model.Report(), HasSubstr("bus error"));
      EXPECT_EQ(memory.bytes, image_.dram);
    }
  host.Run(image_.launch);
  EXPECT_EQ(host.Read(Register::kStatus), isa::kStatusDone);
}

// Without DMI, too.
TEST_F(SystemcHostTest, WhatAnotherMasterWritesMeanwhileStays) {
  Host& host = platform_.foreign;
  std::vector<uint8_t>& bytes = platform_.plain.bytes;
  CycleModel::Options options;
  options.memory_bytes = image_.dram.size();
  host.model.Configure(SourcePath(kConfigs[0]), options);
  bytes = image_.dram;
  // A byte behind the first one of the output that is none of it.
  std::vector<uint8_t> want = image_.dram;
  sim::Machine(config_).Run(image_.launch, want);
  auto at = std::mismatch(want.begin(), want.end(), image_.dram.begin()).first - want.begin();
  ASSERT_LT(at, std::ssize(want));
  const auto written = [&] { return static_cast<uint8_t>(image_.dram[at] ^ 0x5a); };
  do {
    want = image_.dram;
    want[++at] = written();
    sim::Machine(config_).Run(image_.launch, want);
  } while (want[at] != written());
  host.WriteLaunch(image_.launch);
  host.Write(Register::kControl, isa::kControlStart);
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_EQ(host.Read(Register::kStatus), isa::kStatusBusy);
  bytes[at] = written();
  sc_core::sc_start(sc_time(10, sc_core::SC_MS));
  EXPECT_EQ(host.Read(Register::kStatus), isa::kStatusDone);
  EXPECT_EQ(bytes, want);
}

// What is not in the memory of launches is a bus error, even if there is something on the bus.
TEST_F(SystemcHostTest, MemoryEndsWhereTheOptionsSaySo) {
  image_.launch.instruction_address = image_.dram.size();
  platform_.memory.bytes().resize(2 * image_.dram.size());
  CycleModel::Options options;
  options.memory_bytes = image_.dram.size();
  options.values = false;
  host_.model.Configure(SourcePath(kConfigs[0]), options);
  EXPECT_GT(host_.Run(image_.launch), 0);
  EXPECT_EQ(host_.Read(Register::kModule) >> isa::kStateFaultLsb,
            static_cast<uint32_t>(isa::Fault::kBusError));
}

// A launch that is reset leaves nothing that the next one could meet.
TEST_F(SystemcHostTest, AResetEndsALaunchWhereverItIs) {
  for (CycleModel::Memory memory : {CycleModel::Memory::kOwn, CycleModel::Memory::kSocket}) {
    CycleModel::Options options;
    options.memory = memory;
    options.memory_bytes = image_.dram.size();
    host_.model.Configure(SourcePath(kConfigs[0]), options);
    const int64_t cycles = host_.Run(image_.launch);
    platform_.memory.bytes() = image_.dram;
    for (int64_t after : {1, 30, 31, 77, 300, 1001}) {
      platform_.memory.BeginLaunch();
      host_.WriteLaunch(image_.launch);
      host_.Write(Register::kControl, isa::kControlStart);
      sc_core::sc_start(static_cast<double>(after) * host_.model.clock_period());
      host_.Write(Register::kControl, isa::kControlReset);
      for (int i = 0; i < 10000 && host_.Read(Register::kStatus); ++i)
        sc_core::sc_start(sc_time(1, SC_NS));
      EXPECT_EQ(host_.Read(Register::kStatus), 0u) << after;
      // Nothing of it is on the bus.
      EXPECT_FALSE(platform_.memory.busy()) << after;
      EXPECT_EQ(platform_.memory.bytes(), image_.dram);
      platform_.memory.BeginLaunch();
      EXPECT_EQ(host_.Run(image_.launch), cycles) << after;
      platform_.memory.bytes() = image_.dram;
    }
  }
}

// In the step in which the model looks at the launch that is reset, too.
TEST_F(SystemcHostTest, AStartThatFollowsAResetAtOnceBeginsAnew) {
  tlm::tlm_global_quantum::instance().set(SC_ZERO_TIME);
  for (CycleModel::Memory memory : {CycleModel::Memory::kOwn, CycleModel::Memory::kSocket}) {
    const bool own = memory == CycleModel::Memory::kOwn;
    CycleModel::Options options;
    options.memory = memory;
    options.memory_bytes = image_.dram.size();
    options.values = false;
    host_.model.Configure(SourcePath(kConfigs[0]), options);
    const int64_t cycles = host_.Run(image_.launch);
    const sc_time period = host_.model.clock_period();
    for (int after = 1; after < 100; ++after) {
      SCOPED_TRACE(StrCat(own ? "own memory, " : "", after, " cycles"));
      host_.WriteLaunch(image_.launch);
      platform_.memory.BeginLaunch();
      const uint64_t edge = sc_core::sc_time_stamp().value() / period.value() + 2;
      sc_core::sc_start(sc_time::from_value(edge * period.value()) - sc_core::sc_time_stamp());
      host_.Write(Register::kControl, isa::kControlStart);
      sc_core::sc_start(after * period);
      host_.Write(Register::kControl, isa::kControlReset);
      if (own) {
        ASSERT_EQ(host_.Read(Register::kStatus), 0u);
      }
      while (host_.Read(Register::kStatus) != 0) sc_core::sc_start(period);
      platform_.memory.BeginLaunch();
      ASSERT_EQ(host_.Start(), cycles);
      ASSERT_EQ(host_.Counter(isa::HardwareCounter::kCycles), cycles);
    }
  }
}

TEST_F(SystemcHostTest, RefusesWhatAPlatformDoesWrong) {
  const auto start = [&] { host_.Write(Register::kControl, isa::kControlStart); };
  CycleModel::Options options;
  options.memory_base = 0x1001;
  EXPECT_EQ(Refusal([&] { host_.model.Configure(SourcePath(kConfigs[0]), options); }),
            "CycleModel: memory_base = 0x1001: must be a multiple of 4096");
  EXPECT_THAT(Refusal([&] { host_.model.Configure("none.json", {}); }), HasSubstr("none.json"));
  host_.WriteLaunch(image_.launch);
  host_.Write(Register::kWatchdogCycles, 7);
  EXPECT_THAT(Refusal(start),
              HasSubstr("watchdog_cycles = 7: the cycle model has no watchdog; must be 0"));
  host_.Write(Register::kWatchdogCycles, 0);
  isa::LaunchRequest launch = image_.launch;
  launch.base[1] += 1;
  host_.WriteLaunch(launch);
  EXPECT_THAT(Refusal(start), HasSubstr("must be a multiple of"));
  EXPECT_EQ(host_.Read(Register::kStatus), 0u);
  host_.WriteLaunch(image_.launch);
  start();
  EXPECT_THAT(Refusal([&] { host_.model.Configure(SourcePath(kConfigs[0]), {}); }),
              HasSubstr("a CycleModel is configured while a launch runs"));
  EXPECT_THAT(Refusal([&] { host_.model.set_memory(4096, 4096); }),
              HasSubstr("the memory of a CycleModel is moved while a launch runs"));
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  EXPECT_THAT(Refusal([&] { platform_.memory.Configure(SourcePath(kConfigs[0])); }),
              HasSubstr("a MemoryModel is configured while bursts are under way"));
  EXPECT_THAT(Refusal([&] { platform_.memory.BeginLaunch(); }),
              HasSubstr("a launch begins at a MemoryModel while bursts are under way"));
  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  EXPECT_THAT(Refusal([&] { platform_.confused.Ask(true); }),
              HasSubstr("a write comes to a MemoryModel on a channel of reads"));
  EXPECT_THAT(Refusal([&] { platform_.confused.Ask(false); }),
              HasSubstr("a read comes to a MemoryModel on a channel of writes"));
  EXPECT_EQ(Refusal([] { sim::Traffic(1, 4095, 8); }),
            "Traffic: memory_bytes = 4095: must be at least 4096");
  platform_.plain.bytes.clear();
  CycleModel::Options some;
  some.memory_bytes = 4096;
  Host& foreign = platform_.foreign;
  foreign.model.Configure(SourcePath(kConfigs[0]), some);
  EXPECT_THAT(Refusal([&] { foreign.Write(Register::kControl, isa::kControlStart); }),
              HasSubstr("memory at 0x0: debug transport does not take 4096 bytes there"));
}

// In a process of its own, as the error leaves the launch and the memory as they are.
using SystemcDeathTest = SystemcHostTest;
TEST_F(SystemcDeathTest, AnswersInAnotherOrderAreRefused) {
  Host& host = platform_.foreign;
  platform_.plain.bytes = image_.dram;
  CycleModel::Options options;
  options.memory_bytes = image_.dram.size();
  host.model.Configure(SourcePath(kConfigs[0]), options);
  const auto run = [&] {
    platform_.plain.reverse = true;
    std::cerr << Refusal([&] { host.Run(image_.launch); });
    std::exit(1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1),
              "reads are answered in another order than that in which they were sent");
}

// In a process of its own, as the resolution is set before there is any time.
TEST(SystemcResolutionTest, AClockFasterThanSystemcsTimeIsRefused) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto refuse = [](const std::function<void()>& make) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_US);
    try {
      make();
    } catch (const std::exception& error) {
      std::cerr << error.what();
      std::exit(1);
    }
    std::exit(0);
  };
  const std::string path = SourcePath(kConfigs[0]);
  constexpr const char* kMessage =
      "clock_mhz = 100: a period is none of SystemC's units of time: 1 us";
  EXPECT_EXIT(refuse([&] { CycleModel model("model", path, {}); }), testing::ExitedWithCode(1),
              kMessage);
  EXPECT_EXIT(refuse([&] { sim::MemoryModel memory("memory", path, 0); }),
              testing::ExitedWithCode(1), kMessage);
}

// It looks at what asks in the middle of a cycle: who asks later does so in the next one.
TEST_F(SystemcHostTest, AMemoryTakesWhatAsksInTheFirstHalfOfACycle) {
  const sc_time period = host_.model.clock_period();
  for (double part : {0.0, 0.4, 0.5, 0.9}) {
    const uint64_t cycle = sc_core::sc_time_stamp().value() / period.value() + 1;
    const sc_time edge = sc_time::from_value(cycle * period.value());
    sc_core::sc_start(edge + part * period - sc_core::sc_time_stamp());
    platform_.confused.Read();
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    EXPECT_EQ(platform_.confused.taken, edge + (part < 0.5 ? 0.5 : 1.5) * period) << part;
    EXPECT_FALSE(platform_.memory.busy());
  }
}

// Time alone.
TEST_F(SystemcHostTest, WithoutValuesMemoryStaysAsItIs) {
  const int64_t cycles = host_.Run(image_.launch);
  EXPECT_NE(platform_.memory.bytes(), image_.dram);
  platform_.memory.bytes() = image_.dram;
  CycleModel::Options options;
  options.memory = CycleModel::Memory::kOwn;
  options.memory_bytes = image_.dram.size();
  options.values = false;
  options.clock_period = sc_time(4, SC_NS);
  host_.model.Configure(SourcePath(kConfigs[0]), options);
  EXPECT_EQ(host_.Run(image_.launch), cycles);
  EXPECT_EQ(host_.model.clock_period(), sc_time(4, SC_NS));
  EXPECT_EQ(platform_.memory.bytes(), image_.dram);
}

}  // namespace
}  // namespace vta::test
