// A session of a package made by hand: one accelerator step, one kernel of the CPU, and
// everything that can be refused.
#include "runtime/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using testing::ElementsAre;

// A device as boards are: what the host reads and writes is a copy until somebody syncs.
class Unsynced : public driver::FunctionalDevice {
 public:
  using FunctionalDevice::FunctionalDevice;
  std::span<uint8_t> Map(uint64_t address, int64_t bytes) override {
    address_ = address, copy_.assign(static_cast<size_t>(bytes), 0xEE);
    return copy_;
  }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    FunctionalDevice::CopyIn(address, bytes);
    if (address >= address_ && address < address_ + copy_.size())
      SyncForHost(address, std::ssize(bytes));
  }
  void SyncForHost(uint64_t address, int64_t bytes) override {
    CopyOut(address, std::span(copy_).subspan(address - address_, bytes));
  }
  void SyncForDevice(uint64_t address, int64_t bytes) override {
    FunctionalDevice::CopyIn(address, std::span(copy_).subspan(address - address_, bytes));
  }

 private:
  uint64_t address_ = 0;
  std::vector<uint8_t> copy_;
};

class SessionTest : public testing::Test {
 protected:
  std::string MessageOf(const isa::Package& package, const KernelModule* kernels,
                        size_t input_bytes = 8, ModelOptions options = {}) {
    options.kernels = kernels;
    return vta::ErrorOf([&] {
      Session session(std::make_shared<Model>(package, "p.vta", options), &device_);
      const std::vector<uint8_t> input(input_bytes);
      const std::span<const uint8_t> inputs[] = {input};
      Infer(session, inputs);
    });
  }
  std::shared_ptr<const Model> Load(isa::Package package, const std::string& file = "p.vta") const {
    return std::make_shared<Model>(std::move(package), file, ModelOptions{.kernels = &negate_});
  }
  driver::FunctionalDevice device_{TinyConfig()};
  Negate negate_;
};

TEST_F(SessionTest, RunsProgramsAndKernelsAnyNumberOfTimesOnAnyMemory) {
  driver::FunctionalDevice mapped(TinyConfig());
  Unsynced unsynced(TinyConfig());
  Unmapped unmapped(TinyConfig());
  for (driver::FunctionalDevice* device :
       {&mapped, static_cast<driver::FunctionalDevice*>(&unsynced),
        static_cast<driver::FunctionalDevice*>(&unmapped)})
    for (int64_t threads : {1, 2, 5})
      for (uint8_t start : {0, 10, 200}) {
        Session session(Load(AddFiveThenNegate()), device, {.threads = threads});
        const std::vector<uint8_t> input = {start, 1, 2, 3, 4, 5, 6, 7};
        const std::span<const uint8_t> inputs[] = {input};
        RunProfile profile;
        const auto outputs = Infer(session, inputs, &profile);
        ASSERT_EQ(outputs.size(), 1u);
        EXPECT_THAT(outputs[0], ElementsAre(static_cast<uint8_t>(-(start + 5)), 250, 249, 248, 247,
                                            246, 245, 244));
        EXPECT_THAT(session.ReadTensor(1),
                    ElementsAre(static_cast<uint8_t>(start + 5), 6, 7, 8, 9, 10, 11, 12));
        ASSERT_EQ(profile.steps.size(), 2u);
        EXPECT_EQ(profile.steps[0].counters.alu_uops, 1);
        EXPECT_GE(profile.wall, profile.steps[0].wall + profile.steps[1].wall);
      }
}

TEST_F(SessionTest, TwoPackagesShareADevice) {
  Session a(Load(AddFiveThenNegate(), "a.vta"), &device_);
  Session b(Load(AddFiveThenNegate(), "b.vta"), &device_);
  const std::vector<uint8_t> one(8, 1), two(8, 2);
  const std::span<const uint8_t> ones[] = {one}, twos[] = {two};
  Infer(a, ones);
  Infer(b, twos);
  EXPECT_EQ(a.ReadTensor(1), std::vector<uint8_t>(8, 6));
  EXPECT_EQ(b.ReadTensor(1), std::vector<uint8_t>(8, 7));
}

TEST_F(SessionTest, NamesStepLayerAndInstructionOfAFault) {
  isa::Package package = AddFiveThenNegate();
  const isa::Layout layout(*package.config);
  isa::StoreWord(isa::Encode(layout, sim::LoadOf(isa::MemoryType::kAcc8, 16, 0, 1)),
                 package.code.data() + 32);
  EXPECT_EQ(MessageOf(package, &negate_),
            "p.vta: step 0 plus5, instruction 1: index_out_of_range = reaches acc8 row 16 of 16: "
            "scratchpad rows and micro-ops lie inside their buffers, factors added");
  EXPECT_EQ(MessageOf(package, &negate_, 8, {.prove = false}),
            "p.vta: step 0 plus5 (add 2x4): program 0 did not finish: fault\n"
            "  compute: halted with index out of range at instruction 1 (0x2020)\n"
            "  store: waits for a token of compute->store at instruction 3 (0x2040)");
}

// A proof that reads micro-ops holds only as long as they stay.
TEST_F(SessionTest, RefusesToOverwriteWhatTheProofReads) {
  isa::Package package = AddFiveThenNegate();
  package.tensors[2].offset_bytes = 0;  // the kernel's output, over the micro-op
  EXPECT_EQ(
      MessageOf(package, &negate_),
      "p.vta: tensors[2] y = bytes 0 to 8: lie over the constants at bytes 0 to 4, which step "
      "1 minus would overwrite");
  package = AddFiveThenNegate();
  package.tensors[0].offset_bytes = 0;
  EXPECT_THAT(MessageOf(package, &negate_), testing::HasSubstr("which the caller would overwrite"));
}

TEST_F(SessionTest, RefusesAProgramThatTouchesOtherTensors) {
  isa::Package package = AddFiveThenNegate();
  package.tensors.push_back({"other", isa::ElementType::kInt8, {8}, 56});
  package.steps[0].outputs = {3};
  package.steps[1].inputs = {3};
  EXPECT_EQ(
      MessageOf(package, &negate_),
      "p.vta: step 0 plus5, instruction 3: foreign_store = stores to 0x20, which its step does "
      "not make: a step's program stores into the tensors that the step makes");
  package = AddFiveThenNegate();
  package.steps[0].inputs = {};
  EXPECT_THAT(MessageOf(package, &negate_), testing::HasSubstr("instruction 1: foreign_load = "));
}

// The package's config has queues that hold the whole program; a device of the same arch may have
// shorter ones, in which it deadlocks.
TEST_F(SessionTest, RefusesAProgramThatShortQueuesDeadlock) {
  isa::Package package = AddFiveThenNegate();
  uint8_t* const add = package.code.data() + 3 * 16;
  std::swap_ranges(add, add + 16, add + 16);  // the STORE before the ALU whose token it pops
  EXPECT_EQ(MessageOf(package, &negate_, 8, {.prove = false}), "no error");
  EXPECT_THAT(MessageOf(package, &negate_),
              testing::HasSubstr("instruction 2: not_serially_legal = pops a token of "
                                 "compute->store that only a later instruction pushes"));
}

TEST_F(SessionTest, StopsWhatRunsAtTheDeadline) {
  isa::Package package = AddFiveThenNegate();
  const isa::Layout layout(*package.config);
  isa::Instruction loop = sim::Loop(isa::Opcode::kGemm, 0, 16);
  loop.iter_out = loop.iter_in = 16383;
  isa::StoreWord(isa::Encode(layout, loop), package.code.data() + 16);
  const std::vector<uint8_t> input(8);
  const std::span<const uint8_t> inputs[] = {input};
  const auto message_of = [&](const isa::Package& package, int64_t milliseconds) {
    Session session(std::make_shared<Model>(package, "p.vta",
                                            ModelOptions{.prove = false, .kernels = &negate_}),
                    &device_);
    session.StopAt(std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds));
    try {
      Infer(session, inputs);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message_of(package, 5),
            "p.vta: step 0 plus5 (add 2x4): was stopped: the time for the run ended");
  // A kernel ends, what is behind it does not begin.
  isa::Package twice = AddFiveThenNegate();
  twice.steps.push_back(twice.steps[1]);
  twice.steps.back().name = "again";
  negate_.sleep = std::chrono::milliseconds(50);
  EXPECT_EQ(message_of(twice, 20), "p.vta: step 2 again: was stopped: the time for the run ended");
  negate_.sleep = {};
  EXPECT_EQ(message_of(AddFiveThenNegate(), 60'000), "no error");
  EXPECT_EQ(message_of(AddFiveThenNegate(), 0),
            "p.vta: step 0 plus5 (add 2x4): was stopped: the time for the run ended");
}

TEST_F(SessionTest, RefusesWhatDoesNotFit) {
  isa::Package package = AddFiveThenNegate();
  EXPECT_EQ(MessageOf(package, &negate_, 3), "p.vta: input x = 3 bytes: must be 8 bytes of int8");
  EXPECT_THAT(MessageOf(package, nullptr), testing::HasSubstr("modules"));
  package.modules = {{"elf", "x86_64", {}, {1, 2, 3}}};
  EXPECT_EQ(MessageOf(package, &negate_, 8, {.native = false}),
            "p.vta: modules = 1: native code is refused here");
  package.kernels[0].argument_bytes = {8, 9};
  EXPECT_EQ(MessageOf(package, &negate_),
            "p.vta: steps[1]: output y = 8 bytes: kernel negate takes 9");
  package = AddFiveThenNegate();
  package.inputs = {0, 1};
  EXPECT_EQ(MessageOf(package, &negate_), "p.vta: inputs = 1: the model has 2");
  package = AddFiveThenNegate();
  package.arena_bytes = int64_t{1} << 31;
  EXPECT_EQ(MessageOf(package, &negate_),
            StrCat("device functional: memory = ", int64_t{1} << 31,
                   " bytes: the largest free range has ", (int64_t{1} << 30) - 4096));
  package = AddFiveThenNegate();
  package.config->arch.token_capacity = 7;
  EXPECT_THAT(MessageOf(package, &negate_),
              testing::EndsWith("token_capacity 7 in the program, 3 in the device"));
  package = AddFiveThenNegate();
  package.programs[0].count = 99;
  EXPECT_THAT(MessageOf(package, &negate_), testing::StartsWith("p.vta: programs[0]"));
}

TEST_F(SessionTest, NeedsNoDeviceWithoutPrograms) {
  isa::Package package = AddFiveThenNegate();
  EXPECT_THAT([&] { Session(Load(package), nullptr); },
              testing::ThrowsMessage<Error>(
                  "p.vta: config = small: its programs need a device, and none is"));
  package.config.reset();
  EXPECT_EQ(MessageOf(package, &negate_),
            "p.vta: config: must be there: there are programs for an accelerator");
  package.code.clear(), package.programs.clear();
  package.steps.erase(package.steps.begin());
  package.steps[0].inputs = {0};
  Session session(Load(package), nullptr);
  const std::vector<uint8_t> input = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::span<const uint8_t> inputs[] = {input};
  EXPECT_THAT(Infer(session, inputs)[0], ElementsAre(0, 255, 254, 253, 252, 251, 250, 249));
}

TEST_F(SessionTest, FreesItsMemory) {
  for (int i = 0; i < 2000; ++i) {
    isa::Package package = AddFiveThenNegate();
    package.arena_bytes = int64_t{1} << 29;
    Session session(Load(std::move(package)), &device_);
  }
}

}  // namespace
}  // namespace vta::runtime
