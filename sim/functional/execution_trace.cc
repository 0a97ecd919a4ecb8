// What a launch in progress tells its trace: which rows each instruction wrote.
#include "isa/support/error.h"
#include "sim/functional/execution.h"

namespace vta::sim {
namespace {

Space SpaceOf(isa::MemoryType type) {
  switch (type) {
    case isa::MemoryType::kUop:
      return Space::kUop;
    case isa::MemoryType::kWgt:
      return Space::kWgt;
    case isa::MemoryType::kInp:
      return Space::kInp;
    case isa::MemoryType::kAcc:
    case isa::MemoryType::kAcc8:
      return Space::kAcc;
    case isa::MemoryType::kOut:
      return Space::kOut;
    case isa::MemoryType::kLut:
      return Space::kLut;
  }
  return Space::kOut;
}

// The bytes of DRAM that the first `done` elements of a STORE went to.
void CollectStore(const isa::Instruction& insn, uint64_t base, int64_t element_bytes, int64_t done,
                  WriteCollector& collector) {
  for (int64_t y = 0; done > 0; ++y, done -= insn.x_size)
    collector.Add(Space::kDram,
                  static_cast<int64_t>(base) + (insn.dram_base + y * insn.x_stride) * element_bytes,
                  std::min(done, insn.x_size) * element_bytes);
}

}  // namespace

void Execution::Trace(isa::Module module, const Progress& progress) {
  if (!options_.trace) return;
  const ModuleRun& r = run(module);
  const Queued& head = r.queue[r.head];
  Event event{head.index, AddressOf(head.index), module, head.word, r.insn, progress.fault, {}};
  if (options_.trace->detail() != TraceDetail::kNone) CollectWrites(module, progress, event.writes);
  options_.trace->Retire(event);
}

void Execution::CollectWrites(isa::Module module, const Progress& progress,
                              std::vector<Write>& writes) const {
  const isa::Instruction& insn = run(module).insn;
  const TraceDetail detail = options_.trace->detail();
  const auto type = static_cast<isa::MemoryType>(insn.memory_type);
  WriteCollector collector;
  const auto finish = [&](Space space) {
    collector.Finish(space, pads_.Bytes(space), pads_.RowBytes(space), detail, writes);
  };
  switch (static_cast<isa::Opcode>(insn.opcode)) {
    case isa::Opcode::kLoad:
      collector.Add(SpaceOf(type), insn.sram_base, progress.done);
      finish(SpaceOf(type));
      return;
    case isa::Opcode::kStore:
      CollectStore(insn, launch_.base[isa::BaseRegister(type)], pads_.RowBytes(Space::kOut),
                   progress.done, collector);
      collector.Finish(Space::kDram, dram_, 1, detail, writes);
      return;
    case isa::Opcode::kGemm:
    case isa::Opcode::kAlu: {
      std::vector<bool> written(pads_.acc_depth);
      int64_t left = progress.done;
      ForEachMicroOp(insn, pads_, [&](int64_t dst, int64_t, int64_t) {
        if (left-- == 0) return false;
        written[dst] = true;
        return true;
      });
      for (int64_t row = 0; row < pads_.acc_depth; ++row) {
        collector.Add(Space::kAcc, row, written[row]);
        collector.Add(Space::kOut, row, written[row]);
      }
      finish(Space::kAcc);
      finish(Space::kOut);
      return;
    }
    case isa::Opcode::kSet:
    case isa::Opcode::kFinish:
      return;
  }
}

}  // namespace vta::sim
