// A board with UIO as this process sees it, for tests: its files, its settings, a driver, a
// program.
#pragma once

#include <gtest/gtest.h>

#include "driver/buffer.h"
#include "driver/uio/uio_device.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/uio/fake/devices.h"
#include "tests/uio/fake_folder.h"
#include "tests/unit/sim/program.h"

namespace vta::driver::uio {
using test::uio::Devices;
using test::uio::FakeBoard;

inline const std::vector<uint8_t> kGiven = {1, 2, 3, 4, 5, 6, 7, 0x7e};
inline const std::vector<uint8_t> kStored = {2, 3, 4, 5, 6, 7, 8, 0x7f};
inline constexpr int64_t kOutput = 256;

class UioTest : public testing::Test {
 protected:
  UioTest() : config_(isa::LoadConfig(ConfigPath())) { Set(""); }
  ~UioTest() override { Devices::Get().SetRoot(""); }

  static std::string ConfigPath() { return SourcePath("tests/rtl/configs/extended_8x8.json"); }

  // A board with those settings, as JSON.
  void Set(const std::string& more) {
    folder_.Write("/board.json", StrCat("{\"config\": \"", ConfigPath(), "\"", more, "}"));
    Devices::Get().SetRoot(folder_.root());
  }
  std::unique_ptr<Device> Open(const std::string& where = "") { return OpenUio(where, config_); }
  std::string OpenError(const std::string& where = "") {
    return ErrorOf([&] { Open(where); });
  }
  static FakeBoard& board() { return Devices::Get().board(); }

  // Loads bytes as accumulators, adds 1 and stores them.
  isa::LaunchResult Launch(Device& device, const Buffer& data, const Buffer& code) {
    isa::Instruction add = sim::AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_next = 1;
    isa::Instruction store = sim::StoreOf(0, kOutput / 8, 1);
    store.pop_prev = 1;
    const std::vector<isa::Instruction> program = {sim::LoadOf(isa::MemoryType::kUop, 0, 16, 1),
                                                   sim::LoadOf(isa::MemoryType::kAcc8, 0, 0, 1),
                                                   add, store, sim::Finish()};
    std::vector<uint8_t> words(program.size() * isa::kInstructionBytes);
    for (size_t i = 0; i < program.size(); ++i)
      isa::StoreWord(isa::Encode(isa::Layout(config_), program[i]),
                     words.data() + i * isa::kInstructionBytes);
    device.CopyIn(code.address(), words);
    isa::LaunchRequest request{code.address(), std::ssize(program), {}};
    request.base.fill(data.address());
    device.Launch(request);
    return device.Wait(kForever);
  }
  std::vector<uint8_t> Run(Device& device) {
    Buffer data(device, 0x1000), code(device, 0x1000);
    data.CopyIn(0, kGiven);
    EXPECT_EQ(Launch(device, data, code).outcome, isa::Outcome::kFinished);
    std::vector<uint8_t> stored(kStored.size());
    data.CopyOut(kOutput, stored);
    return stored;
  }
  void ExpectWorks() { EXPECT_EQ(Run(*Open()), kStored); }

  test::uio::FakeFolder folder_;
  isa::Config config_;
};

}  // namespace vta::driver::uio
