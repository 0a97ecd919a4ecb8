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
  for (int m = 0; m < isa::kModules; ++m) ObserveModule(m, cycle);
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

void Observer::ObserveModule(int module, int64_t cycle) {
  ModuleSlices& open = open_[module];
  const bool runs = *ports_.trace_run_o >> module & 1;
  const int64_t index = ports_.trace_index_o[module];
  if (open.instruction && (!runs || open.instruction->index != index)) {
    open.instruction->end = cycle;
    timeline_->instructions.push_back(*open.instruction);
    open.instruction.reset();
  }
  if (runs && !open.instruction) {
    VTA_CHECK(index < static_cast<int64_t>(program_.size()), index);
    InstructionSlice& slice = open.instruction.emplace();
    slice.begin = cycle;
    slice.module = static_cast<isa::Module>(module);
    slice.index = index;
    slice.address = first_address_ + static_cast<uint64_t>(index) * isa::kInstructionBytes;
    slice.word = program_[static_cast<size_t>(index)];
  }
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
  if (open.instruction) {
    open.instruction->end = cycle;
    timeline_->instructions.push_back(*open.instruction);
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
