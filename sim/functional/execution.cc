#include "sim/functional/execution.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/counting.h"
#include "isa/support/error.h"
#include "isa/support/stop.h"

namespace vta::sim {

using isa::Fault;
using isa::Module;
using isa::Opcode;
using isa::Queue;
using isa::Wait;

Execution::Execution(const isa::Layout& layout, const MachineOptions& options,
                     const isa::LaunchRequest& launch, std::span<uint8_t> dram, Scratchpads& pads,
                     SimdEngine* simd)
    : layout_(layout),
      options_(options),
      launch_(launch),
      dram_(dram),
      pads_(pads),
      simd_(simd),
      deadline_(DeadlineOf(std::chrono::steady_clock::now(), options.time_limit)),
      random_(options.seed) {}

isa::LaunchResult Execution::Run() {
  ReadStream();
  HandOn();
  for (Module module; !stopped_ && Choose(&module); HandOn()) Advance(module);
  return Report();
}

// Whole, at the start: a program that writes its own instructions races with fetch.
void Execution::ReadStream() {
  const uint64_t begin = launch_.instruction_address;
  const uint64_t bytes = begin > dram_.size() ? 0 : dram_.size() - begin;
  const int64_t readable = static_cast<int64_t>(bytes / isa::kInstructionBytes);
  for (int64_t index = 0; index < std::min(launch_.instruction_count, readable); ++index) {
    const isa::Word word = isa::LoadWord(dram_.data() + begin + index * isa::kInstructionBytes);
    const isa::Instruction insn = isa::Decode(layout_, word);
    stream_.push_back(isa::Route(layout_.config(), insn));
    run(stream_.back()).queue.push_back({index, word});
    if (insn.opcode == static_cast<int64_t>(Opcode::kFinish)) return;
  }
  past_memory_ = launch_.instruction_count > readable;
}

void Execution::HandOn() {
  const auto depth = static_cast<size_t>(layout_.config().uarch.command_queue_depth);
  for (; handed_on_ < stream_.size(); ++handed_on_) {
    ModuleRun& r = run(stream_[handed_on_]);
    // What has halted throws away what it gets.
    if (r.fault == Fault::kNone && r.not_started() == depth) return;
    ++r.handed_on;
  }
}

Wait Execution::Blocked(Module module, Queue* queue) const {
  const ModuleRun& r = run(module);
  const auto empty = [&](bool next) {
    const Queue q = isa::PopQueue(module, next);
    if (queue) *queue = q;
    return tokens(q) == 0 ? Wait::kToken : Wait::kNone;
  };
  const auto full = [&](bool next) {
    const Queue q = isa::PushQueue(module, next);
    if (queue) *queue = q;
    return tokens(q) == layout_.config().arch.token_capacity ? Wait::kSpace : Wait::kNone;
  };
  switch (r.stage) {
    case Stage::kDecode:
      return Wait::kNone;
    case Stage::kPopPrev:
      return r.insn.pop_prev ? empty(false) : Wait::kNone;
    case Stage::kPopNext:
      return r.insn.pop_next ? empty(true) : Wait::kNone;
    case Stage::kExecute:
      return r.insn.opcode != static_cast<int64_t>(Opcode::kFinish) ||
                     (run(Module::kLoad).drained() && run(Module::kStore).drained())
                 ? Wait::kNone
                 : Wait::kBarrier;
    case Stage::kPushPrev:
      return r.insn.push_prev ? full(false) : Wait::kNone;
    case Stage::kPushNext:
      return r.insn.push_next ? full(true) : Wait::kNone;
  }
  return Wait::kNone;
}

bool Execution::CanMove(Module module) const {
  const ModuleRun& r = run(module);
  return !r.drained() && r.fault == Fault::kNone && Blocked(module) == Wait::kNone;
}

bool Execution::Choose(Module* module) {
  using enum Module;
  static constexpr Module kOrders[][isa::kModules] = {{kLoad, kCompute, kStore},
                                                      {kLoad, kCompute, kStore},
                                                      {kCompute, kStore, kLoad},
                                                      {kStore, kCompute, kLoad},
                                                      {kLoad, kCompute, kStore}};
  std::array<Module, isa::kModules> movable;
  size_t count = 0;
  for (Module m : kOrders[static_cast<int>(options_.order)])
    if (CanMove(m)) movable[count++] = m;
  if (count == 0) return false;
  const auto index_of = [&](Module m) { return run(m).queue[run(m).head].index; };
  if (options_.order == ModuleOrder::kOldestFirst)
    *module = *std::min_element(movable.begin(), movable.begin() + count,
                                [&](Module a, Module b) { return index_of(a) < index_of(b); });
  else
    *module = movable[options_.order == ModuleOrder::kRandom ? random_() % count : 0];
  return true;
}

void Execution::Advance(Module module) {
  const size_t head = run(module).head;
  while (!stopped_ && run(module).head == head && CanMove(module)) TakeStage(module);
  if (IsOver(deadline_)) stopped_ = true;
}

void Execution::TakeStage(Module module) {
  ModuleRun& r = run(module);
  const auto push = [&](bool next) {
    const Queue queue = isa::PushQueue(module, next);
    ++tokens(queue);
    ++counters_.tokens[static_cast<int>(queue)];
  };
  switch (r.stage) {
    case Stage::kDecode:
      r.insn = isa::Decode(layout_, r.queue[r.head].word);
      r.fault = isa::DecodeFault(layout_.config(), r.insn);
      if (r.fault != Fault::kNone) Trace(module, {0, r.fault});
      r.stage = Stage::kPopPrev;
      return;
    case Stage::kPopPrev:
      if (r.insn.pop_prev) --tokens(isa::PopQueue(module, false));
      r.stage = Stage::kPopNext;
      return;
    case Stage::kPopNext:
      if (r.insn.pop_next) --tokens(isa::PopQueue(module, true));
      r.stage = Stage::kExecute;
      return;
    case Stage::kExecute:
      Execute(module);
      return;
    case Stage::kPushPrev:
      if (r.insn.push_prev) push(false);
      r.stage = Stage::kPushNext;
      return;
    case Stage::kPushNext:
      if (r.insn.push_next) push(true);
      ++counters_.instructions[r.insn.opcode];
      finished_ |= r.insn.opcode == static_cast<int64_t>(Opcode::kFinish);
      ++r.head;
      r.stage = Stage::kDecode;
      return;
  }
}

void Execution::Execute(Module module) {
  ModuleRun& r = run(module);
  const Progress progress = RunInstruction(module);
  if (progress.stopped) {
    stopped_ = true;
    return;
  }
  r.fault = progress.fault;
  Trace(module, progress);
  r.stage = Stage::kPushPrev;
}

Progress Execution::RunInstruction(Module module) {
  const isa::Instruction& insn = run(module).insn;
  switch (static_cast<Opcode>(insn.opcode)) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return RunMemory(module);
    case Opcode::kGemm:
    case Opcode::kAlu:
      return RunCompute(module);
    case Opcode::kSet:
      modes_[insn.mode] = insn.value;
      return {};
    case Opcode::kFinish:
      return {};
  }
  return {};
}

Progress Execution::RunMemory(Module module) {
  const isa::Instruction& insn = run(module).insn;
  const auto type = static_cast<isa::MemoryType>(insn.memory_type);
  const uint64_t base = launch_.base[isa::BaseRegister(type)];
  const isa::Mode mode = module == Module::kLoad ? isa::Mode::kPadLoad : isa::Mode::kPadCompute;
  // Without the extension no SET can have changed the mode, so pad_select has no effect.
  const int64_t pad = insn.pad_select ? modes_[static_cast<int>(mode)] : 0;
  const Progress progress = insn.opcode == static_cast<int64_t>(Opcode::kLoad)
                                ? Load(layout_, insn, base, static_cast<uint8_t>(pad), dram_, pads_)
                                : Store(layout_, insn, base, pads_, dram_);
  counters_.bytes[static_cast<size_t>(isa::CountedAs(type))] += progress.dram_bytes;
  if (simd_ && type == isa::MemoryType::kWgt) simd_->PackWeights(insn.sram_base, progress.done);
  return progress;
}

Progress Execution::RunCompute(Module module) {
  const isa::Instruction& insn = run(module).insn;
  if (isa::MicroOps(insn) > options_.micro_op_limit - counters_.gemm_uops - counters_.alu_uops)
    return {.stopped = true};
  if (insn.opcode == static_cast<int64_t>(Opcode::kAlu)) {
    const Progress progress = Alu(insn);
    counters_.alu_uops += progress.done;
    return progress;
  }
  const Progress progress = Gemm(insn);
  counters_.gemm_uops += progress.done;
  if (!insn.reset) counters_.macs += progress.done * layout_.config().macs_per_cycle();
  return progress;
}

Progress Execution::Gemm(const isa::Instruction& insn) {
  if (simd_ && simd_->Covers(insn)) return simd_->Gemm(insn, deadline_);
  return GemmInOrder(layout_.config(), insn, pads_, deadline_);
}

Progress Execution::Alu(const isa::Instruction& insn) {
  const auto rounding = static_cast<isa::Rounding>(modes_[static_cast<int>(isa::Mode::kRounding)]);
  if (simd_ && simd_->Covers(insn)) return simd_->Alu(insn, rounding, deadline_);
  return AluInOrder(layout_.config(), insn, rounding, pads_, deadline_);
}

isa::FetchState Execution::ReportFetch() const {
  isa::FetchState fetch{.fetched = static_cast<int64_t>(handed_on_)};
  if (stopped_) return fetch;
  if (handed_on_ < stream_.size())
    fetch.full = stream_[handed_on_];
  else if (past_memory_)
    fetch.fault = Fault::kBusError;
  if (fetch.full || fetch.fault != Fault::kNone) fetch.address = AddressOf(fetch.fetched);
  return fetch;
}

isa::LaunchResult Execution::Report() const {
  isa::LaunchResult result;
  result.fetch = ReportFetch();
  result.counters = counters_;
  bool halted = result.fetch.fault != Fault::kNone, waiting = false;
  for (int m = 0; m < isa::kModules; ++m) {
    const ModuleRun& r = runs_[m];
    if (r.drained()) continue;
    isa::ModuleState& state = result.modules[m];
    state.index = r.queue[r.head].index;
    state.address = AddressOf(state.index);
    state.word = r.queue[r.head].word;
    state.fault = r.fault;
    const bool faulted = r.fault != Fault::kNone;
    state.kind = faulted ? isa::ModuleState::Kind::kHalted : isa::ModuleState::Kind::kWaiting;
    Queue queue = Queue::kLoadToCompute;
    if (!faulted) state.wait = Blocked(static_cast<Module>(m), &queue);
    if (state.wait == Wait::kToken || state.wait == Wait::kSpace) state.queue = queue;
    (faulted ? halted : waiting) = true;
  }
  using isa::Outcome;
  result.outcome = stopped_    ? Outcome::kStopped
                   : finished_ ? Outcome::kFinished
                   : halted    ? Outcome::kFault
                   : waiting   ? Outcome::kDeadlock
                               : Outcome::kNoFinish;
  return result;
}

}  // namespace vta::sim
