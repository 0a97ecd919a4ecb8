#include "sim/cycle/core/trace.h"

#include <algorithm>
#include <tuple>

namespace vta::sim::cycle {
namespace {

Stall StallOf(isa::Wait wait) {
  return wait == isa::Wait::kToken   ? Stall::kToken
         : wait == isa::Wait::kSpace ? Stall::kSpace
                                     : Stall::kBarrier;
}

}  // namespace

// Asked for cycles in turn.
class Trace::BeatCount {
 public:
  explicit BeatCount(const std::vector<Beats>& bursts)
      : next_(bursts.begin()), end_(bursts.end()) {}
  int64_t Before(int64_t cycle) {
    const auto moved = [&] {
      return (cycle - next_->first + next_->interval - 1) / next_->interval;
    };
    for (; next_ != end_ && moved() >= next_->count; ++next_) before_ += next_->count;
    return before_ + (next_ == end_ ? 0 : std::max<int64_t>(0, moved()));
  }

 private:
  std::vector<Beats>::const_iterator next_, end_;
  int64_t before_ = 0;
};

void Trace::Write(int64_t loaded, int64_t first, int64_t beats, int64_t interval) {
  writes_.push_back({first, beats, interval});
  loaded_.push_back({loaded, 1, 1});
  if (beats > 1) loaded_.push_back({first, beats - 1, interval});
}

// Halts are seen in the cycle behind, and what the end of the launch cuts comes last.
void Trace::AddInstructions(Timeline& timeline, uint64_t instruction_address,
                            int64_t origin) const {
  using Seen = std::tuple<int64_t, int, size_t>;  // cycle, module, place
  std::vector<Seen> order;
  for (int m = 0; m < isa::kModules; ++m)
    for (size_t i = 0; i < past_[m].ran.size(); ++i) {
      const Ran& run = past_[m].ran[i];
      order.push_back({run.how == Ran::kCut ? kNever : run.end + (run.how == Ran::kHalts), m, i});
    }
  std::ranges::sort(order);
  for (const auto& [seen, m, i] : order) {
    const Ran& run = past_[m].ran[i];
    InstructionSlice& slice = timeline.instructions.emplace_back();
    slice.begin = origin + run.start + 1, slice.end = origin + run.end + 1;
    slice.module = static_cast<isa::Module>(m);
    slice.index = run.insn->index;
    slice.address =
        instruction_address + static_cast<uint64_t>(slice.index) * isa::kInstructionBytes;
    slice.word = run.insn->word;
  }
}

// A STORE waits until it is complete, where no beat of it goes into the register in front of W.
void Trace::AddStoreWaits() {
  Past& past = past_[static_cast<size_t>(isa::Module::kStore)];
  auto loaded = loaded_.begin();
  for (const Ran& run : past.ran) {
    if (!run.insn->moves) continue;
    int64_t at = run.start + 1;
    const int64_t end = std::min(run.end, run.complete) + 1;
    const auto wait_until = [&](int64_t cycle) {
      if (at < cycle) past.memory.push_back({at, cycle});
      at = cycle + 1;
    };
    for (; loaded != loaded_.end() && loaded->first < end; ++loaded)
      for (int64_t i = 0; i < loaded->count; ++i) wait_until(loaded->first + i * loaded->interval);
    wait_until(end);
  }
}

void Trace::AddStalls(Timeline& timeline, int64_t origin) {
  std::vector<StallSlice> all;
  for (int m = 0; m < isa::kModules; ++m) {
    std::vector<StallSlice> stalls;
    const auto add = [&](const Span& span, Stall reason, isa::Queue queue) {
      StallSlice& slice = stalls.emplace_back();
      slice.begin = span.begin, slice.end = span.end;
      slice.module = static_cast<isa::Module>(m);
      slice.reason = reason;
      slice.queue = queue;
    };
    for (const Span& span : past_[m].memory) add(span, Stall::kMemory, StallSlice().queue);
    for (const Past::Token& token : past_[m].tokens)
      add(token.span, StallOf(token.wait), token.queue);
    std::ranges::sort(stalls, {}, &StallSlice::begin);
    for (StallSlice& slice : stalls) {
      slice.begin += origin, slice.end += origin;
      StallSlice* before = all.empty() ? nullptr : &all.back();
      if (before && before->module == slice.module && before->reason == slice.reason &&
          before->queue == slice.queue && before->end == slice.begin)
        before->end = slice.end;
      else
        all.push_back(slice);
    }
  }
  std::ranges::stable_sort(all, {}, &StallSlice::end);  // those of one cycle stay by module
  timeline.stalls.insert(timeline.stalls.end(), all.begin(), all.end());
}

void Trace::AddBus(Timeline& timeline, int64_t end, const BusSample& origin) const {
  BeatCount reads(reads_), writes(writes_);
  const auto add = [&](int64_t cycle) {
    timeline.bus.push_back({origin.cycle + cycle + 1,
                            origin.read_bytes + reads.Before(cycle) * beat_bytes_,
                            origin.written_bytes + writes.Before(cycle) * beat_bytes_});
  };
  int64_t sampled = 2;  // the first cycle of a launch that the trace ports call active
  add(sampled);
  for (; sampled + kBusSampleCycles <= end; add(sampled)) sampled += kBusSampleCycles;
  if (sampled != end) add(end);
}

void Trace::AddTo(Timeline& timeline, uint64_t instruction_address, int64_t end,
                  const BusSample& origin) {
  AddStoreWaits();
  AddInstructions(timeline, instruction_address, origin.cycle);
  AddStalls(timeline, origin.cycle);
  AddBus(timeline, end, origin);
  timeline.launches.push_back({origin.cycle + 1, origin.cycle + 1 + end});
}

}  // namespace vta::sim::cycle
