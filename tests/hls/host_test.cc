// What lies beside the kernels in a block design (hw/hls/rtl), verilated: the host's registers with
// the compiled kernels behind them, clock by clock, beside the golden model, and under the driver
// of boards; a scratchpad.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "driver/allocator.h"
#include "driver/buffer.h"
#include "driver/registers/register_device.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "sim/hls/build.h"
#include "sim/hls/model/abi.h"
#include "sim/rtl/host_port.h"
#include "sim/trace/lockstep.h"
#include "tests/rtl/bench/bench.h"
#include "tests/rtl/program.h"
#include "tests/rtl/trial.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::test {
namespace {

using isa::HardwareCounter;
using isa::Outcome;
using isa::Register;

constexpr size_t kMemoryBytes = 1 << 20;  // as host_bench says
constexpr int64_t kPatience = 1 << 19;    // cycles

sim::ModelTop Top() {
  return {"host_bench",
          {"hw/hls/rtl/vta_hold.v", "hw/hls/rtl/vta_host.sv", "hw/hls/rtl/vta_host_ip.v",
           "hw/hls/rtl/vta_scratchpad.v", "tests/hls/host_bench.vlt", "tests/hls/host_bench.sv"}};
}

/// Registers in front of kernels, which go on by a cycle in every `pace` cycles.
class Hosted : public isa::RegisterPort {
 public:
  explicit Hosted(const isa::Config& config)
      : memory(kMemoryBytes),
        bench_(config, Top()),
        library_(dlopen(sim::BuildHls(config, {}).c_str(), RTLD_NOW | RTLD_LOCAL)),
        axi_(ports_, [this] { Clock(); }) {
    VTA_CHECK(library_, dlerror());
    Find("vta_hls_cycle", cycle_of_kernels_);
    Find("vta_hls_result", result_);
    Find("vta_hls_leftovers", leftovers_);
    VtaHlsPowerOn power_on;
    Find("vta_hls_power_on", power_on);
    const vta_memory memory_of_config = {static_cast<uint64_t>(config.memory.read_latency_cycles),
                                         static_cast<uint64_t>(config.memory.write_latency_cycles),
                                         static_cast<uint64_t>(config.memory.bytes_per_cycle),
                                         static_cast<uint64_t>(config.memory.outstanding)};
    power_on(2, 0, &memory_of_config);
    const auto port = [&](const char* name, auto& pointer) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(bench_.Data(name));
    };
    port("s_aw_valid_i", ports_.s_aw_valid_i), port("s_aw_ready_o", ports_.s_aw_ready_o);
    port("s_aw_address_i", ports_.s_aw_address_i), port("s_w_valid_i", ports_.s_w_valid_i);
    port("s_w_ready_o", ports_.s_w_ready_o), port("s_w_data_i", ports_.s_w_data_i);
    port("s_w_strb_i", ports_.s_w_strb_i), port("s_b_valid_o", ports_.s_b_valid_o);
    port("s_b_ready_i", ports_.s_b_ready_i), port("s_b_resp_o", ports_.s_b_resp_o);
    port("s_ar_valid_i", ports_.s_ar_valid_i), port("s_ar_ready_o", ports_.s_ar_ready_o);
    port("s_ar_address_i", ports_.s_ar_address_i), port("s_r_valid_o", ports_.s_r_valid_o);
    port("s_r_ready_i", ports_.s_r_ready_i), port("s_r_data_o", ports_.s_r_data_o);
    port("s_r_resp_o", ports_.s_r_resp_o);
    port("start_o", start_), port("stop_o", stop_), port("launch_o", launch_);
    port("result_i", held_), port("result_valid_i", valid_);
    port("interrupt_o", interrupt_);
  }
  ~Hosted() override { dlclose(library_); }

  uint32_t ReadWord(uint32_t offset) override {
    const sim::HostPort::Answer answer = axi_.Read(static_cast<uint16_t>(offset));
    EXPECT_EQ(answer.response, sim::AxiResponse::kOkay) << offset;
    return answer.data;
  }
  void WriteWord(uint32_t offset, uint32_t value) override {
    EXPECT_EQ(axi_.Write(static_cast<uint16_t>(offset), value), sim::AxiResponse::kOkay) << offset;
  }

  /// A cycle: what kernels publish is on their wires in those in which they go on alone.
  void Clock() {
    *valid_ = pace > 0 && ++cycle_ % pace == 0;
    if (*valid_) {
      vta_launch launch;
      std::memcpy(&launch, launch_, sizeof launch);
      cycle_of_kernels_(*start_, *stop_, &launch, memory.data());
      std::memcpy(held_, result_(), sizeof(vta_result));
    } else {
      std::memset(held_, static_cast<int>(cycle_), sizeof(vta_result));
    }
    bench_.Clock();
  }
  void Clocks(int64_t cycles) {
    for (int64_t i = 0; i < cycles; ++i) Clock();
  }
  bool interrupt() const { return *interrupt_; }
  const vta_result& result() const { return *result_(); }
  bool leftovers() const { return leftovers_(); }
  bool Busy() { return Read(Register::kStatus) & isa::kStatusBusy; }

  std::vector<uint8_t> memory;
  int64_t pace = 1;  // 0: kernels stand still

 private:
  template <typename Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    VTA_CHECK(function, name);
  }

  Bench bench_;
  void* library_;
  VtaHlsCycle cycle_of_kernels_;
  VtaHlsResult result_;
  VtaHlsLeftovers leftovers_;
  VtaPorts ports_ = {};
  sim::HostPort axi_;
  uint32_t *start_, *stop_;
  uint8_t *launch_, *held_, *valid_, *interrupt_;
  int64_t cycle_ = 0;
};

isa::Config TestConfig() {
  return isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
}

class HostTest : public testing::Test {
 protected:
  HostTest() : config_(TestConfig()), hosted_(config_), golden_(config_) {}

  isa::LaunchResult Launch(const isa::LaunchRequest& launch) {
    isa::WriteLaunch(hosted_, launch);
    if (writes_on_) hosted_.Write(Register::kInstructionCount, 0);
    for (int64_t cycle = 0; !hosted_.interrupt(); ++cycle) {
      if (cycle == kPatience) ADD_FAILURE() << "does not end";
      if (cycle == kPatience) break;
      hosted_.Clock();
    }
    EXPECT_EQ(hosted_.Read(Register::kStatus) & 7, isa::kStatusDone);
    return isa::ReadResult(hosted_, config_);
  }
  /// The program at the end of the memory, where what is refused begins.
  std::string Compare(const RtlProgram& program, bool values) {
    Image image = ImageOf(program);
    const uint64_t at = kMemoryBytes - image.dram.size();
    isa::Move(image.launch, at);
    std::ranges::fill(hosted_.memory, 0);
    std::ranges::copy(image.dram, hosted_.memory.begin() + static_cast<ptrdiff_t>(at));
    std::vector<uint8_t> dram = hosted_.memory;
    isa::LaunchResult want = golden_.Run(image.launch, dram), have = Launch(image.launch);
    outcome_ = have.outcome;
    EXPECT_GT(have.counters.time->cycles, 0);
    for (isa::ModuleState& state : have.modules)
      if (state.kind != isa::ModuleState::Kind::kDone)
        state.word = isa::LoadWord(hosted_.memory.data() + state.address);
    return StrCat(sim::CompareResults(want, have),
                  values && dram != hosted_.memory ? "memory differs\n" : "",
                  hosted_.leftovers() ? "a channel is not empty\n" : "");
  }

  isa::Config config_;
  Hosted hosted_;
  sim::Machine golden_;
  Outcome outcome_ = Outcome::kNoFinish;
  bool writes_on_ = false;  // behind the start
};

TEST_F(HostTest, RandomProgramsEndAsOnTheGoldenModel) {
  std::array<int, 5> ends = {};
  for (uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    const auto kind = static_cast<ProgramKind>(seed % kProgramKinds);
    if (kind == ProgramKind::kRacy) continue;
    hosted_.pace = 1 + static_cast<int64_t>(seed % 3);
    EXPECT_EQ(Compare(RandomRtlProgram(config_, kind, seed), true), "") << seed;
    ++ends[static_cast<size_t>(outcome_)];
  }
  for (const Outcome outcome :
       {Outcome::kFinished, Outcome::kFault, Outcome::kDeadlock, Outcome::kNoFinish})
    EXPECT_GT(ends[static_cast<size_t>(outcome)], 0) << isa::OutcomeName(outcome);
}

TEST_F(HostTest, TheInterruptWaitsToBeEnabledAndIsCleared) {
  EXPECT_EQ(Compare(RandomRtlProgram(config_, ProgramKind::kSerial, 1), true), "");
  EXPECT_TRUE(hosted_.interrupt());
  EXPECT_EQ(hosted_.Read(Register::kInterruptStatus), 1u);
  hosted_.Write(Register::kInterruptEnable, 0);
  EXPECT_FALSE(hosted_.interrupt());
  hosted_.Write(Register::kInterruptStatus, 1);
  EXPECT_EQ(hosted_.Read(Register::kInterruptStatus), 0u);
}

TEST_F(HostTest, WhatIsWrittenBehindAStartIsForTheNextLaunch) {
  hosted_.pace = 64;  // the monitor takes the launch long after
  writes_on_ = true;
  EXPECT_EQ(Compare(RandomRtlProgram(config_, ProgramKind::kSerial, 1), true), "");
  EXPECT_EQ(outcome_, Outcome::kFinished);
}

class StandingTest : public HostTest {
 protected:
  /// A launch that is under way when the kernels stand still.
  void StartAndStand(uint32_t watchdog) {
    Image image = ImageOf(RandomRtlProgram(config_, ProgramKind::kOverlapped, 3));
    const uint64_t at = kMemoryBytes - image.dram.size();
    isa::Move(image.launch, at);
    std::ranges::copy(image.dram, hosted_.memory.begin() + static_cast<ptrdiff_t>(at));
    hosted_.Write(Register::kWatchdogCycles, watchdog);
    isa::WriteLaunch(hosted_, image.launch);
    hosted_.Clocks(20);
    hosted_.pace = 0;
  }
  /// A launch that the watchdog has ended, and a start that waits for the kernels to come out of
  /// it.
  void StartBehindTheWatchdog() {
    StartAndStand(300);
    for (int64_t i = 0; i < 1000 && !hosted_.interrupt(); ++i) hosted_.Clock();
    hosted_.Write(Register::kInterruptStatus, 1);
    hosted_.Write(Register::kWatchdogCycles, 0);
    hosted_.Write(Register::kControl, isa::kControlStart);
    hosted_.pace = 1;
  }
  void ClocksUntilIdle() {
    for (int64_t i = 0; i < kPatience && hosted_.Busy(); ++i) hosted_.Clock();
  }
  void ExpectWorks() {
    hosted_.pace = 1;
    hosted_.Write(Register::kWatchdogCycles, 0);
    EXPECT_EQ(Compare(RefillProgram(config_, 1), false), "");
    EXPECT_EQ(Compare(RandomRtlProgram(config_, ProgramKind::kSerial, 7), true), "");
    EXPECT_EQ(Compare(RandomRtlProgram(config_, ProgramKind::kOverlapped, 6), true), "");
  }
};

TEST_F(StandingTest, TheWatchdogEndsALaunchOfWhichNothingMoves) {
  StartAndStand(300);
  EXPECT_TRUE(hosted_.Busy());
  int64_t cycles = 0;
  while (!hosted_.interrupt() && ++cycles < 1000) hosted_.Clock();
  EXPECT_GT(cycles, 250);
  EXPECT_LE(cycles, 310);
  EXPECT_EQ(hosted_.Read(Register::kStatus), isa::kStatusDone | isa::kStatusWatchdog |
                                                 static_cast<uint32_t>(Outcome::kStopped)
                                                     << isa::kStatusOutcomeLsb);
  // A start waits for the kernels, which come out of the launch without ending it.
  hosted_.Write(Register::kWatchdogCycles, 0);
  hosted_.Write(Register::kControl, isa::kControlStart);
  hosted_.Clocks(1000);
  EXPECT_TRUE(hosted_.Busy());
  hosted_.pace = 1;
  for (int64_t i = 0; i < kPatience && hosted_.result().done == 0; ++i) hosted_.Clock();
  EXPECT_EQ(hosted_.result().outcome, static_cast<uint32_t>(Outcome::kStopped));
  EXPECT_EQ(hosted_.result().done, 1u);
  EXPECT_TRUE(hosted_.Busy());
  ClocksUntilIdle();
  EXPECT_EQ(hosted_.result().done, 2u);
  EXPECT_EQ(hosted_.Read(Register::kStatus), isa::kStatusDone);
  ExpectWorks();
}

TEST_F(StandingTest, TheWatchdogBearsALongLaunch) {
  hosted_.Write(Register::kWatchdogCycles, 500);  // the monitor waits for 64 calls
  EXPECT_EQ(Compare(RandomRtlProgram(config_, ProgramKind::kOverlapped, 3), true), "");
  EXPECT_EQ(outcome_, Outcome::kFinished);
  EXPECT_GT(hosted_.Read(Register::kCounter), 1000u);
}

TEST_F(StandingTest, TheWatchdogBearsALongInstruction) {
  hosted_.Write(Register::kWatchdogCycles, 70'000);
  isa::Instruction gemm = sim::Loop(isa::Opcode::kGemm, 0, 1);
  gemm.iter_out = 16, gemm.iter_in = 16383, gemm.reset = 1;  // 4 times what a call does at most
  isa::LaunchRequest launch{.instruction_address = 0x1000, .instruction_count = 2};
  isa::StoreWord(isa::Encode(isa::Layout(config_), gemm), hosted_.memory.data() + 0x1000);
  isa::StoreWord(isa::Encode(isa::Layout(config_), sim::Finish()), hosted_.memory.data() + 0x1010);
  EXPECT_EQ(isa::Describe(Launch(launch)), "finished");
  EXPECT_GT(hosted_.Read(Register::kCounter), 260'000u);
}

TEST_F(StandingTest, WithoutAWatchdogItStandsAndAResetEndsIt) {
  StartAndStand(0);
  hosted_.Clocks(2000);
  EXPECT_TRUE(hosted_.Busy());
  hosted_.Write(Register::kControl, isa::kControlReset);
  hosted_.Clocks(100);
  EXPECT_TRUE(hosted_.Busy()) << "the kernels have not come out of it";
  hosted_.pace = 1;
  ClocksUntilIdle();
  EXPECT_EQ(hosted_.result().outcome, static_cast<uint32_t>(Outcome::kStopped));
  EXPECT_EQ(hosted_.Read(Register::kStatus) & 7, 0u);
  EXPECT_FALSE(hosted_.leftovers());
  ExpectWorks();
}

TEST_F(StandingTest, AResetEndsAWaitingStartInWhateverCycleItComes) {
  StartBehindTheWatchdog();
  const uint32_t before = hosted_.result().done;
  int64_t cycles = 0;
  while (hosted_.result().done == before && ++cycles < kPatience) hosted_.Clock();
  ClocksUntilIdle();
  for (int64_t at = std::max<int64_t>(0, cycles - 40); at < cycles + 10; ++at) {
    StartBehindTheWatchdog();
    hosted_.Clocks(at);
    hosted_.Write(Register::kControl, isa::kControlReset);
    ClocksUntilIdle();
    EXPECT_EQ(hosted_.result().outcome, static_cast<uint32_t>(Outcome::kStopped)) << at;
    EXPECT_EQ(hosted_.Read(Register::kStatus) & 7, 0u) << at;
  }
  ExpectWorks();
}

TEST_F(StandingTest, AStartWhileALaunchRunsIsIgnored) {
  StartAndStand(0);
  hosted_.pace = 1;
  hosted_.Write(Register::kControl, isa::kControlStart);
  ClocksUntilIdle();
  EXPECT_EQ(hosted_.Read(Register::kStatus) & 7, isa::kStatusDone);
  ExpectWorks();
}

TEST(ScratchpadTest, BytesAreWrittenAndRowsRead) {
  Bench bench(TestConfig(), Top());
  std::array<uint32_t, 8> rows = {};
  std::mt19937 random(1);
  const auto write = [&](uint32_t row, uint32_t bytes, uint32_t data) {
    bench.Set("write_i", 1), bench.Set("write_bytes_i", bytes);
    bench.Set("write_address_i", 4 * row), bench.Set("write_data_i", data);
    for (int byte = 0; byte < 4; ++byte)
      if (bytes >> byte & 1)
        rows[row] = (rows[row] & ~(0xffu << 8 * byte)) | (data & 0xffu << 8 * byte);
  };
  for (uint32_t row = 0; row < rows.size(); ++row) write(row, 0xf, row), bench.Clock();
  uint32_t last = 0;
  for (int turn = 0; turn < 200; ++turn) {
    const uint32_t row = random() % 8, other = (row + 1 + random() % 7) % 8;
    write(row, random() % 16, random());
    const bool reads = turn == 0 || random() % 4 != 0;
    bench.Set("read_i", reads), bench.Set("read_address_i", 4 * other);
    if (reads) last = rows[other];
    bench.Clock();
    EXPECT_EQ(bench.Get("read_data_o"), last) << turn;
  }
}

/// The driver of boards, on the registers.
class HostedDevice : public driver::RegisterDevice {
 public:
  HostedDevice(const isa::Config& config, Hosted& hosted)
      : RegisterDevice("board", config),
        hosted_(hosted),
        allocator_("board", 0, hosted.memory.size()) {
    Attach(hosted);
  }
  ~HostedDevice() override { Detach(); }
  uint64_t Allocate(int64_t bytes) override { return allocator_.Allocate(bytes); }
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    std::ranges::copy(bytes, hosted_.memory.begin() + static_cast<ptrdiff_t>(address));
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    std::copy_n(hosted_.memory.begin() + static_cast<ptrdiff_t>(address), bytes.size(),
                bytes.begin());
  }
  void WaitForInterrupt(std::chrono::nanoseconds) override { hosted_.Clocks(64); }

 private:
  Hosted& hosted_;
  driver::Allocator allocator_;
};

TEST_F(HostTest, TheDriverOfBoardsNeedsNoChange) {
  HostedDevice device(config_, hosted_);
  driver::Buffer data(device, 0x1000), code(device, 0x1000);
  std::vector<isa::Instruction> program = {sim::LoadOf(isa::MemoryType::kUop, 0, 16, 1),
                                           sim::LoadOf(isa::MemoryType::kAcc8, 0, 0, 1)};
  program.push_back(sim::AluImm(isa::AluOp::kAdd, 0, 1, 1));
  program.back().push_next = 1;
  program.push_back(sim::StoreOf(0, 32, 1));
  program.back().pop_prev = 1;
  program.push_back(sim::Finish());
  const auto run = [&] {
    data.CopyIn(0, std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 0x7e});
    std::vector<uint8_t> words(program.size() * isa::kInstructionBytes), stored(8);
    for (size_t i = 0; i < program.size(); ++i)
      isa::StoreWord(isa::Encode(isa::Layout(config_), program[i]),
                     words.data() + i * isa::kInstructionBytes);
    code.CopyIn(0, words);
    isa::LaunchRequest request{code.address(), std::ssize(program), {}};
    request.base.fill(data.address());
    device.Launch(request);
    const isa::LaunchResult result = device.Wait(driver::kForever);
    data.CopyOut(256, stored);
    return std::pair(result, stored);
  };
  const auto [finished, stored] = run();
  EXPECT_EQ(isa::Describe(finished), "finished");
  EXPECT_EQ(stored, (std::vector<uint8_t>{2, 3, 4, 5, 6, 7, 8, 0x7f}));
  EXPECT_EQ(finished.counters.alu_uops, 1);
  program[3].pop_prev = 0, program[3].pop_next = 1;  // store has no such neighbour
  const auto [faulted, ignored] = run();
  EXPECT_EQ(faulted.outcome, Outcome::kFault);
  const isa::ModuleState& state = faulted.modules[static_cast<int>(isa::Module::kStore)];
  EXPECT_EQ(state.fault, isa::Fault::kIllegalDependency);
  EXPECT_EQ(state.address, code.address() + 3 * isa::kInstructionBytes);
  EXPECT_EQ(state.word, isa::Encode(isa::Layout(config_), program[3]));
}

}  // namespace
}  // namespace vta::test
