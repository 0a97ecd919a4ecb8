#include "sim/rtl/observer.h"

#include "isa/support/error.h"

namespace vta::sim {

void Observer::Begin(Timeline* timeline, uint64_t first_address,
                     std::span<const isa::Word> program) {
  timeline_ = timeline;
  first_address_ = first_address;
  program_ = program;
  open_ = {};
  sampled_ = -kBusSampleCycles;
}

void Observer::Observe(int64_t cycle, int64_t read_bytes, int64_t written_bytes) {
  if (!*ports_.trace_active_o) return;
  bus_ = {cycle + 1, read_bytes, written_bytes};
  if (bus_.cycle - sampled_ >= kBusSampleCycles) {
    timeline_->bus.push_back(bus_);
    sampled_ = bus_.cycle;
  }
  for (int m = 0; m < isa::kModules; ++m) {
    ObserveInstructions(m, cycle);
    ObserveStall(m, cycle);
  }
}

std::optional<StallSlice> Observer::StallOf(int module) const {
  StallSlice stall;
  stall.module = static_cast<isa::Module>(module);
  if (*ports_.trace_wait_memory_o >> module & 1) return stall;
  if (!(*ports_.trace_wait_token_o >> module & 1)) return std::nullopt;
  const auto wait = static_cast<isa::Wait>(*ports_.trace_wait_o >> (2 * module) & 3);
  stall.queue = static_cast<isa::Queue>(*ports_.trace_queue_o >> (2 * module) & 3);
  stall.reason = wait == isa::Wait::kToken   ? Stall::kToken
                 : wait == isa::Wait::kSpace ? Stall::kSpace
                                             : Stall::kBarrier;
  return stall;
}

void Observer::ObserveInstructions(int module, int64_t cycle) {
  std::deque<InstructionSlice>& open = open_[module].instructions;
  const auto close = [&](int64_t end) {
    open.front().end = end;
    timeline_->instructions.push_back(open.front());
    open.pop_front();
  };
  const bool halted = *ports_.trace_halted_o >> module & 1;
  if (halted && !open.empty()) close(cycle);
  if (*ports_.trace_end_o >> module & 1) {
    VTA_CHECK(!open.empty() && open.front().index == ports_.trace_index_o[module], module);
    close(cycle + 1);
  }
  if (!(*ports_.trace_start_o >> module & 1)) return;
  const int64_t index = ports_.trace_start_index_o[module];
  VTA_CHECK(index < static_cast<int64_t>(program_.size()), index);
  InstructionSlice& slice = open.emplace_back();
  slice.begin = cycle + 1;
  slice.module = static_cast<isa::Module>(module);
  slice.index = index;
  slice.address = first_address_ + static_cast<uint64_t>(index) * isa::kInstructionBytes;
  slice.word = program_[static_cast<size_t>(index)];
}

void Observer::ObserveStall(int module, int64_t cycle) {
  ModuleSlices& open = open_[module];
  std::optional<StallSlice> stall = StallOf(module);
  const auto same = [](const StallSlice& a, const StallSlice& b) {
    return a.reason == b.reason && a.queue == b.queue;
  };
  if (open.stall && !(stall && same(*open.stall, *stall))) {
    open.stall->end = cycle;
    timeline_->stalls.push_back(*open.stall);
    open.stall.reset();
  }
  if (stall && !open.stall) {
    stall->begin = cycle;
    open.stall = stall;
  }
}

void Observer::Close(ModuleSlices& open, int64_t cycle) {
  for (InstructionSlice& slice : open.instructions) {
    slice.end = cycle;
    timeline_->instructions.push_back(slice);
  }
  if (open.stall) {
    open.stall->end = cycle;
    timeline_->stalls.push_back(*open.stall);
  }
  open = {};
}

void Observer::End(int64_t cycles) {
  for (ModuleSlices& open : open_) Close(open, bus_.cycle);
  if (sampled_ != bus_.cycle) timeline_->bus.push_back(bus_);
  timeline_->launches.push_back({bus_.cycle - cycles, bus_.cycle});
}

}  // namespace vta::sim
