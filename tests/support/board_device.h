// The simulated board as a device whose host and accelerator share one memory: what a driver of
// boards does between registers and memory, and nothing else.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "driver/allocator.h"
#include "driver/registers/register_device.h"
#include "isa/support/error.h"
#include "sim/board/board.h"

namespace vta::test {

class BoardDevice : public driver::RegisterDevice {
 public:
  /// `board` is borrowed; it says that it runs at `clock_mhz`, or nothing of that.
  BoardDevice(const isa::Config& config, sim::Board& board,
              std::optional<double> clock_mhz = std::nullopt)
      : RegisterDevice("board", config),
        board_(board),
        port_(board),
        allocator_("board", board.memory_base(), board.memory_base() + board.memory().size()) {
    Attach(port_, false, clock_mhz);
  }
  ~BoardDevice() override { Detach(); }

  uint64_t Allocate(int64_t bytes) override { return allocator_.Allocate(bytes); }
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    std::ranges::copy(bytes, At(address, bytes.size()));
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    std::copy_n(At(address, bytes.size()), bytes.size(), bytes.data());
  }

 private:
  class Port : public isa::RegisterPort {
   public:
    explicit Port(sim::Board& board) : board_(board) {}
    uint32_t ReadWord(uint32_t offset) override {
      const std::optional<uint32_t> value = board_.Read(offset);
      if (!value) throw Error("board", "register", Hex(offset, 3), "does not answer");
      return *value;
    }
    void WriteWord(uint32_t offset, uint32_t value) override {
      if (!board_.Write(offset, value))
        throw Error("board", "register", Hex(offset, 3), "does not answer");
    }

   private:
    sim::Board& board_;
  };

  uint8_t* At(uint64_t address, size_t bytes) {
    allocator_.RequireInside(address, bytes);
    return board_.memory().data() + (address - board_.memory_base());
  }

  sim::Board& board_;
  Port port_;
  driver::Allocator allocator_;
};

}  // namespace vta::test
