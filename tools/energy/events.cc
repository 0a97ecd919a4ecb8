#include "tools/energy/events.h"

#include <algorithm>
#include <functional>

#include "isa/codec.h"
#include "isa/counting.h"
#include "isa/spec/requant.h"

namespace vta::tools {
namespace {

using isa::MemoryType;

constexpr size_t At(MemoryType type) { return static_cast<size_t>(type); }

template <typename Array>
void AddTo(Array& sums, const Array& values) {
  std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
}

}  // namespace

Events& Events::operator+=(const Events& other) {
  macs += other.macs;
  AddTo(lanes, other.lanes);
  AddTo(reads, other.reads);
  AddTo(writes, other.writes);
  AddTo(bytes, other.bytes);
  instruction_bytes += other.instruction_bytes;
  return *this;
}

EventCounter::EventCounter(const isa::Layout& layout, const MicroOpImage& image)
    : layout_(layout), image_(image), sources_(layout.config().arch.uop_depth) {}

Events EventCounter::Count(std::span<const isa::Word> program) {
  Events events;
  events.instruction_bytes = std::ssize(program) * isa::kInstructionBytes;
  for (const isa::Word word : program) {
    const isa::Instruction insn = isa::Decode(layout_, word);
    switch (static_cast<isa::Opcode>(insn.opcode)) {
      case isa::Opcode::kLoad:
        Load(insn, events);
        break;
      case isa::Opcode::kStore:
        events.reads[At(MemoryType::kOut)] += insn.x_size * insn.y_size;
        events.bytes[At(MemoryType::kOut)] +=
            insn.x_size * insn.y_size * layout_.config().out_bytes();
        break;
      case isa::Opcode::kGemm:
      case isa::Opcode::kAlu:
        Compute(insn, events);
        break;
      default:
        break;
    }
  }
  return events;
}

void EventCounter::Load(const isa::Instruction& load, Events& events) {
  const isa::MemorySpec* memory = isa::FindMemory(layout_.config().arch, load.memory_type);
  const int64_t elements = load.x_size * load.y_size;
  if (!memory || elements == 0) return;
  const MemoryType pad = memory->code == MemoryType::kAcc8 ? MemoryType::kAcc : memory->code;
  events.bytes[At(memory->code)] += elements * memory->dram_element_bytes(layout_.config());
  if (memory->code == MemoryType::kLut) return;
  events.writes[At(pad)] += (load.y_pad_top + load.y_size + load.y_pad_bottom) *
                            (load.x_pad_left + load.x_size + load.x_pad_right);
  if (memory->code != MemoryType::kUop) return;
  constexpr int64_t kBytes = isa::kUopBits / 8;
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t element = load.dram_base + i / load.x_size * load.x_stride + i % load.x_size;
    const int64_t at = element * kBytes - image_.address;
    uint32_t word = 0;
    for (int64_t b = 0; b < kBytes && at >= 0 && at + b < std::ssize(image_.bytes); ++b)
      word |= uint32_t{image_.bytes[at + b]} << (8 * b);
    sources_[load.sram_base + i] = isa::DecodeUop(layout_, word).src;
  }
}

void EventCounter::Compute(const isa::Instruction& insn, Events& events) const {
  const isa::Arch& arch = layout_.config().arch;
  const int64_t uops = isa::MicroOps(insn);
  int64_t& acc_reads = events.reads[At(MemoryType::kAcc)];
  events.reads[At(MemoryType::kUop)] += uops;
  events.writes[At(MemoryType::kAcc)] += uops;
  events.writes[At(MemoryType::kOut)] += uops;
  if (insn.opcode == static_cast<int64_t>(isa::Opcode::kGemm)) {
    if (insn.reset) return;
    events.macs += uops * layout_.config().macs_per_cycle();
    events.reads[At(MemoryType::kInp)] += uops;
    events.reads[At(MemoryType::kWgt)] += uops;
    if (!insn.overwrite) acc_reads += uops;
    return;
  }
  const isa::AluOpSpec* op = isa::FindAluOp(arch, insn.alu_opcode);
  if (!op) return;
  events.lanes[static_cast<size_t>(op->code)] += uops * arch.batch * arch.block_out;
  acc_reads += uops;
  if (!op->apply)
    acc_reads += isa::kRequantRows * BlocksOf(insn);
  else if (!insn.use_imm)
    acc_reads += uops;
}

int64_t EventCounter::BlocksOf(const isa::Instruction& requant) const {
  int64_t blocks = 0, block = -1;
  for (int64_t out = 0; out < requant.iter_out; ++out)
    for (int64_t in = 0; in < requant.iter_in; ++in)
      for (int64_t uop = requant.uop_begin; uop < requant.uop_end; ++uop) {
        const int64_t source =
            sources_[uop] + out * requant.src_factor_out + in * requant.src_factor_in;
        blocks += source != block;
        block = source;
      }
  return blocks;
}

std::vector<Events> EventsOf(const isa::Package& package, bool together) {
  std::vector<Events> events(package.steps.size());
  if (!package.config) return events;
  const isa::Layout layout(*package.config);
  const MicroOpImage image{package.constants_offset_bytes, package.constants};
  const auto words = [&](int64_t program) {
    return isa::WordsOf(package.ProgramCode(package.programs[program]));
  };
  for (int64_t step = 0; step < std::ssize(package.steps);) {
    EventCounter counter(layout, image);
    const isa::PackageLaunch* launch = together ? package.LaunchAt(step) : nullptr;
    if (!launch) {
      const isa::PackageStep& one = package.steps[step];
      if (one.kind == isa::PackageStep::Kind::kProgram)
        events[step] = counter.Count(words(one.program));
      ++step;
      continue;
    }
    const std::vector<isa::Word> all = words(launch->program);
    for (size_t part = 0; part < launch->starts.size(); ++part) {
      const int64_t begin = launch->starts[part];
      const int64_t end =
          part + 1 < launch->starts.size() ? launch->starts[part + 1] : std::ssize(all);
      events[step++] = counter.Count(std::span(all).subspan(begin, end - begin));
    }
  }
  return events;
}

}  // namespace vta::tools
