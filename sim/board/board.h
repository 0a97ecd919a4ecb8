// A board without the board: the host's registers and the memory on the bus of an accelerator that
// one of the engines plays. Drivers of boards are tried on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/config.h"
#include "sim/functional/scratchpads.h"
#include "sim/rtl/build.h"

namespace vta::sim {

/// What goes wrong from the next access on.
enum class BoardFault : uint8_t {
  kNone,
  kBusError,   // memory refuses every burst
  kDeadBus,    // memory answers nothing
  kStuck,      // the accelerator stays busy until it is reset
  kHung,       // and does not come out of the reset
  kWrongId,    // ID reads something else
  kWrongHash,  // the registers name another accelerator
  kForgetful,  // a launch is neither running nor done
  kNoAnswer,   // no register answers
  kAllOnes,    // nobody is at the registers' addresses, and the bus reads ones
};
/// "bus_error"
std::string_view BoardFaultName(BoardFault fault);
/// Errors: throws Error at `where` listing the names.
BoardFault FindBoardFault(const std::string& name, const std::string& where);

enum class BoardEngine : uint8_t { kFunctional, kCycle, kRtl };
/// "functional", as --engine has it. Errors: throws Error at `where` listing the names.
BoardEngine FindBoardEngine(const std::string& name, const std::string& where);

struct BoardOptions {
  BoardEngine engine = BoardEngine::kRtl;
  uint64_t memory_base = 0;  // bus address; a multiple of 4096
  int64_t memory_bytes = int64_t{256} << 20;
  ModelOptions model = {};  // of the RTL
};

/// Not to be used by two threads at once.
class Board {
 public:
  /// Errors: as BuildModel.
  Board(const isa::Config& config, const BoardOptions& options);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const isa::Config& config() const { return config_; }

  /// An access of the host's, which the RTL's port answers itself. Where a launch runs, time goes
  /// on with each: a read of STATUS is a wait of some hundred cycles of the RTL, and the end of a
  /// launch of the other engines. No value: the register does not answer, or refuses.
  /// Units: `offset` is a byte address, a multiple of 4.
  std::optional<uint32_t> Read(uint32_t offset);
  bool Write(uint32_t offset, uint32_t value);
  /// The line, as the last access left it.
  bool interrupt() const;
  /// Time goes on as with a read of STATUS.
  void Advance();

  /// What the accelerator finds at memory_base.
  std::span<uint8_t> memory() { return {memory_.data(), static_cast<size_t>(memory_.size())}; }
  uint64_t memory_base() const { return options_.memory_base; }

  void set_fault(BoardFault fault);

  /// What is behind the registers.
  class Engine;

 private:
  isa::Config config_;
  BoardOptions options_;
  AlignedArray<uint8_t> memory_;
  std::unique_ptr<Engine> engine_;
  BoardFault fault_ = BoardFault::kNone;
  bool lost_ = false;  // a launch that was started under such a fault
};

}  // namespace vta::sim
