#include "isa/check/operands.h"

#include <algorithm>
#include <cstring>

#include "isa/spec/memories.h"

namespace vta::isa {

int64_t DramTile::FirstIn(int64_t begin, int64_t end) const {
  if (rows == 0 || begin >= end) return -1;
  int64_t row = 0;
  if (stride_bytes > 0 && address + row_bytes <= begin)
    row = (begin - address - row_bytes) / stride_bytes + 1;  // the first row that ends after begin
  if (row >= rows) return -1;
  const int64_t start = address + row * stride_bytes;
  return start < end && start + row_bytes > begin ? std::max(start, begin) : -1;
}

DramTile TileOf(const Config& config, const Launch& launch, const Instruction& transfer) {
  const MemorySpec& memory = *FindMemory(config.arch, transfer.memory_type);
  const int64_t bytes = memory.dram_element_bytes(config);
  const int64_t base = launch.bases[BaseRegister(memory.code)];
  DramTile tile{base + transfer.dram_base * bytes, transfer.x_size * bytes,
                transfer.x_stride * bytes, transfer.y_size};
  if (tile.stride_bytes == 0) tile.rows = 1;
  return tile;
}

OperandWalk::OperandWalk(const Layout& layout, const Launch& launch, Kernels& kernels)
    : layout_(layout), launch_(launch), kernels_(kernels), uops_(layout.config().arch.uop_depth) {
  for (const ImagePart& part : launch.image) parts_.push_back(&part);
  std::ranges::sort(parts_, {}, &ImagePart::address);
}

ByteRange OperandWalk::Load(const Instruction& load) {
  const DramTile tile = TileOf(layout_.config(), launch_, load);
  const auto words = std::as_writable_bytes(uops_.Load(load.sram_base, load.y_size * load.x_size));
  for (int64_t y = 0; y < load.y_size; ++y) {
    const int64_t address = tile.address + y * tile.stride_bytes;
    const int64_t known = CopyImage(address, words.subspan(y * tile.row_bytes, tile.row_bytes));
    if (known < tile.row_bytes) return {address + known, address + tile.row_bytes};
  }
  return {};
}

/// Copies what the image holds at `address`; returns how many bytes it knows there.
int64_t OperandWalk::CopyImage(int64_t address, std::span<std::byte> to) const {
  int64_t done = 0;
  while (done < std::ssize(to)) {
    auto next = std::ranges::upper_bound(parts_, address + done, {}, &ImagePart::address);
    if (next == parts_.begin()) break;
    const ImagePart& part = **--next;
    const int64_t offset = address + done - part.address;
    const int64_t count = std::min(std::ssize(part.bytes) - offset, std::ssize(to) - done);
    if (count <= 0) break;
    std::memcpy(to.data() + done, part.bytes.data() + offset, count);
    done += count;
  }
  return done;
}

int64_t OperandWalk::FirstUnloaded(const Instruction& compute) const {
  return uops_.FirstUnloaded(compute.uop_begin, compute.uop_end);
}

ComputeRows OperandWalk::Rows(const Instruction& insn) {
  const int64_t kernel = uops_.Kernel(insn.uop_begin, insn.uop_end, kernels_);
  const auto rows = [&](Operand operand, int64_t factor_out, int64_t factor_in) {
    // A single trip leaves its factor unused: one entry for all of them.
    const Loops loops{insn.iter_out, insn.iter_in, insn.iter_out > 1 ? factor_out : 0,
                      insn.iter_in > 1 ? factor_in : 0};
    return &kernels_.Rows(kernel, operand, loops);
  };
  const bool gemm = insn.opcode == static_cast<int64_t>(Opcode::kGemm);
  ComputeRows out;
  out.reads_dst = !(gemm && (insn.reset || insn.overwrite));
  out.dst = rows(Operand::kDst, insn.dst_factor_out, insn.dst_factor_in);
  if (gemm && !insn.reset) {
    out.inp = rows(Operand::kGemmSrc, insn.src_factor_out, insn.src_factor_in);
    out.wgt = rows(Operand::kWgt, insn.wgt_factor_out, insn.wgt_factor_in);
  } else if (!gemm && !insn.use_imm) {
    const bool block = FindAluOp(layout_.config().arch, insn.alu_opcode)->apply == nullptr;
    out.acc = rows(block ? Operand::kRequantSrc : Operand::kAluSrc, insn.src_factor_out,
                   insn.src_factor_in);
    out.table = insn.alu_opcode == static_cast<int64_t>(AluOp::kLut);
  }
  return out;
}

}  // namespace vta::isa
