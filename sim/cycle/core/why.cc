#include "sim/cycle/core/why.h"

#include <algorithm>

#include "isa/support/error.h"
#include "sim/cycle/core/path.h"

namespace vta::sim::cycle {

using isa::Cause;

void Record::Add(Slices& slices, int64_t begin, int64_t end, const Reason& reason) {
  if (!slices.empty()) begin = std::max(begin, slices.back().end);
  if (begin >= end) return;
  CauseSlice slice;
  slice.begin = begin, slice.end = end;
  slice.cause = reason.cause, slice.queue = reason.queue;
  slice.index = reason.index, slice.by = reason.by;
  slices.push_back(slice);
}

void Record::Turn(int64_t cycle, const Reason& reason) {
  if (!turns_.empty()) {
    CauseSlice& last = turns_.back();
    if (last.cause == reason.cause && last.index == reason.index && last.queue == reason.queue &&
        last.by == reason.by)
      return;
    last.end = cycle;
    if (last.begin == cycle) turns_.pop_back();
  }
  CauseSlice slice;
  slice.begin = cycle, slice.end = kNever;
  slice.cause = reason.cause, slice.queue = reason.queue;
  slice.index = reason.index, slice.by = reason.by;
  turns_.push_back(slice);
}

void Record::WaitForBurst(int64_t begin, int64_t end, const BurstWay& way, int64_t index) {
  int64_t at = begin;
  const auto upto = [&](int64_t cycle, Cause cause, int by = -1) {
    cycle = std::min(cycle, end);
    if (cycle <= at) return;
    Wait(at, cycle, {cause, index, {}, by});
    at = cycle;
  };
  const auto behind = [&](int64_t cycle, int by) {
    const bool own = by == way.unit;
    upto(cycle, own ? Cause::kBandwidth : Cause::kContention, own ? -1 : by);
  };
  upto(way.asked, Cause::kPipeline);
  upto(way.room, Cause::kBandwidth);
  behind(way.granted, way.grant_by);
  upto(way.granted + 1, Cause::kPipeline);
  behind(way.accepted, way.beats_by);
  upto(way.accepted + 1, Cause::kPipeline);
  upto(way.accepted + 1 + way.latency, Cause::kLatency);
  if (way.opening.begin < way.opening.end) {
    behind(way.opening.begin, way.beats_by);
    upto(way.opening.end, Cause::kRowMiss);
  }
  behind(way.first, way.beats_by);
  // Through the buffer; later beats come when they come.
  upto(way.first + isa::timing::kFifoCycles, Cause::kPipeline);
  upto(end, Cause::kBandwidth);
}

// Both in order and without overlaps.
Record::Slices Record::Painted(const Slices& under, const Slices& over) {
  Slices out;
  out.reserve(under.size() + 2 * over.size());
  auto on_top = over.begin();
  for (CauseSlice slice : under) {
    while (slice.begin < slice.end) {
      while (on_top != over.end() && on_top->end <= slice.begin) ++on_top;
      CauseSlice part = slice;
      if (on_top != over.end() && on_top->begin <= slice.begin) {
        part = *on_top;
        part.begin = slice.begin, part.end = std::min(slice.end, on_top->end);
        // What lies over several turns stays one.
        if (!out.empty() && on_top->begin < slice.begin && out.back().end == slice.begin &&
            out.back().cause == part.cause && out.back().index == part.index &&
            out.back().queue == part.queue && out.back().by == part.by) {
          out.back().end = slice.begin = part.end;
          continue;
        }
      } else if (on_top != over.end()) {
        part.end = std::min(slice.end, on_top->begin);
      }
      out.push_back(part);
      slice.begin = part.end;
    }
  }
  return out;
}

std::vector<CauseSlice> Record::Take(int unit, int64_t end) {
  Slices turns;
  for (CauseSlice slice : turns_) {
    slice.begin = std::max<int64_t>(slice.begin, 1), slice.end = std::min(slice.end, end);
    if (slice.begin < slice.end) turns.push_back(slice);
  }
  // Nothing comes behind the last one.
  if (!turns.empty() && turns.back().cause == Cause::kInstruction)
    turns.back().cause = Cause::kNothing;
  Slices slices = Painted(Painted(turns, waits_), works_);
  for (CauseSlice& slice : slices) slice.unit = unit;
  *this = {};
  return slices;
}

std::vector<isa::Causes> Why::Take(std::span<const int64_t> ends,
                                   std::span<const Insn* const> insns, int64_t token_capacity,
                                   Timeline* timeline) {
  std::vector<isa::Causes> causes(ends.size());
  UnitSlices slices;
  for (int u = 0; u < isa::kUnits; ++u) {
    slices[u] = units[u].Take(u, ends.back());
    size_t part = 0;
    for (const CauseSlice& slice : slices[u])
      for (int64_t at = slice.begin; at < slice.end;) {
        while (ends[part] <= at) ++part;
        const int64_t upto = std::min(slice.end, ends[part]);
        causes[part].spent[u][static_cast<int>(slice.cause)] += upto - at;
        at = upto;
      }
  }
  FindOtherEnds(insns, token_capacity, slices);
  const auto path = CriticalPath(slices, ends);
  for (size_t part = 0; part < ends.size(); ++part) causes[part].path = path[part];
  if (timeline)
    for (const std::vector<CauseSlice>& of_unit : slices)
      timeline->causes.insert(timeline->causes.end(), of_unit.begin(), of_unit.end());
  return causes;
}

}  // namespace vta::sim::cycle
