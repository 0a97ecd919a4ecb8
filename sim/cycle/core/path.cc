#include "sim/cycle/core/path.h"

#include <algorithm>

namespace vta::sim::cycle {

using isa::Cause;
using isa::Queue;

namespace {

// Who pushes into a queue and who pops there, in order.
struct Users {
  std::vector<int64_t> pushes, pops;
};

std::array<Users, isa::kQueues> UsersOf(std::span<const Insn* const> insns) {
  std::array<Users, isa::kQueues> users;
  for (const Insn* insn : insns) {
    if (insn->fault != isa::Fault::kNone) continue;
    const isa::Module module = insn->module;
    const bool prev = module != isa::Module::kLoad, next = module != isa::Module::kStore;
    const auto of = [&](Queue queue) -> Users& { return users[static_cast<size_t>(queue)]; };
    const isa::Instruction& f = insn->fields;
    if (prev && f.pop_prev) of(isa::PopQueue(module, false)).pops.push_back(insn->index);
    if (next && f.pop_next) of(isa::PopQueue(module, true)).pops.push_back(insn->index);
    if (prev && f.push_prev) of(isa::PushQueue(module, false)).pushes.push_back(insn->index);
    if (next && f.push_next) of(isa::PushQueue(module, true)).pushes.push_back(insn->index);
  }
  return users;
}

// The one at the other end, or -1.
int64_t OtherEnd(const std::vector<int64_t>& own, int64_t index, const std::vector<int64_t>& others,
                 int64_t behind) {
  const auto at = std::lower_bound(own.begin(), own.end(), index);
  if (at == own.end() || *at != index) return -1;
  const int64_t ordinal = at - own.begin() - behind;
  return ordinal >= 0 && ordinal < std::ssize(others) ? others[static_cast<size_t>(ordinal)] : -1;
}

bool Idles(const CauseSlice& slice) {
  return slice.cause == Cause::kNothing || slice.cause == Cause::kInstruction;
}

class Walk {
 public:
  Walk(const UnitSlices& slices, int64_t begin, std::span<const int64_t> ends, int unit)
      : slices_(slices),
        ends_(ends),
        begin_(begin),
        at_(ends.back()),
        path_{std::vector<UnitCauses>(ends.size()), unit} {
    for (int u = 0; u < isa::kUnits; ++u) cursor_[u] = std::ssize(slices[u]) - 1;
  }

  Path Run() {
    int& unit = path_.from;
    while (at_ > begin_) {
      unsigned seen = 0;
      // No unit waits for itself, unless the machine stood still, which is at the launch's end.
      for (int next = unit; next >= 0 && (seen >> next & 1u) == 0; next = WaitsFor(next))
        seen |= 1u << next, unit = next;
      const CauseSlice& slice = Slice(unit);
      Add(unit, slice);
      at_ = slice.begin;
    }
    return std::move(path_);
  }

 private:
  // Up to at_, which lies in part_ or at its end.
  void Add(int unit, const CauseSlice& slice) {
    for (int64_t upto = at_; upto > slice.begin;) {
      while (PartBegin() >= upto) --part_;
      const int64_t from = std::max(slice.begin, PartBegin());
      path_.parts[part_][unit][static_cast<int>(slice.cause)] += upto - from;
      upto = from;
    }
  }
  int64_t PartBegin() const { return part_ == 0 ? begin_ : ends_[part_ - 1]; }
  // What a unit does in the cycle before at_.
  const CauseSlice& Slice(int unit) {
    while (slices_[unit][static_cast<size_t>(cursor_[unit])].begin >= at_) --cursor_[unit];
    return slices_[unit][static_cast<size_t>(cursor_[unit])];
  }
  // The unit that it waits for, or -1.
  int WaitsFor(int unit) {
    const CauseSlice& slice = Slice(unit);
    switch (slice.cause) {
      case Cause::kToken:
        return isa::UnitOf(isa::Spec(slice.queue).from);
      case Cause::kSpace:
        return unit == isa::kFetchUnit ? slice.by : isa::UnitOf(isa::Spec(slice.queue).to);
      case Cause::kInstruction:
        return isa::kFetchUnit;
      case Cause::kBarrier:
        for (isa::Module module : {isa::Module::kStore, isa::Module::kLoad})
          if (!Idles(Slice(isa::UnitOf(module)))) return isa::UnitOf(module);
        return -1;
      default:
        return -1;
    }
  }

  const UnitSlices& slices_;
  std::span<const int64_t> ends_;
  int64_t begin_, at_;
  size_t part_ = ends_.size() - 1;
  std::array<int64_t, isa::kUnits> cursor_;
  Path path_;
};

}  // namespace

void FindOtherEnds(std::span<const Insn* const> insns, int64_t token_capacity, UnitSlices& slices) {
  const std::array<Users, isa::kQueues> users = UsersOf(insns);
  for (int u = isa::kFetchUnit + 1; u < isa::kUnits; ++u)
    for (CauseSlice& slice : slices[u]) {
      const Users& of = users[static_cast<size_t>(slice.queue)];
      if (slice.cause == Cause::kToken)
        slice.other = OtherEnd(of.pops, slice.index, of.pushes, 0);
      else if (slice.cause == Cause::kSpace)
        slice.other = OtherEnd(of.pushes, slice.index, of.pops, token_capacity);
    }
}

int LastToEnd(const UnitSlices& slices) {
  int last = isa::UnitOf(isa::Module::kCompute);
  int64_t latest = 0;
  for (int u = 0; u < isa::kUnits; ++u) {
    const auto slice = std::find_if_not(slices[u].rbegin(), slices[u].rend(), Idles);
    if (slice != slices[u].rend() && slice->end > latest) latest = slice->end, last = u;
  }
  return last;
}

Path CriticalPath(const UnitSlices& slices, int64_t begin, std::span<const int64_t> ends,
                  int unit) {
  return Walk(slices, begin, ends, unit).Run();
}

}  // namespace vta::sim::cycle
