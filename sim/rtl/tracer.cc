#include "sim/rtl/tracer.h"

#include <cstring>

#include "isa/spec/requant.h"
#include "isa/spec/timing.h"
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
  set(Space::kLut, isa::kLutBytes, 1);
}

void Tracer::Begin(TraceSink* sink, const isa::LaunchRequest& launch,
                   std::span<const isa::Word> program, std::span<const uint8_t> memory) {
  sink_ = sink;
  launch_ = launch;
  program_ = program;
  memory_ = memory;
  writes_ = {};
  complete_ = {};
}

int Tracer::WriterOf(Module module, int unit) {
  return module == Module::kCompute && unit > 0 ? isa::kModules + unit - 1
                                                : static_cast<int>(module);
}

void Tracer::Mark(int writer, Space space, int64_t first, int64_t count) {
  if (sink_ && sink_->detail() != TraceDetail::kNone) writes_[writer].Add(space, first, count);
}

void Tracer::Wrote(uint64_t address, int64_t bytes) {
  Mark(WriterOf(Module::kStore, 0), Space::kDram, static_cast<int64_t>(address), bytes);
}

void Tracer::ObserveLoad() {
  if (!*ports_.trace_load_o) return;
  const Space space = *ports_.trace_load_o & 1 ? Space::kInp : Space::kWgt;
  const int64_t row = *ports_.trace_load_row_o, bytes = row_bytes_[static_cast<int>(space)];
  uint8_t* to = pad(space).data() + row * bytes;
  const bool all = *ports_.trace_load_all_o;
  for (int64_t lane = all ? 0 : *ports_.trace_load_lane_o; lane * beat_bytes_ < bytes; ++lane) {
    std::memcpy(to + lane * beat_bytes_, ports_.trace_load_data_o,
                static_cast<size_t>(beat_bytes_));
    if (!all) break;
  }
  Mark(WriterOf(Module::kLoad, 0), space, row, 1);
}

void Tracer::ObserveUnit(int unit) {
  const int writes = *ports_.trace_acc_o >> (2 * unit) & 3;
  if (!(writes & 1)) return;
  const int writer = WriterOf(Module::kCompute, unit);
  const int64_t row = *ports_.trace_acc_row_o >> (16 * unit) & 0xffff;
  const int64_t bytes = row_bytes_[static_cast<int>(Space::kAcc)];
  const uint8_t* from = static_cast<const uint8_t*>(ports_.trace_acc_data_o) + unit * bytes;
  uint8_t* to = pad(Space::kAcc).data() + row * bytes;
  for (int64_t lane = 0; lane * beat_bytes_ < bytes; ++lane)
    if (unit > 0 || Bit(ports_.trace_acc_lanes_o, lane))
      std::memcpy(to + lane * beat_bytes_, from + lane * beat_bytes_,
                  static_cast<size_t>(beat_bytes_));
  Mark(writer, Space::kAcc, row, 1);
  if (!(writes & 2)) return;
  const int64_t lanes = row_bytes_[static_cast<int>(Space::kOut)];
  for (int64_t lane = 0; lane < lanes; ++lane)
    pad(Space::kOut)[static_cast<size_t>(row * lanes + lane)] = from[4 * lane];
  Mark(writer, Space::kOut, row, 1);
}

void Tracer::ObserveUops() {
  if (!*ports_.trace_uop_o) return;
  const int64_t row = *ports_.trace_uop_row_o, count = *ports_.trace_uop_count_o;
  std::memcpy(pad(Space::kUop).data() + row * 4, ports_.trace_uop_data_o,
              static_cast<size_t>(count * 4));
  Mark(WriterOf(Module::kCompute, 0), Space::kUop, row, count);
}

void Tracer::ObserveLut() {
  if (!*ports_.trace_lut_o) return;
  constexpr int64_t kBytes = isa::timing::kLutPartBytes;
  std::memcpy(pad(Space::kLut).data() + *ports_.trace_lut_part_o * kBytes, ports_.trace_lut_data_o,
              kBytes);
  Mark(WriterOf(Module::kCompute, 0), Space::kLut, 0, 1);
}

void Tracer::Observe() {
  const auto retire = [&](Module module) {
    const int m = static_cast<int>(module);
    if (sink_ && *ports_.trace_retire_o >> m & 1)
      Retire(module, ports_.trace_index_o[m], isa::Fault::kNone);
  };
  // A LOAD retires in the cycle after its last write, in which the next one may write.
  retire(Module::kLoad);
  ObserveLoad();
  for (int unit = 0; unit < kUnits; ++unit) {
    ObserveUnit(unit);
    if (sink_ && *ports_.trace_done_o >> unit & 1) Complete(WriterOf(Module::kCompute, unit));
  }
  ObserveUops();
  ObserveLut();
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

void Tracer::Complete(int writer) {
  std::vector<Write>& writes = complete_[writer].emplace_back();
  for (Space space : {Space::kUop, Space::kWgt, Space::kInp, Space::kAcc, Space::kOut, Space::kLut})
    writes_[writer].Finish(space, pad(space), row_bytes_[static_cast<int>(space)], sink_->detail(),
                           writes);
  writes_[writer].Finish(Space::kDram, memory_, 1, sink_->detail(), writes);
}

void Tracer::Retire(Module module, int64_t index, isa::Fault fault) {
  VTA_CHECK(index < static_cast<int64_t>(program_.size()), index);
  const isa::Word word = program_[static_cast<size_t>(index)];
  const int writer = WriterOf(module, *ports_.trace_unit_o);
  // What faults, and in load and store what retires, is not complete before.
  if (module != Module::kCompute || fault != isa::Fault::kNone) Complete(writer);
  VTA_CHECK(!complete_[writer].empty(), index);
  sink_->Retire(
      {index, launch_.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes,
       module, word, isa::Decode(layout_, word), fault, std::move(complete_[writer].front())});
  complete_[writer].pop_front();
}

}  // namespace vta::sim
