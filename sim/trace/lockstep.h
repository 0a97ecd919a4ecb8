// Lockstep comparison: two engines feed the two sides, and the first event of a module that differs
// is kept.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "sim/trace/trace.h"

namespace vta::sim {

/// The first difference found, and what differs in words: "compute, instruction 12 (0x10c0): acc
/// row 5, byte 3: left 0x01, right 0x02".
struct Difference {
  isa::Module module = isa::Module::kLoad;
  std::optional<Event> left, right;  // absent: that side ended first
  std::string text;
};

/// Compares per module, in whatever order the two sides deliver. Engines may ask found() to stop
/// early.
class Lockstep {
 public:
  explicit Lockstep(TraceDetail detail = TraceDetail::kValues);
  TraceSink& left() { return left_; }
  TraceSink& right() { return right_; }
  /// Both sides have delivered all their events: what one has more of is a difference.
  void Finish();
  bool found() const { return difference_.has_value(); }
  const std::optional<Difference>& difference() const { return difference_; }
  int64_t compared() const { return compared_; }

 private:
  class Side : public TraceSink {
   public:
    Side(Lockstep& owner, TraceDetail detail) : owner_(owner), detail_(detail) {}
    TraceDetail detail() const override { return detail_; }
    void Retire(const Event& event) override;
    std::deque<Event> pending[isa::kModules];

   private:
    Lockstep& owner_;
    TraceDetail detail_;
  };
  void Compare(isa::Module module);

  Side left_, right_;
  std::optional<Difference> difference_;
  int64_t compared_ = 0;
};

/// What differs between two events of one module, or "" if nothing does.
std::string CompareEvents(const Event& left, const Event& right);

}  // namespace vta::sim
