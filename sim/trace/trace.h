// The retirement trace: one event per retired instruction, the same from every engine, so that two
// engines can be compared instruction by instruction. The order within a module is the program's;
// between modules it is not fixed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/codec.h"
#include "isa/spec/modules.h"

namespace vta::sim {

/// What an instruction can write. The scratchpads are counted in rows (elements), DRAM in bytes.
enum class Space : uint8_t { kUop, kWgt, kInp, kAcc, kOut, kLut, kDram };
inline constexpr int kScratchpads = static_cast<int>(Space::kDram);  // those before it
std::string_view SpaceName(Space space);

/// A run of consecutive rows that an instruction wrote, with the values they hold once it is
/// complete.
struct Write {
  Space space = Space::kDram;
  int64_t first = 0, count = 0;  // rows; addresses and bytes for DRAM
  uint64_t hash = 0;             // of the values' bytes
  std::vector<uint8_t> values;   // as they lie in the memory; empty unless asked for
  bool operator==(const Write&) const = default;
};

/// How much of its writes an event tells.
enum class TraceDetail : uint8_t { kNone, kHashes, kValues };

/// Timing: made when every write of the instruction is visible and before it pushes a token, so the
/// values are its own in a race-free program.
struct Event {
  int64_t index = 0;  // in the stream
  uint64_t address = 0;
  isa::Module module = isa::Module::kLoad;
  isa::Word word;
  isa::Instruction instruction;
  isa::Fault fault =
      isa::Fault::kNone;      // the instruction halted its module after what `writes` holds
  std::vector<Write> writes;  // maximal runs, ascending by (space, first)
  bool operator==(const Event&) const = default;
};

/// Receives events. An engine holds a pointer to one, or null.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual TraceDetail detail() const = 0;
  virtual void Retire(const Event& event) = 0;
  /// The engine may stop the launch: nothing more is wanted.
  virtual bool done() const { return false; }
};

/// Keeps all events, by module.
class TraceRecorder : public TraceSink {
 public:
  explicit TraceRecorder(TraceDetail detail) : detail_(detail) {}
  TraceDetail detail() const override { return detail_; }
  void Retire(const Event& event) override {
    events_[static_cast<int>(event.module)].push_back(event);
  }
  const std::vector<Event>& events(isa::Module module) const {
    return events_[static_cast<int>(module)];
  }

 private:
  TraceDetail detail_;
  std::vector<Event> events_[isa::kModules];
};

/// Gathers the rows that an instruction wrote, in any order and with repetitions, and turns them
/// into Event::writes.
class WriteCollector {
 public:
  void Add(Space space, int64_t first, int64_t count);
  /// `bytes` is the whole memory, `row_bytes` the bytes of one row of it (1 for DRAM).
  /// Appends the runs of `space` to `writes`, then forgets them.
  void Finish(Space space, std::span<const uint8_t> bytes, int64_t row_bytes, TraceDetail detail,
              std::vector<Write>& writes);

 private:
  struct Run {
    int64_t first, end;
  };
  std::vector<Run> runs_[static_cast<int>(Space::kDram) + 1];
};

}  // namespace vta::sim
