// What is behind a board's registers: one of the engines.
#pragma once

#include "sim/board/board.h"

namespace vta::sim {

class Board::Engine {
 public:
  virtual ~Engine() = default;
  virtual std::optional<uint32_t> Read(uint32_t offset) = 0;
  virtual bool Write(uint32_t offset, uint32_t value) = 0;
  virtual bool interrupt() const = 0;
  /// Goes on with the launch that runs, if one does.
  virtual void Advance() = 0;
  /// What answers on the bus. `is_dead`: nothing does.
  virtual void SetMemory(std::span<uint8_t> memory, bool is_dead) = 0;
};

/// Units: `base` is the bus address of the memory's first byte.
std::unique_ptr<Board::Engine> MakeRtlEngine(const isa::Config& config, uint64_t base,
                                             const ModelOptions& model);
/// Without `timed` its counters of cycles read 0.
std::unique_ptr<Board::Engine> MakeModelEngine(const isa::Config& config, uint64_t base,
                                               bool timed);

}  // namespace vta::sim
