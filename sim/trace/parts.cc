#include "sim/trace/parts.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::sim {
namespace {

/// Adds the cycles of [begin, end) to the parts in which they lie.
class Cutter {
 public:
  Cutter(int64_t begin, std::span<const int64_t> ends) : first_(begin), ends_(ends) {}

  void Cut(int64_t begin, int64_t end, const auto& add) const {
    for (auto at = std::ranges::upper_bound(ends_, begin); begin < end && at != ends_.end(); ++at) {
      const int64_t upto = std::min(end, *at);
      add(static_cast<size_t>(at - ends_.begin()), upto - std::max(begin, first_));
      begin = upto;
    }
  }

 private:
  int64_t first_;
  std::span<const int64_t> ends_;
};

/// When a module runs anything, in order and apart.
std::vector<Slice> Running(const Timeline& launch, isa::Module module) {
  std::vector<Slice> all, apart;
  for (const InstructionSlice& slice : launch.instructions)
    if (slice.module == module) all.push_back(slice);
  std::ranges::sort(all, {}, &Slice::begin);
  for (const Slice& slice : all) {
    if (!apart.empty() && slice.begin <= apart.back().end)
      apart.back().end = std::max(apart.back().end, slice.end);
    else
      apart.push_back(slice);
  }
  return apart;
}

}  // namespace

std::vector<int64_t> PartEnds(const Timeline& launch, std::span<const int64_t> starts) {
  VTA_CHECK(launch.launches.size() == 1 && !starts.empty() && starts[0] == 0);
  std::vector<int64_t> ends(starts.size(), launch.launches[0].begin);
  for (const InstructionSlice& slice : launch.instructions) {
    if (slice.module != isa::Module::kCompute) continue;
    const auto part = std::ranges::upper_bound(starts, slice.index) - starts.begin() - 1;
    ends[static_cast<size_t>(part)] = std::max(ends[static_cast<size_t>(part)], slice.end);
  }
  // A part without an instruction of compute takes no time.
  for (size_t part = 1; part < ends.size(); ++part)
    ends[part] = std::max(ends[part], ends[part - 1]);
  ends.back() = launch.launches[0].end;
  return ends;
}

std::vector<isa::PartTime> TimeOfParts(const Timeline& launch, std::span<const int64_t> ends) {
  std::vector<isa::PartTime> parts(ends.size());
  int64_t before = launch.launches.at(0).begin;
  const Cutter cutter(before, ends);
  for (size_t part = 0; part < ends.size(); ++part) {
    parts[part].time.cycles = ends[part] - before;
    before = ends[part];
  }
  for (size_t m = 0; m < isa::kModules; ++m) {
    const auto module = static_cast<isa::Module>(m);
    const auto add = [&](const Slice& slice, int64_t isa::ModuleCycles::*kind, int64_t sign) {
      cutter.Cut(slice.begin, slice.end, [&](size_t part, int64_t cycles) {
        parts[part].time.modules[m].*kind += sign * cycles;
      });
    };
    const std::vector<Slice> running = Running(launch, module);
    for (const Slice& slice : running) add(slice, &isa::ModuleCycles::busy, 1);
    for (const StallSlice& stall : launch.stalls) {
      if (stall.module != module) continue;
      const bool memory = stall.reason == Stall::kMemory;
      add(stall, memory ? &isa::ModuleCycles::wait_memory : &isa::ModuleCycles::wait_token, 1);
      auto at = std::ranges::upper_bound(running, stall.begin, {}, &Slice::end);
      for (; at != running.end() && at->begin < stall.end; ++at)
        add({std::max(at->begin, stall.begin), std::min(at->end, stall.end)},
            &isa::ModuleCycles::busy, -1);
    }
  }
  return parts;
}

}  // namespace vta::sim
