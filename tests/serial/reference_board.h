// The board of bitstreams/boards/ecp5_85f in C++: what hw/serial does, over a simulated board. It
// is written from isa/spec/serial.h, takes no time, and so does not lose what comes while it
// answers.
#pragma once

#include "driver/serial/frame.h"
#include "isa/spec/registers.h"
#include "isa/spec/serial.h"
#include "sim/board/board.h"
#include "tests/serial/far_end.h"

namespace vta::test {

class ReferenceBoard : public FarEnd {
 public:
  static constexpr uint64_t kBase = 0x8000'0000;
  static constexpr uint32_t kClockHz = 25'000'000;

  ReferenceBoard(const isa::Config& config, sim::BoardEngine engine, int64_t memory_kib)
      : memory_bytes_(static_cast<uint64_t>(memory_kib) * 1024),
        board_(config,
               {.engine = engine, .memory_base = kBase, .memory_bytes = memory_kib * 1024}) {}

  std::vector<uint8_t> Pass(std::span<const uint8_t> bytes) override;
  bool is_quiet() const override { return true; }

  sim::Board& board() { return board_; }
  /// As its reset button does to the bridge.
  void Forget() { session_ = false; }
  /// Requests that were carried out.
  int64_t executed() const { return executed_; }

 private:
  std::vector<uint8_t> Answer(const driver::Frame& request);
  isa::serial::Status Judge(const driver::Frame& request) const;
  isa::serial::Status Execute(const driver::Frame& request, std::vector<uint8_t>& data);

  uint64_t memory_bytes_;
  sim::Board board_;
  driver::FrameReader reader_;
  bool session_ = false;
  uint8_t operation_ = 0, sequence_ = 0;  // of the request before
  isa::serial::Status last_ = isa::serial::Status::kDone;
  int64_t executed_ = 0;
};

}  // namespace vta::test
