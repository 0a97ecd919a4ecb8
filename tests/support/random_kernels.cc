#include "tests/support/random_kernels.h"

#include <algorithm>

#include "isa/spec/requant.h"

namespace vta::test {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

isa::Config RandomConfig(Draw& draw) {
  isa::Config config;
  config.arch.block_in = config.arch.block_out = 8;
  config.arch.uop_depth = int64_t{16} << draw.UpTo(2);
  config.arch.inp_depth = 32;
  config.arch.wgt_depth = 16;
  config.arch.acc_depth = int64_t{32} << draw.UpTo(1);
  config.arch.mul = draw.UpTo(1);
  config.arch.acc8 = draw.UpTo(1);
  if (draw.OneIn(2)) {
    config.version = isa::Version::k100;
    config.arch.requant = draw.UpTo(1);
    config.arch.pad_value = draw.UpTo(1);
    config.arch.overwrite = draw.UpTo(1);
    if (config.arch.requant) config.arch.lut = draw.UpTo(1);
  }
  ValidateConfig(config, "random config");
  return config;
}

std::vector<Slot> PlaceSlots(Draw& draw, int64_t count, int64_t rows, int64_t low) {
  const bool in_turns = draw.OneIn(4);
  std::vector<Slot> slots;
  for (int64_t s = 0; s < count; ++s)
    slots.push_back(in_turns ? Slot{low + s, count, rows} : Slot{low + s * rows, 1, rows});
  return slots;
}

isa::AluOp LastAluOp(const isa::Arch& arch) {
  return arch.lut ? isa::AluOp::kLut : isa::AluOp::kRequant;
}

int32_t RequantWord(Draw& draw) {
  switch (draw.UpTo(3)) {
    case 0:
      return 0x40000000 >> draw.UpTo(3);
    case 1:
      return isa::PackRequant({.exponent = static_cast<int8_t>(draw.UpTo(12) - 8),
                               .zero_point = static_cast<int8_t>(draw.UpTo(20) - 10)});
    default:
      return static_cast<int32_t>(draw.UpTo(400) - 200);
  }
}

Instruction Set(isa::Mode mode, int64_t value) {
  return {.opcode = static_cast<int64_t>(Opcode::kSet),
          .mode = static_cast<int64_t>(mode),
          .value = value};
}

Instruction LoadRows(MemoryType type, int64_t row, int64_t rows, int64_t element) {
  return {.opcode = static_cast<int64_t>(Opcode::kLoad),
          .memory_type = static_cast<int64_t>(type),
          .sram_base = row,
          .dram_base = element,
          .y_size = 1,
          .x_size = rows,
          .x_stride = rows};
}

Instruction Carrier(Draw& draw, Module module) {
  // Zero in one of its sizes; the others may say anything.
  Instruction insn = LoadRows(MemoryType::kInp, draw.UpTo(65535), draw.UpTo(9), draw.UpTo(65535));
  (draw.OneIn(2) ? insn.x_size : insn.y_size) = 0;
  if (module == Module::kStore) {
    insn.opcode = static_cast<int64_t>(Opcode::kStore);
    insn.memory_type = static_cast<int64_t>(MemoryType::kOut);
  } else if (module == Module::kCompute && draw.OneIn(2)) {
    insn = {.opcode = static_cast<int64_t>(draw.OneIn(2) ? Opcode::kGemm : Opcode::kAlu)};
    const int64_t what = draw.UpTo(2);
    insn.uop_begin = 3;
    insn.uop_end = what == 0 ? draw.UpTo(3) : 9;
    insn.iter_out = what == 1 ? 0 : 7;
    insn.iter_in = what == 2 ? 0 : 7;
  } else if (module == Module::kCompute) {
    insn.memory_type = static_cast<int64_t>(MemoryType::kAcc);
  }
  return insn;
}

namespace {

/// A 2-D shape of `rows` elements.
void Shape(Draw& draw, int64_t rows, Instruction& insn) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= rows; ++d)
    if (rows % d == 0) divisors.push_back(d);
  insn.x_size = divisors[draw.UpTo(std::ssize(divisors) - 1)];
  insn.y_size = rows / insn.x_size;
  insn.x_stride = insn.x_size + draw.UpTo(1);
}

/// The slot cut into stretches of consecutive rows: a stretch's first k and its rows.
std::vector<std::pair<int64_t, int64_t>> Stretches(Draw& draw, const Slot& slot) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (int64_t k = 0; k < slot.rows;) {
    const int64_t rows = slot.step != 1  ? 1
                         : draw.OneIn(2) ? slot.rows - k
                                         : 1 + draw.UpTo(slot.rows - k - 1);
    out.emplace_back(k, rows);
    k += rows;
  }
  return out;
}

}  // namespace

std::vector<Instruction> LoadSlot(Draw& draw, const isa::Config& config, MemoryType type,
                                  const Slot& slot, int64_t element) {
  std::vector<Instruction> ops;
  for (const auto& [k, rows] : Stretches(draw, slot)) {
    Instruction insn = LoadRows(type, slot.Row(k), rows, element + draw.UpTo(1));
    Shape(draw, rows, insn);
    // Some of the rows and columns may be padding.
    auto carve = [&](int64_t& size, int64_t& pad) {
      if (size <= 1 || !draw.OneIn(3)) return;
      pad = 1 + draw.UpTo(std::min<int64_t>(size - 2, 14));
      size -= pad;
    };
    carve(insn.x_size, insn.x_pad_left), carve(insn.x_size, insn.x_pad_right);
    carve(insn.y_size, insn.y_pad_top), carve(insn.y_size, insn.y_pad_bottom);
    if (config.arch.pad_value) insn.pad_select = draw.UpTo(1);
    ops.push_back(insn);
  }
  return ops;
}

std::vector<Instruction> StoreSlot(Draw& draw, const Slot& slot, int64_t element) {
  std::vector<Instruction> ops;
  for (const auto& [k, rows] : Stretches(draw, slot)) {
    Instruction insn = LoadRows(MemoryType::kOut, slot.Row(k), rows, element + k);
    insn.opcode = static_cast<int64_t>(Opcode::kStore);
    Shape(draw, rows, insn);
    insn.y_pad_top = draw.UpTo(3);  // ignored
    ops.push_back(insn);
  }
  return ops;
}

void KernelWriter::UseKernel(const std::vector<isa::Uop>& kernel, Instruction& insn) {
  uops.resize(program.config.arch.uop_depth);
  const auto count = std::ssize(kernel);
  auto at = std::search(uops.begin(), uops.end(), kernel.begin(), kernel.end());
  if (at == uops.end() || draw.OneIn(4)) {
    at = uops.begin() + draw.UpTo(std::ssize(uops) - count);
    std::ranges::copy(kernel, at);
    const int64_t row = at - uops.begin();
    const int64_t element = AppendUops(program, kernel) - program.bases[0] / 4;
    ops.push_back(LoadRows(MemoryType::kUop, row, count, element));
    if (draw.OneIn(3)) std::swap(ops.back().x_size, ops.back().y_size), ops.back().x_stride = 1;
  }
  insn.uop_begin = at - uops.begin();
  insn.uop_end = insn.uop_begin + count;
}

void KernelWriter::RowByRow(const Slot& acc, Instruction insn, isa::Uop uop) {
  insn.iter_out = insn.iter_in = 1;
  std::vector<isa::Uop> kernel;
  const auto add = [&](int64_t row) {
    uop.dst = row;
    kernel.push_back(uop);
  };
  if (draw.OneIn(2) || acc.rows > program.config.arch.uop_depth) {
    add(acc.first);
    insn.iter_in = acc.rows, insn.dst_factor_in = acc.step;
  } else {
    for (int64_t k = 0; k < acc.rows; ++k) add(acc.Row(k));
  }
  UseKernel(kernel, insn);
  ops.push_back(insn);
}

void KernelWriter::Reset(const Slot& acc) {
  RowByRow(acc, {.opcode = static_cast<int64_t>(Opcode::kGemm), .reset = 1});
}

void KernelWriter::Overwrite(const Slot& acc, const Slot& inp, const Slot& wgt) {
  RowByRow(acc, {.opcode = static_cast<int64_t>(Opcode::kGemm), .overwrite = 1},
           {.src = inp.Row(draw.UpTo(inp.rows - 1)), .wgt = wgt.Row(draw.UpTo(wgt.rows - 1))});
}

void KernelWriter::ImmediateOnAll(const Slot& acc) {
  RowByRow(acc, {.opcode = static_cast<int64_t>(Opcode::kAlu),
                 .alu_opcode = static_cast<int64_t>(isa::AluOp::kAdd),
                 .use_imm = 1,
                 .imm = draw.UpTo(99)});
}

namespace {

/// More of them in a larger slot.
void DrawTrips(Draw& draw, const Slot& acc, Instruction& insn) {
  insn.iter_out = 1 + draw.UpTo(std::max<int64_t>(2, acc.rows / 8));
  insn.iter_in = 1 + draw.UpTo(std::max<int64_t>(3, acc.rows / 4));
}

/// Steps of the two loops that stay inside a slot, and the highest start. A loop of one trip takes
/// any step that a factor of the scratchpad can say.
struct Walk {
  int64_t out = 0, in = 0, highest_start = 0;
  Walk(Draw& draw, const Instruction& insn, const Slot& slot, int64_t depth) {
    int64_t left = slot.rows - 1;
    auto step = [&](int64_t trips) {
      const int64_t most =
          trips > 1 ? left / (trips - 1) : std::min<int64_t>(3, (depth - 1) / slot.step);
      const int64_t by = draw.UpTo(most);
      if (trips > 1) left -= by * (trips - 1);
      return by * slot.step;
    };
    out = step(insn.iter_out), in = step(insn.iter_in);
    highest_start = left;
  }
  int64_t Start(Draw& draw, const Slot& slot) const { return slot.Row(draw.UpTo(highest_start)); }
};

void MarkWritten(const Instruction& insn, const std::vector<isa::Uop>& kernel, const Slot& acc,
                 std::vector<bool>& written) {
  for (const isa::Uop& uop : kernel)
    for (int64_t o = 0; o < insn.iter_out; ++o)
      for (int64_t i = 0; i < insn.iter_in; ++i)
        written[(uop.dst - acc.first + o * insn.dst_factor_out + i * insn.dst_factor_in) /
                acc.step] = true;
}

}  // namespace

void KernelWriter::Gemm(const Slot& acc, const Slot& inp, const Slot& wgt,
                        std::vector<bool>& written) {
  Instruction insn{.opcode = static_cast<int64_t>(Opcode::kGemm)};
  insn.overwrite = program.config.arch.overwrite && draw.OneIn(3);
  DrawTrips(draw, acc, insn);
  const isa::Arch& arch = program.config.arch;
  const Walk dst(draw, insn, acc, arch.acc_depth), src(draw, insn, inp, arch.inp_depth),
      weight(draw, insn, wgt, arch.wgt_depth);
  insn.dst_factor_out = dst.out, insn.dst_factor_in = dst.in;
  insn.src_factor_out = src.out, insn.src_factor_in = src.in;
  insn.wgt_factor_out = weight.out, insn.wgt_factor_in = weight.in;
  std::vector<isa::Uop> kernel(1 + draw.UpTo(std::max<int64_t>(3, acc.rows / 4)));
  for (isa::Uop& uop : kernel)
    uop = {dst.Start(draw, acc), src.Start(draw, inp), weight.Start(draw, wgt)};
  UseKernel(kernel, insn);
  MarkWritten(insn, kernel, acc, written);
  ops.push_back(insn);
}

void KernelWriter::Alu(const Slot& acc, std::vector<bool>& written) {
  const isa::Arch& arch = program.config.arch;
  Instruction insn{.opcode = static_cast<int64_t>(Opcode::kAlu)};
  do {
    insn.alu_opcode = draw.UpTo(static_cast<int64_t>(LastAluOp(arch)));
  } while (!isa::FindAluOp(arch, insn.alu_opcode));
  const bool requant = !isa::FindAluOp(arch, insn.alu_opcode)->apply;
  insn.use_imm = requant ? 0 : draw.UpTo(1);
  insn.imm = draw.UpTo(40) - 20;
  DrawTrips(draw, acc, insn);
  const Walk dst(draw, insn, acc, arch.acc_depth), src(draw, insn, acc, arch.acc_depth);
  insn.dst_factor_out = dst.out, insn.dst_factor_in = dst.in;
  if (!requant) insn.src_factor_out = src.out, insn.src_factor_in = src.in;
  std::vector<isa::Uop> kernel(1 + draw.UpTo(std::max<int64_t>(3, acc.rows / 4)));
  for (isa::Uop& uop : kernel) uop = {dst.Start(draw, acc), requant ? 0 : src.Start(draw, acc), 0};
  UseKernel(kernel, insn);
  MarkWritten(insn, kernel, acc, written);
  ops.push_back(insn);
}

}  // namespace vta::test
