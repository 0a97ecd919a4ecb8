// The board of bitstreams/boards/ecp5_85f as its RTL in Verilator, with its UART: bytes go in and
// come out bit by bit on the pins.
#pragma once

#include <deque>
#include <string>

#include "isa/config.h"
#include "tests/serial/far_end.h"

namespace vta::test {

class RtlBoard : public FarEnd {
 public:
  /// Clocks of a bit: the fewest that the design takes.
  static constexpr int kBitClocks = 4;
  static constexpr int64_t kMemoryKib = 256;

  /// Builds the model if it has to, unless `model` is the path of one, and resets it. Errors: as
  /// sim::BuildModel.
  explicit RtlBoard(const isa::Config& config, const std::string& model = {});
  ~RtlBoard() override;
  RtlBoard(const RtlBoard&) = delete;
  RtlBoard& operator=(const RtlBoard&) = delete;

  /// Errors: throws Error with the message of an assertion of the RTL that failed.
  std::vector<uint8_t> Pass(std::span<const uint8_t> bytes) override;
  bool is_quiet() const override;

  /// The reset pin, for some clocks.
  void Reset();
  /// The line as it is for one bit: for what is no byte. High where nothing is sent.
  void HoldLine(bool level, int bits);
  int64_t clocks() const { return clocks_; }

 private:
  uint8_t* Find(const char* port);
  void Clock();
  void DriveLine();
  void WatchLine();

  void *library_ = nullptr, *model_ = nullptr;
  int (*eval_)(void*) = nullptr;
  uint8_t *clk_ = nullptr, *rst_n_ = nullptr, *rx_ = nullptr, *tx_ = nullptr;
  std::deque<uint8_t> waiting_;  // bytes for the board
  int sent_bits_ = 0, sent_clocks_ = 0;
  uint32_t sending_ = 0;  // bits, the next one lowest
  int seen_clocks_ = -1;  // of the byte that the board sends; -1: none
  uint8_t seen_ = 0;
  std::vector<uint8_t> came_;
  int64_t clocks_ = 0, quiet_since_ = 0;
};

}  // namespace vta::test
