#include "sim/board/board.h"

#include <algorithm>

#include "isa/spec/registers.h"
#include "isa/support/error.h"
#include "sim/board/engine.h"

namespace vta::sim {

using isa::Register;

namespace {

constexpr std::string_view kFaults[] = {"none",      "bus_error", "dead_bus",   "stuck",
                                        "hung",      "wrong_id",  "wrong_hash", "forgetful",
                                        "no_answer", "all_ones"};
constexpr std::string_view kEngines[] = {"functional", "cycle", "rtl"};

template <typename Enum, size_t kCount>
Enum Find(const std::string_view (&names)[kCount], const std::string& name,
          const std::string& where) {
  const auto found = std::ranges::find(names, name);
  if (found != std::end(names)) return static_cast<Enum>(found - std::begin(names));
  std::string all;
  for (const std::string_view one : names) all += StrCat(all.empty() ? "" : ", ", std::string(one));
  throw Error(where, "", name, "must be one of " + all);
}

std::unique_ptr<Board::Engine> MakeEngine(const isa::Config& config, const BoardOptions& options) {
  if (options.engine == BoardEngine::kRtl)
    return MakeRtlEngine(config, options.memory_base, options.model);
  return MakeModelEngine(config, options.memory_base, options.engine == BoardEngine::kCycle);
}

bool Is(uint32_t offset, Register reg) { return offset == static_cast<uint32_t>(reg); }

}  // namespace

std::string_view BoardFaultName(BoardFault fault) { return kFaults[static_cast<int>(fault)]; }

BoardFault FindBoardFault(const std::string& name, const std::string& where) {
  return Find<BoardFault>(kFaults, name, where);
}

BoardEngine FindBoardEngine(const std::string& name, const std::string& where) {
  return Find<BoardEngine>(kEngines, name, where);
}

Board::Board(const isa::Config& config, const BoardOptions& options)
    : config_(config),
      options_(options),
      memory_(options.memory_bytes),
      engine_(MakeEngine(config, options)) {
  set_fault(BoardFault::kNone);
}

Board::~Board() = default;

void Board::set_fault(BoardFault fault) {
  fault_ = fault;
  engine_->SetMemory(fault == BoardFault::kBusError ? std::span<uint8_t>() : memory(),
                     fault == BoardFault::kDeadBus);
}

bool Board::interrupt() const { return fault_ != BoardFault::kNoAnswer && engine_->interrupt(); }

void Board::Advance() { engine_->Advance(); }

std::optional<uint32_t> Board::Read(uint32_t offset) {
  if (fault_ == BoardFault::kNoAnswer) return std::nullopt;
  if (fault_ == BoardFault::kAllOnes) return ~0u;
  if (Is(offset, Register::kStatus)) {
    if (lost_) return fault_ == BoardFault::kForgetful ? 0 : isa::kStatusBusy;
    Advance();
  }
  std::optional<uint32_t> value = engine_->Read(offset);
  if (value && fault_ == BoardFault::kWrongId && Is(offset, Register::kId)) *value ^= 1;
  if (value && fault_ == BoardFault::kWrongHash && Is(offset, Register::kArchHashLow)) *value ^= 1;
  return value;
}

// A launch under some faults is lost on its way to the engine.
bool Board::Write(uint32_t offset, uint32_t value) {
  if (fault_ == BoardFault::kNoAnswer) return false;
  if (fault_ == BoardFault::kAllOnes) return true;
  if (Is(offset, Register::kControl)) {
    if (value & isa::kControlReset) lost_ &= fault_ == BoardFault::kHung;
    if (value & isa::kControlStart)
      lost_ |= fault_ == BoardFault::kStuck || fault_ == BoardFault::kHung ||
               fault_ == BoardFault::kForgetful;
    if (lost_) return true;
  }
  return engine_->Write(offset, value);
}

}  // namespace vta::sim
