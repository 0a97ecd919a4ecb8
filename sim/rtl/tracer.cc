#include "sim/rtl/tracer.h"

#include <cstring>

#include "isa/support/error.h"

namespace vta::sim {

using isa::Module;

namespace {

bool Bit(const void* words, int64_t index) {
  return (static_cast<const uint8_t*>(words)[index / 8] >> (index % 8)) & 1;
}

}  // namespace

Tracer::Tracer(const VtaPorts& ports, const isa::Layout& layout)
    : ports_(ports), layout_(layout), beat_bytes_(layout.config().uarch.bus_bits / 8) {
  const isa::Config& config = layout.config();
  const auto set = [&](Space space, int64_t row_bytes, int64_t rows) {
    row_bytes_[static_cast<int>(space)] = row_bytes;
    pad(space).assign(static_cast<size_t>(row_bytes * rows), 0);
  };
  set(Space::kUop, isa::kUopBits / 8, config.arch.uop_depth);
  set(Space::kWgt, config.wgt_bytes(), config.arch.wgt_depth);
  set(Space::kInp, config.inp_bytes(), config.arch.inp_depth);
  set(Space::kAcc, config.acc_bytes(), config.arch.acc_depth);
  set(Space::kOut, config.out_bytes(), config.arch.acc_depth);
}

void Tracer::Begin(TraceSink* sink, const isa::LaunchRequest& launch,
                   std::span<const isa::Word> program, std::span<const uint8_t> memory) {
  sink_ = sink;
  launch_ = launch;
  program_ = program;
  memory_ = memory;
  writes_ = {};
}

void Tracer::Mark(Module module, Space space, int64_t first, int64_t count) {
  if (sink_ && sink_->detail() != TraceDetail::kNone)
    writes_[static_cast<int>(module)].Add(space, first, count);
}

void Tracer::Wrote(uint64_t address, int64_t bytes) {
  Mark(Module::kStore, Space::kDram, static_cast<int64_t>(address), bytes);
}

void Tracer::ObserveWrites() {
  if (*ports_.trace_load_o) {
    const Space space = *ports_.trace_load_o & 1 ? Space::kInp : Space::kWgt;
    const int64_t row = *ports_.trace_load_row_o, bytes = row_bytes_[static_cast<int>(space)];
    uint8_t* to = pad(space).data() + row * bytes;
    const bool all = *ports_.trace_load_all_o;
    for (int64_t lane = all ? 0 : *ports_.trace_load_lane_o; lane * beat_bytes_ < bytes; ++lane) {
      std::memcpy(to + lane * beat_bytes_, ports_.trace_load_data_o,
                  static_cast<size_t>(beat_bytes_));
      if (!all) break;
    }
    Mark(Module::kLoad, space, row, 1);
  }
  if (*ports_.trace_acc_o & 1) {
    const int64_t row = *ports_.trace_acc_row_o, bytes = row_bytes_[static_cast<int>(Space::kAcc)];
    const uint8_t* from = static_cast<const uint8_t*>(ports_.trace_acc_data_o);
    uint8_t* to = pad(Space::kAcc).data() + row * bytes;
    for (int64_t lane = 0; lane * beat_bytes_ < bytes; ++lane)
      if (Bit(ports_.trace_acc_lanes_o, lane))
        std::memcpy(to + lane * beat_bytes_, from + lane * beat_bytes_,
                    static_cast<size_t>(beat_bytes_));
    Mark(Module::kCompute, Space::kAcc, row, 1);
    if (*ports_.trace_acc_o & 2) {
      const int64_t lanes = row_bytes_[static_cast<int>(Space::kOut)];
      for (int64_t lane = 0; lane < lanes; ++lane)
        pad(Space::kOut)[static_cast<size_t>(row * lanes + lane)] = from[4 * lane];
      Mark(Module::kCompute, Space::kOut, row, 1);
    }
  }
  if (*ports_.trace_uop_o) {
    const int64_t row = *ports_.trace_uop_row_o, count = *ports_.trace_uop_count_o;
    std::memcpy(pad(Space::kUop).data() + row * 4, ports_.trace_uop_data_o,
                static_cast<size_t>(count * 4));
    Mark(Module::kCompute, Space::kUop, row, count);
  }
}

void Tracer::Observe() {
  const auto retire = [&](Module module) {
    const int m = static_cast<int>(module);
    if (sink_ && *ports_.trace_retire_o >> m & 1)
      Retire(module, ports_.trace_index_o[m], isa::Fault::kNone);
  };
  // A LOAD retires in the cycle after its last write, in which the next one may write.
  retire(Module::kLoad);
  ObserveWrites();
  retire(Module::kCompute);
  retire(Module::kStore);
}

void Tracer::End() {
  if (!sink_) return;
  for (int m = 0; m < isa::kModules; ++m)
    if (*ports_.trace_halted_o >> m & 1)
      Retire(static_cast<Module>(m), ports_.trace_index_o[m],
             static_cast<isa::Fault>(*ports_.trace_fault_o >> (4 * m) & 0xf));
}

void Tracer::Retire(Module module, int64_t index, isa::Fault fault) {
  VTA_CHECK(index < static_cast<int64_t>(program_.size()), index);
  const isa::Word word = program_[static_cast<size_t>(index)];
  Event event{index,
              launch_.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes,
              module,
              word,
              isa::Decode(layout_, word),
              fault,
              {}};
  WriteCollector& writes = writes_[static_cast<int>(module)];
  for (Space space : {Space::kUop, Space::kWgt, Space::kInp, Space::kAcc, Space::kOut})
    writes.Finish(space, pad(space), row_bytes_[static_cast<int>(space)], sink_->detail(),
                  event.writes);
  writes.Finish(Space::kDram, memory_, 1, sink_->detail(), event.writes);
  sink_->Retire(event);
}

}  // namespace vta::sim
