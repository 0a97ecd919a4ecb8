// The allocator, the functional device behind the device interface, and the refusal of foreign
// programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "driver/allocator.h"
#include "driver/buffer.h"
#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/sim/program.h"

namespace vta::driver {
namespace {

using testing::ElementsAre;

TEST(Allocator, FirstFitAndReuse) {
  Allocator allocator("d", 0x1000, 0x6000);
  const uint64_t a = allocator.Allocate(1), b = allocator.Allocate(4097), c = allocator.Allocate(0);
  EXPECT_EQ(a, 0x1000u);
  EXPECT_EQ(b, 0x2000u);
  EXPECT_EQ(c, 0x4000u);
  allocator.Free(b);
  EXPECT_EQ(allocator.Allocate(0x1000), 0x2000u);
  EXPECT_EQ(allocator.Allocate(0x1000), 0x3000u);
  EXPECT_EQ(allocator.Allocate(0x1000), 0x5000u);
  EXPECT_EQ(ErrorOf([&] { allocator.Allocate(1); }),
            "device d: memory = 1 byte: the largest free range has 0");
  allocator.Free(a);
  EXPECT_EQ(ErrorOf([&] { allocator.Allocate(5000); }),
            "device d: memory = 5000 bytes: the largest free range has 4096");
  EXPECT_EQ(ErrorOf([&] { allocator.Free(0x2001); }),
            "device d: free = 0x2001: is not an allocation's address");
}

TEST(Allocator, CopiesStayInsideOneAllocation) {
  Allocator allocator("d", 0x1000, 0x9000);
  allocator.Allocate(0x1000);
  allocator.Allocate(0x1000);
  allocator.RequireInside(0x1000, 0x1000);
  allocator.RequireInside(0x2fff, 1);
  EXPECT_EQ(ErrorOf([&] { allocator.RequireInside(0x1fff, 2); }),
            "device d: copy = 0x1fff + 2 bytes: must lie inside one allocation");
  EXPECT_NE(ErrorOf([&] { allocator.RequireInside(0xfff, 1); }), "no error");
  EXPECT_NE(ErrorOf([&] { allocator.RequireInside(0x3000, 1); }), "no error");
  EXPECT_NE(ErrorOf([&] { allocator.RequireInside(0x1001, ~uint64_t{0}); }), "no error");
}

TEST(Buffer, FreesItsMemoryOnceAlsoWhenMoved) {
  FunctionalDevice device(sim::SmallConfig(), {.memory_bytes = 0x3000});
  {
    Buffer a(device, 10);
    Buffer b(std::move(a));
    EXPECT_EQ(b.address(), 0x1000u);
  }
  EXPECT_EQ(Buffer(device, 0x2000).address(), 0x1000u);
}

TEST(FunctionalDevice, CopiesLaunchesAndCounts) {
  FunctionalDevice device(sim::SmallConfig());
  Buffer data(device, 64), code(device, 64);
  std::vector<uint8_t> bytes = {1, 2, 3, 255};
  data.CopyIn(8, bytes);
  const isa::Layout layout(sim::SmallConfig());
  std::vector<uint8_t> words(32);
  isa::StoreWord(isa::Encode(layout, sim::LoadOf(isa::MemoryType::kAcc8, 0, 2, 1)), words.data());
  isa::StoreWord(isa::Encode(layout, sim::Finish()), words.data() + 16);
  code.CopyIn(0, words);
  isa::LaunchRequest request{code.address(), 2, {}};
  request.base.fill(data.address());
  device.Launch(request);
  const isa::LaunchResult result = device.Wait(kForever);
  EXPECT_EQ(isa::Describe(result), "finished");
  EXPECT_EQ(result.counters.bytes[static_cast<int>(isa::MemoryType::kAcc8)], 4);
  EXPECT_EQ(device.machine().scratchpads().acc.data()[3], -1);
  std::vector<uint8_t> back(6);
  data.CopyOut(7, back);
  EXPECT_THAT(back, ElementsAre(0, 1, 2, 3, 255, 0));
}

TEST(FunctionalDevice, WaitEndsAtItsLimit) {
  FunctionalDevice device(sim::SmallConfig());
  Buffer code(device, 32);
  const isa::Layout layout(sim::SmallConfig());
  isa::Instruction loop = sim::Loop(isa::Opcode::kGemm, 0, 16);
  loop.iter_out = loop.iter_in = 16383;
  std::vector<uint8_t> words(16);
  isa::StoreWord(isa::Encode(layout, loop), words.data());
  code.CopyIn(0, words);
  device.Launch({code.address(), 1, {}});
  EXPECT_EQ(device.Wait(std::chrono::milliseconds(5)).outcome, isa::Outcome::kStopped);
}

// A board: all that is known of it stands in its registers.
class Board : public FunctionalDevice {
 public:
  Board() : FunctionalDevice(sim::SmallConfig()) {}
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word) override {
    EXPECT_EQ(word, 0);
    return registers.at(first);
  }
  std::map<isa::Register, uint32_t> registers = {{isa::Register::kId, 0x31415456},
                                                 {isa::Register::kArchHashLow, 0x44},
                                                 {isa::Register::kArchHashHigh, 0x33},
                                                 {isa::Register::kTimingHashLow, 0x22},
                                                 {isa::Register::kTimingHashHigh, 0x11}};
};

TEST(IdFromRegisters, IsTheHashesOfTheHardware) {
  Board board;
  const DeviceId id = IdFromRegisters("board", board);
  EXPECT_EQ(id.name, "board");
  EXPECT_EQ(id.arch_hash, 0x3300000044u);
  EXPECT_EQ(id.timing_hash, 0x1100000022u);
  EXPECT_FALSE(id.config);
  board.registers[isa::Register::kId] = 0xdead;
  EXPECT_EQ(ErrorOf([&] { IdFromRegisters("board", board); }),
            "device board: register id = 0x0000dead: is not a VTA's, 0x31415456");
}

TEST(IdFromRegisters, WantsRegisters) {
  FunctionalDevice device(sim::SmallConfig());
  EXPECT_EQ(device.id().timing_hash, std::nullopt);
  EXPECT_EQ(ErrorOf([&] { IdFromRegisters("functional", device); }),
            "device functional: has no registers");
}

TEST(RequireSameArch, NamesBothSidesAndTheDifferences) {
  const isa::Config here = sim::SmallConfig();
  FunctionalDevice device(here);
  RequireSameArch(here, device.id(), "p.vta");
  isa::Config there = here;
  there.uarch.bus_bits = 512;  // timing only
  RequireSameArch(there, device.id(), "p.vta");
  there.name = "big";
  there.arch.block_in = 64;
  there.arch.mul = 0;
  EXPECT_EQ(ErrorOf([&] { RequireSameArch(there, device.id(), "p.vta"); }),
            StrCat("p.vta: arch hash = ", Hex(isa::ArchHash(there), 16),
                   " (config \"big\"): the device \"functional\" is ", Hex(isa::ArchHash(here), 16),
                   " (config \"small\"): block_in 64 in the program, 4 in the device; mul 0 in the "
                   "program, 1 in the device"));
  const DeviceId board{"board", 0x12, std::nullopt, std::nullopt};
  EXPECT_EQ(ErrorOf([&] { RequireSameArch(here, board, "p.vta"); }),
            StrCat("p.vta: arch hash = ", Hex(isa::ArchHash(here), 16),
                   " (config \"small\"): the device \"board\" is 0x0000000000000012"));
}

}  // namespace
}  // namespace vta::driver
