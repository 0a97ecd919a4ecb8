#include "sim/cycle/core/why.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::sim::cycle {

using isa::Cause;

void Record::Add(Slices& slices, int64_t begin, int64_t end, const Reason& reason) const {
  if (!slices.empty()) begin = std::max(begin, slices.back().end);
  if (begin >= end) return;
  VTA_CHECK(begin >= taken_, begin, " ", taken_);
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

int64_t Record::SaidTo(int64_t cycle) const {
  const CauseSlice& last = turns_.back();
  return last.cause == Cause::kInstruction ? std::min(cycle, last.begin) : cycle;
}

// Nothing comes behind the last one.
void Record::Close(int64_t end) {
  while (!turns_.empty() && turns_.back().begin >= end) turns_.pop_back();
  if (!turns_.empty() && turns_.back().cause == Cause::kInstruction)
    turns_.back().cause = Cause::kNothing;
}

std::vector<CauseSlice> Record::Take(int unit, int64_t begin, int64_t end) {
  Slices turns;
  for (CauseSlice slice : turns_) {
    slice.begin = std::max(slice.begin, begin), slice.end = std::min(slice.end, end);
    if (slice.begin < slice.end) turns.push_back(slice);
  }
  Slices slices = Painted(Painted(turns, waits_), works_);
  for (CauseSlice& slice : slices) slice.unit = unit;
  for (Slices* kept : {&turns_, &waits_, &works_}) {
    const auto ended = [&](const CauseSlice& slice) { return slice.end <= end; };
    kept->erase(kept->begin(), std::ranges::find_if_not(*kept, ended));
  }
  taken_ = end;
  return slices;
}

// Waits that begin later do not wait for anything that those bursts waited for.
void Ways::DropBefore(int64_t cycle) {
  for (; !ways_.empty() && ways_.front().first <= cycle - isa::timing::kFifoCycles; ++dropped_)
    ways_.pop_front();
}

// Counts their causes, by part.
UnitSlices Why::TakeSlices(std::span<const int64_t> ends) {
  const size_t first = causes_.size();
  causes_.resize(first + ends.size());
  UnitSlices slices;
  for (int u = 0; u < isa::kUnits; ++u) {
    slices[u] = units[u].Take(u, begin_, ends.back());
    size_t part = 0;
    for (const CauseSlice& slice : slices[u])
      for (int64_t at = slice.begin; at < slice.end;) {
        while (ends[part] <= at) ++part;
        const int64_t upto = std::min(slice.end, ends[part]);
        causes_[first + part].spent[u][static_cast<int>(slice.cause)] += upto - at;
        at = upto;
      }
  }
  return slices;
}

void Why::Settle(std::span<const int64_t> ends) {
  Settled& settled = settled_.emplace_back();
  settled.first = causes_.size();
  const UnitSlices slices = TakeSlices(ends);
  for (int u = 0; u < isa::kUnits; ++u) settled.paths[u] = CriticalPath(slices, begin_, ends, u);
  begin_ = ends.back();
  ways.DropBefore(begin_);
}

void Why::AddPath(size_t first, const Path& path) {
  for (size_t part = 0; part < path.parts.size(); ++part)
    causes_[first + part].path = path.parts[part];
}

std::vector<isa::Causes> Why::Take(std::span<const int64_t> ends,
                                   std::span<const Insn* const> insns, int64_t token_capacity,
                                   Timeline* timeline) {
  for (Record& unit : units) unit.Close(ends.back());
  const size_t first = causes_.size();
  UnitSlices slices = TakeSlices(ends);
  const Path last = CriticalPath(slices, begin_, ends, LastToEnd(slices));
  AddPath(first, last);
  int unit = last.from;
  for (auto settled = settled_.rbegin(); settled != settled_.rend(); ++settled) {
    AddPath(settled->first, settled->paths[unit]);
    unit = settled->paths[unit].from;
  }
  if (timeline) {
    FindOtherEnds(insns, token_capacity, slices);
    for (const std::vector<CauseSlice>& of_unit : slices)
      timeline->causes.insert(timeline->causes.end(), of_unit.begin(), of_unit.end());
  }
  return std::move(causes_);
}

}  // namespace vta::sim::cycle
