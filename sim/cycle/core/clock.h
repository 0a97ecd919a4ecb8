// Cycles, and what is changed in one and seen in the next.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "isa/spec/timing.h"

namespace vta::sim::cycle {

/// Cycles count from that in which CONTROL.start is accepted, which is 0.
inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;
inline constexpr int64_t kLongAgo = -kNever;

/// Cycles [begin, end).
struct Span {
  int64_t begin, end;
};

/// Wall time: a launch that takes longer is stopped.
using Deadline = std::chrono::steady_clock::time_point;
struct Stopped {};

/// What looks at the clock on its own. In a cycle what it finds is what earlier cycles left.
enum class Agent : uint8_t { kFetch, kLoad, kCompute, kStore, kReads, kWrites };
inline constexpr int kAgents = 6;

/// The next cycle in which something can change for each agent.
class Schedule {
 public:
  Schedule() { next_.fill(kNever); }
  void Wake(Agent agent, int64_t cycle) {
    int64_t& next = next_[static_cast<int>(agent)];
    next = std::min(next, cycle);
  }
  /// Whether it is the agent's turn; forgets it.
  bool Take(Agent agent, int64_t cycle) {
    int64_t& next = next_[static_cast<int>(agent)];
    if (next > cycle) return false;
    next = kNever;
    ++evaluations_;
    return true;
  }
  int64_t Next() const { return *std::min_element(next_.begin(), next_.end()); }
  /// How often somebody looked.
  int64_t evaluations() const { return evaluations_; }

 private:
  std::array<int64_t, kAgents> next_;
  int64_t evaluations_ = 0;
};

/// A number in registers: what a cycle adds is seen in the next one.
class Counter {
 public:
  explicit Counter(int64_t value = 0) : now_(value), before_(value) {}
  int64_t At(int64_t cycle) const { return changed_ == cycle ? before_ : now_; }
  void Add(int64_t cycle, int64_t delta) {
    if (changed_ != cycle) before_ = now_, changed_ = cycle;
    now_ += delta;
  }

 private:
  int64_t now_, before_;
  int64_t changed_ = kLongAgo;
};

/// When a word of a queue in a block memory can be popped that was pushed in `pushed`, behind one
/// that was popped in `before`.
constexpr int64_t FifoReady(int64_t pushed, int64_t before) {
  return before <= pushed ? pushed + 1 : std::max(pushed + isa::timing::kFifoCycles, before + 1);
}

}  // namespace vta::sim::cycle
