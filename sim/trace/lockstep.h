// Lockstep comparison: two engines feed the two sides, and the first event of a module that differs
// is kept.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "isa/launch.h"
#include "sim/trace/trace.h"

namespace vta::sim {

/// What messages call the two sides.
struct SideNames {
  std::string left = "left", right = "right";
};

/// The first difference found, where it is and what differs in words: "compute, instruction 12
/// (0x10c0)" and "acc row 5, lane 3: left 1, right 2".
struct Difference {
  isa::Module module = isa::Module::kLoad;
  std::optional<Event> left, right;  // absent: that side ended first
  std::string place, what;
  std::string text() const { return place + ": " + what; }
};

/// Compares per module, in whatever order the two sides deliver. Once a difference is found the
/// sides want no more.
class Lockstep {
 public:
  explicit Lockstep(TraceDetail detail = TraceDetail::kValues, SideNames names = {});
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
    bool done() const override { return owner_.found(); }
    void Retire(const Event& event) override;
    std::deque<Event> pending[isa::kModules];

   private:
    Lockstep& owner_;
    TraceDetail detail_;
  };
  void Compare(isa::Module module);
  Difference OnlyOne(const Event& event, bool is_left) const;

  SideNames names_;
  Side left_, right_;
  std::optional<Difference> difference_;
  int64_t compared_ = 0;
};

/// What differs between two events of one module, or "" if nothing does.
std::string CompareEvents(const Event& left, const Event& right, const SideNames& names = {});

/// What differs between the ends of one launch on two engines, a line each, or "": outcome, where
/// each module stands, the work done. Time is not compared, nor how far fetch ran ahead.
std::string CompareResults(const isa::LaunchResult& left, const isa::LaunchResult& right,
                           const SideNames& names = {});

}  // namespace vta::sim
