#include "tests/rtl/serial.h"

#include <algorithm>
#include <cstring>

#include "isa/register_launch.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kUops = 512;  // in memory, at their base
constexpr int64_t kMostMicroOps = 4000;
constexpr int64_t kMostBeats = 20000;

int64_t MicroOps(const Instruction& insn) {
  return insn.iter_out * insn.iter_in * std::max<int64_t>(0, insn.uop_end - insn.uop_begin);
}

class Generator {
 public:
  Generator(const isa::Config& config, uint64_t seed, int64_t wild)
      : draw_(seed), layout_(config), wild_(wild) {
    program_.config = config;
    FillMemory();
  }

  TestProgram Run() && {
    for (int64_t n = 4 + draw_.UpTo(26); n > 0; --n) {
      Instruction insn = Any();
      if (draw_.OneIn(wild_)) {
        ChangeField(draw_, layout_, insn);
        // A token too many would let two modules run at once.
        if (DecodeFault(program_.config, insn) == isa::Fault::kNone)
          insn.push_prev = insn.push_next = 0;
      }
      Add(insn);
    }
    if (!draw_.OneIn(12)) Add({.opcode = static_cast<int64_t>(Opcode::kFinish)});
    return std::move(program_);
  }

 private:
  const isa::Arch& arch() const { return program_.config.arch; }

  void FillMemory() {
    const isa::Config& c = program_.config;
    const int64_t element = std::max({c.inp_bytes(), c.wgt_bytes(), c.acc_bytes()});
    program_.memory.resize(std::max(4 * kPageBytes, 24 * element) / kPageBytes * kPageBytes);
    const int64_t style = draw_.UpTo(2);
    for (uint8_t& byte : program_.memory) {
      byte = static_cast<uint8_t>(draw_.UpTo(255));
      if (style == 1 && draw_.OneIn(2)) byte = draw_.OneIn(2) ? 0x80 : 0x7f;
    }
    if (style == 2)
      for (size_t at = 0; at < program_.memory.size(); at += 4) {
        const int32_t word = RequantWord(draw_);
        std::memcpy(program_.memory.data() + at, &word, 4);
      }
    for (const isa::MemorySpec& row : isa::kMemories)
      if (row.code <= MemoryType::kOut)
        program_.bases[isa::BaseRegister(row.code)] =
            draw_.UpTo(3) * isa::BaseAlignmentBytes(c, row.code);
    // Micro-ops in the lower half of each scratchpad; factors walk through the upper one.
    const int64_t spread = draw_.OneIn(2) ? 4 : 64;
    const auto index = [&](int64_t depth) { return draw_.UpTo(std::min(spread, depth / 2) - 1); };
    for (int64_t i = 0; i < kUops; ++i) {
      const uint32_t word = EncodeUop(
          layout_, {index(arch().acc_depth), index(std::min(arch().acc_depth, arch().inp_depth)),
                    index(arch().wgt_depth)});
      for (int b = 0; b < 4; ++b)
        program_.memory[static_cast<size_t>(program_.bases[0] + 4 * i + b)] =
            static_cast<uint8_t>(word >> (8 * b));
    }
  }

  /// Any row of the instruction table but FINISH.
  Instruction Any() {
    for (;;) {
      const auto& row = isa::kInstructions[draw_.UpTo(std::ssize(isa::kInstructions) - 1)];
      if (!row.exists(program_.config) || row.code == Opcode::kFinish) continue;
      switch (row.code) {
        case Opcode::kLoad:
          return Transfer(row.code);
        case Opcode::kStore:
          return Transfer(row.code);
        case Opcode::kSet:
          return SetMode();
        default:
          return Loop(row.code);
      }
    }
  }

  Instruction SetMode() {
    for (;;) {
      const isa::ModeSpec& mode = isa::kModeTable[draw_.UpTo(isa::kModes - 1)];
      if (arch().*mode.flag) return Set(mode.code, draw_.UpTo(mode.high));
    }
  }

  Instruction Transfer(Opcode opcode) {
    const bool load = opcode == Opcode::kLoad;
    const isa::MemorySpec* memory = nullptr;
    while (!memory || !(load ? memory->loadable : memory->storable))
      memory = isa::FindMemory(
          arch(),
          draw_.UpTo(static_cast<int64_t>(arch().lut ? MemoryType::kLut : MemoryType::kAcc8)));
    if (memory->code == MemoryType::kLut) return Table();
    const int64_t depth = arch().*memory->depth;
    const int64_t bytes = memory->dram_element_bytes(program_.config);
    const bool uop = memory->code == MemoryType::kUop;
    Instruction insn = LoadRows(memory->code, 0, 0, 0);
    insn.opcode = static_cast<int64_t>(opcode);
    insn.pad_select = draw_.UpTo(1);
    const int64_t most = std::min<int64_t>(depth / 2, uop ? 100 : 40);  // rows of the tile
    insn.x_size = 1 + draw_.UpTo(std::min<int64_t>(most, uop || draw_.OneIn(4) ? 40 : 6) - 1);
    int64_t width = insn.x_size;
    const auto pad = [&](int64_t room) { return draw_.UpTo(std::clamp<int64_t>(room, 0, 3)); };
    const bool pads = memory->may_pad && draw_.OneIn(2);
    if (pads) insn.x_pad_left = pad(most - width), width += insn.x_pad_left;
    if (pads) insn.x_pad_right = pad(most - width), width += insn.x_pad_right;
    insn.y_size = 1 + draw_.UpTo(std::min<int64_t>(most / width, 5) - 1);
    int64_t height = insn.y_size;
    if (pads) insn.y_pad_top = pad(most / width - height), height += insn.y_pad_top;
    if (pads) insn.y_pad_bottom = pad(most / width - height), height += insn.y_pad_bottom;
    if (draw_.OneIn(20)) insn.x_size = 0;
    insn.sram_base = draw_.UpTo(depth - width * height);
    // Over the end of the scratchpad, in the middle of the tile.
    if (draw_.OneIn(40)) insn.sram_base = depth - 1 - draw_.UpTo(width * height - 1);
    insn.x_stride = draw_.OneIn(2) ? insn.x_size : draw_.UpTo(insn.x_size + 3);
    const int64_t elements =
        (std::ssize(program_.memory) - program_.bases[isa::BaseRegister(memory->code)]) / bytes;
    // What STOREs change starts behind the micro-ops.
    const int64_t first = load ? 0 : (4 * kUops + kPageBytes) / bytes;
    // Rows far apart.
    if (!uop && draw_.OneIn(12))
      insn.x_stride = draw_.UpTo(std::clamp<int64_t>((elements - first) / insn.y_size, 0, 65535));
    // Anywhere in memory.
    const int64_t reach = 1 + insn.x_size + (insn.y_size - 1) * insn.x_stride;
    const int64_t last = elements - reach;
    insn.dram_base = uop ? draw_.UpTo(kUops - std::min<int64_t>(kUops, reach) / 2)
                         : std::min(first, last) + draw_.UpTo(std::max<int64_t>(last - first, 0));
    // Over its end, row by row.
    if (!uop && draw_.OneIn(25)) insn.dram_base = elements - 1 - draw_.UpTo(reach);
    insn.dram_base = std::max<int64_t>(insn.dram_base, 0);
    return insn;
  }

  // Now and then past its scratchpad, or past memory.
  Instruction Table() {
    const int64_t tables = (std::ssize(program_.memory) - program_.bases[0]) / isa::kLutBytes;
    Instruction insn = LoadRows(MemoryType::kLut, 0, 1, draw_.UpTo(tables - 1));
    insn.pad_select = draw_.UpTo(1);
    insn.x_stride = draw_.UpTo(3);
    if (draw_.OneIn(25)) (draw_.OneIn(2) ? insn.x_size : insn.y_size) = draw_.UpTo(2);
    if (draw_.OneIn(25)) insn.sram_base = 1 + draw_.UpTo(3);
    if (draw_.OneIn(25)) insn.dram_base = tables - draw_.UpTo(1);
    return insn;
  }

  Instruction Loop(Opcode opcode) {
    const bool gemm = opcode == Opcode::kGemm;
    Instruction insn{.opcode = static_cast<int64_t>(opcode)};
    insn.reset = draw_.OneIn(4);
    insn.uop_begin = draw_.UpTo(std::min<int64_t>(arch().uop_depth / 2, 40) - 1);
    insn.uop_end = insn.uop_begin + 1 + draw_.UpTo(7);
    insn.iter_out = 1 + draw_.UpTo(3), insn.iter_in = 1 + draw_.UpTo(5);
    if (draw_.OneIn(20)) (draw_.OneIn(2) ? insn.iter_out : insn.iter_in) = 0;
    const int64_t trips = std::max<int64_t>(1, insn.iter_out + insn.iter_in - 2);
    // requant reads two rows more.
    const auto factor = [&](int64_t depth) {
      const int64_t room = std::max<int64_t>(depth - depth / 2 - 2, 0) / trips;
      return draw_.OneIn(3) ? 0 : draw_.UpTo(std::min(room, depth - 1));
    };
    const int64_t src = gemm ? arch().inp_depth : arch().acc_depth;
    insn.dst_factor_out = factor(arch().acc_depth), insn.dst_factor_in = factor(arch().acc_depth);
    insn.src_factor_out = factor(src), insn.src_factor_in = factor(src);
    if (gemm) {
      insn.overwrite = arch().overwrite && draw_.OneIn(3);
      insn.wgt_factor_out = factor(arch().wgt_depth);
      insn.wgt_factor_in = factor(arch().wgt_depth);
      return insn;
    }
    const isa::AluOpSpec* op = nullptr;
    while (!op) op = isa::FindAluOp(arch(), draw_.UpTo(static_cast<int64_t>(LastAluOp(arch()))));
    insn.alu_opcode = static_cast<int64_t>(op->code);
    insn.use_imm = op->apply ? draw_.UpTo(1) : 0;
    insn.imm = draw_.OneIn(3) ? draw_.UpTo(65535) - 32768 : draw_.UpTo(80) - 40;
    return insn;
  }

  /// Hands the turn from the module of the last instruction to that of this one.
  void Add(Instruction insn) {
    const Module to = Route(program_.config, insn);
    if (program_.instructions.empty() && to != Module::kCompute) Push(Carrier());
    if (!program_.instructions.empty() && to != last_) {
      if (last_ != Module::kCompute && to != Module::kCompute) {
        Instruction between = Carrier();
        Link(Module::kCompute, between);
        Push(between);
      }
      Link(to, insn);
    }
    Push(insn);
  }
  static Instruction Carrier() { return {.opcode = static_cast<int64_t>(Opcode::kGemm)}; }
  void Link(Module to, Instruction& insn) {
    Instruction& from = program_.instructions.back();
    (last_ == Module::kLoad || to == Module::kStore ? from.push_next : from.push_prev) = 1;
    (to == Module::kLoad || last_ == Module::kStore ? insn.pop_next : insn.pop_prev) = 1;
  }
  void Push(const Instruction& insn) {
    program_.instructions.push_back(insn);
    last_ = Route(program_.config, insn);
  }

  Draw draw_;
  isa::Layout layout_;
  int64_t wild_;
  TestProgram program_;
  Module last_ = Module::kCompute;
};

}  // namespace

TestProgram SerialProgram(const isa::Config& config, uint64_t seed, int64_t wild) {
  return Generator(config, seed, wild).Run();
}

void ChangeField(Draw& draw, const isa::Layout& layout, Instruction& insn) {
  const auto& fields = layout.Fields(insn.opcode);
  const auto& field = fields[draw.UpTo(std::ssize(fields) - 1)];
  if (!field.spec->member) return;
  const int64_t low = isa::FieldLow(field.spec->is_signed, field.width);
  const int64_t high = isa::FieldHigh(field.spec->is_signed, field.width);
  int64_t& value = insn.*field.spec->member;
  switch (draw.UpTo(4)) {
    case 0:
      value = low;
      break;
    case 1:
      value = high;
      break;
    case 2:
      value = std::clamp(value + 2 * draw.UpTo(1) - 1, low, high);
      break;
    default:
      value = low + draw.UpTo(high - low);
  }
  // Another opcode has another format.
  Instruction fits{.opcode = insn.opcode};
  for (const auto& f : layout.Fields(insn.opcode))
    if (f.spec->member)
      fits.*f.spec->member =
          std::clamp(insn.*f.spec->member, isa::FieldLow(f.spec->is_signed, f.width),
                     isa::FieldHigh(f.spec->is_signed, f.width));
  insn = fits;
  while (MicroOps(insn) > kMostMicroOps)
    (insn.iter_out > insn.iter_in ? insn.iter_out : insn.iter_in) /= 2;
  while (insn.x_size * insn.y_size > kMostBeats)
    (insn.x_size > insn.y_size ? insn.x_size : insn.y_size) /= 2;
}

}  // namespace vta::test
