// Requests to a board over a line that may lose them: each is answered once, or there is one error.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/serial/frame.h"
#include "driver/serial/line.h"
#include "isa/spec/serial.h"

namespace vta::driver {

/// What a board says of itself.
struct SerialIdentity {
  uint64_t memory_base = 0;
  int64_t memory_bytes = 0, clock_hz = 0;
};

struct SerialStatistics {
  int64_t requests = 0;
  int64_t resent = 0;   // frames that had to be sent again
  int64_t dropped = 0;  // frames of the board, or parts of them, that were damaged
  int64_t sent_bytes = 0, received_bytes = 0;
};

/// A request is sent again under its sequence number until it is answered, so what it does is done
/// once. After an error nothing more goes over the line.
/// Errors: all throw Error naming the line where the line is gone, where no answer comes, where the
/// board knows of no session any more, and where it refuses.
/// Units: addresses of registers are byte offsets in their page, of memory those of the bus.
class SerialLink {
 public:
  /// Begins a session. Errors: also where what answers is no VTA, or speaks another version.
  explicit SerialLink(std::unique_ptr<ByteLine> line);

  const std::string& name() const { return line_->name(); }
  const SerialIdentity& identity() const { return identity_; }
  SerialStatistics statistics() const;

  /// Consecutive registers.
  std::vector<uint32_t> ReadRegisters(uint32_t offset, int64_t words);
  void WriteRegisters(uint32_t offset, std::span<const uint32_t> values);
  /// Whole words of kMemoryWordBytes, any number of them.
  void ReadMemory(uint64_t address, std::span<uint8_t> bytes);
  void WriteMemory(uint64_t address, std::span<const uint8_t> bytes);
  void ClearMemory(uint64_t address, int64_t bytes);

 private:
  void Identify();
  std::vector<uint8_t> Request(isa::serial::Operation operation, uint64_t address = 0,
                               int64_t words = 0, std::span<const uint8_t> data = {});
  Frame Exchange(const Frame& request, size_t answer_bytes);
  bool Await(const Frame& request, size_t answer_bytes, std::chrono::nanoseconds limit,
             Frame& answer);

  std::unique_ptr<ByteLine> line_;
  FrameReader reader_;
  std::vector<uint8_t> came_;  // behind the last frame
  SerialIdentity identity_;
  SerialStatistics statistics_;
  uint8_t sequence_ = 0;
  bool identified_ = false, lost_ = false;
};

}  // namespace vta::driver
