// The memory behind the RTL's AXI4 port: contents, and when the handshakes come.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "isa/register_launch.h"
#include "sim/memory/arbiter.h"
#include "sim/memory/dram.h"
#include "sim/memory/traffic.h"
#include "sim/rtl/model/abi.h"

namespace vta::sim {

using isa::kAddressMask;

/// Reads and writes outside the memory are refused (DECERR), burst by burst. It takes bursts of
/// whole beats at addresses that grow.
class Bus {
 public:
  Bus(const VtaPorts& ports, const isa::Config& config);

  /// The memory of the launches to come, borrowed, and the bus address of its first byte. Units:
  /// both are multiples of 4096 bytes.
  void set_memory(std::span<uint8_t> memory, uint64_t base = 0) { memory_ = memory, base_ = base; }
  /// From now on every handshake waits at random, and reads of different clients overtake; without
  /// a seed, the timing model again.
  void set_random(std::optional<uint64_t> seed);
  /// A dead bus takes and answers nothing.
  void set_dead(bool dead) { is_dead_ = dead; }
  /// Called with place in the memory and bytes of each beat that is written.
  void set_on_write(std::function<void(uint64_t, int64_t)> call) { on_write_ = std::move(call); }

  /// Each launch finds the channel free and no row open, where nothing is under way.
  void BeginLaunch() {
    EndTraffic();
    if (outstanding_ == 0) timing_ = DramTiming(config_, beat_bytes_);
  }
  /// From this cycle on, which is the traffic's cycle 0, a second master contends for the memory.
  void BeginTraffic(const Traffic& traffic, int64_t cycle);
  void EndTraffic();

  /// Sets the inputs of a cycle, then, once the outputs have settled, takes its handshakes.
  /// Errors: throws Error for a burst that it does not take, and for a WLAST at the wrong beat.
  void Drive(int64_t cycle);
  void Take(int64_t cycle);

  /// Since power-on, refused beats included.
  int64_t read_bytes() const { return read_beats_ * beat_bytes_; }
  int64_t written_bytes() const { return written_beats_ * beat_bytes_; }

 private:
  struct Burst {
    uint64_t address = 0;  // in the memory
    int64_t beats = 0, done = 0;
    int64_t next = 0;  // cycle of the next beat
    int id = 0;
    bool refused = false;
    int64_t response = 0;  // of a write, once its beats are taken
  };
  Burst BurstOf(const char* channel, uint64_t address, uint8_t len, uint8_t size, uint8_t burst,
                uint8_t id) const;
  void WriteBeat(Burst& burst);
  int64_t Free(int64_t cycle);
  void Arbitrate(int64_t cycle);
  void TakeTraffic(int64_t cycle);
  bool Luck(int percent) { return static_cast<int>(random_() % 100) < percent; }
  Burst* ChooseRead(int64_t cycle);

  const VtaPorts& ports_;
  int64_t beat_bytes_;
  isa::Memory config_;
  DramTiming timing_;
  std::span<uint8_t> memory_;
  uint64_t base_ = 0;
  std::function<void(uint64_t, int64_t)> on_write_;
  bool is_random_ = false, is_dead_ = false;
  int stall_percent_ = 0;
  std::mt19937_64 random_;
  std::deque<Burst> reads_, writes_, responses_;
  int64_t outstanding_ = 0;  // bursts in the three
  std::optional<Traffic> traffic_;
  int64_t traffic_begin_ = 0;          // cycle
  std::vector<int64_t> traffic_ends_;  // cycles, of its bursts that may be under way
  Arbiter arbiter_;
  Arbiter::Taken taken_;      // in this cycle, where there is traffic
  Burst* reading_ = nullptr;  // whose beat is on R until it is taken
  int64_t read_beats_ = 0, written_beats_ = 0;
};

}  // namespace vta::sim
