// Turns what the RTL's trace ports say into the events of the common retirement trace.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "isa/launch.h"
#include "sim/rtl/model/abi.h"
#include "sim/trace/trace.h"

namespace vta::sim {

/// Keeps copies of the scratchpads from the writes it sees; they live as long as the model's.
class Tracer {
 public:
  Tracer(const VtaPorts& ports, const isa::Layout& layout);

  /// The events of the launch to come go to `sink` (null: nowhere). `memory` and `program`, the
  /// instructions as they are when the launch starts, are borrowed.
  void Begin(TraceSink* sink, const isa::LaunchRequest& launch, std::span<const isa::Word> program,
             std::span<const uint8_t> memory);
  /// Looks at a cycle whose outputs have settled.
  void Observe();
  /// Bytes of memory were written.
  void Wrote(uint64_t address, int64_t bytes);
  /// The launch has ended: reports the instructions that halted their modules.
  void End();

 private:
  static constexpr int kUnits = 2;  // of the compute module
  /// Who writes: load, a unit of compute (a LOAD is its first one's), store.
  static constexpr int kWriters = isa::kModules + kUnits - 1;
  static int WriterOf(isa::Module module, int unit);

  void Mark(int writer, Space space, int64_t first, int64_t count);
  void ObserveLoad();
  void ObserveUnit(int unit);
  void ObserveUops();
  void ObserveLut();
  void Complete(int writer);
  void Retire(isa::Module module, int64_t index, isa::Fault fault);
  std::vector<uint8_t>& pad(Space space) { return pads_[static_cast<int>(space)]; }

  const VtaPorts& ports_;
  const isa::Layout& layout_;
  int64_t beat_bytes_;
  std::array<int64_t, kScratchpads> row_bytes_;
  std::array<std::vector<uint8_t>, kScratchpads> pads_;
  std::array<WriteCollector, kWriters> writes_;  // of what is under way
  // Of what is complete and has not retired: other instructions may write there before it does.
  std::array<std::deque<std::vector<Write>>, kWriters> complete_;
  TraceSink* sink_ = nullptr;
  isa::LaunchRequest launch_;
  std::span<const isa::Word> program_;
  std::span<const uint8_t> memory_;
};

}  // namespace vta::sim
