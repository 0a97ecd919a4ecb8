#include "isa/check/steps.h"

#include <algorithm>
#include <cstring>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

class Resolver {
 public:
  Resolver(const Layout& layout, const Launch& launch, Collector& findings, Statistics& statistics)
      : layout_(layout),
        launch_(launch),
        findings_(findings),
        statistics_(statistics),
        uops_(layout.config().arch.uop_depth),
        out_(layout) {
    for (const ImagePart& part : launch.image) parts_.push_back(&part);
    std::ranges::sort(parts_, {}, &ImagePart::address);
  }

  Steps Run() && {
    for (const Word& word : launch_.instructions) {
      const Instruction insn = Decode(layout_, word);
      Add(insn);
      ++index_;
      if (out_.steps.back().finish) break;
    }
    const int64_t dead = std::ssize(launch_.instructions) - index_;
    if (out_.steps.empty() || !out_.steps.back().finish)
      findings_.Add({.kind = FindingKind::kNoFinish,
                     .message = StrCat("none of the ", index_, " instructions is a FINISH")});
    else if (dead > 0)
      findings_.Add({.kind = FindingKind::kDeadInstruction,
                     .instruction = index_,
                     .other = index_ - 1,
                     .message = StrCat(dead, " instructions after the FINISH never run")});
    statistics_.kernels = out_.kernels.count();
    return std::move(out_);
  }

 private:
  const Arch& arch() const { return layout_.config().arch; }

  void Add(const Instruction& insn) {
    Step step;
    step.module = Route(layout_.config(), insn);
    step.pop_prev = insn.pop_prev, step.pop_next = insn.pop_next;
    step.push_prev = insn.push_prev, step.push_next = insn.push_next;
    const Fault fault = DecodeFault(layout_.config(), insn);
    if (fault != Fault::kNone) {
      faulted_ = true;
      out_.legal = out_.rows_known = false;
      findings_.Add({.kind = FindingKind::kDecodeFault,
                     .instruction = index_,
                     .module = step.module,
                     .message = StrCat(Spec(fault).name, ": ", Spec(fault).meaning)});
    } else {
      Resolve(insn, step);
    }
    ++statistics_.instructions;
    ++statistics_.by_module[static_cast<int>(step.module)];
    statistics_.token_carriers[static_cast<int>(step.module)] += step.carrier;
    out_.steps.push_back(step);
  }

  void Resolve(const Instruction& insn, Step& step) {
    switch (static_cast<Opcode>(insn.opcode)) {
      case Opcode::kLoad:
      case Opcode::kStore:
        step.carrier = insn.x_size == 0 || insn.y_size == 0;
        if (!step.carrier && !faulted_) ResolveTransfer(insn, step);
        return;
      case Opcode::kGemm:
      case Opcode::kAlu:
        step.carrier = insn.iter_out == 0 || insn.iter_in == 0 || insn.uop_begin >= insn.uop_end;
        if (!step.carrier && !faulted_) ResolveLoops(insn, step);
        return;
      case Opcode::kFinish:
        step.finish = true;
        return;
      case Opcode::kSet:
        return;
    }
  }

  void ResolveTransfer(const Instruction& insn, Step& step) {
    const MemorySpec& memory = *FindMemory(arch(), insn.memory_type);
    const bool store = insn.opcode == static_cast<int64_t>(Opcode::kStore);
    int64_t rows = insn.y_size, columns = insn.x_size;
    if (!store) {
      rows += insn.y_pad_top + insn.y_pad_bottom;
      columns += insn.x_pad_left + insn.x_pad_right;
    }
    const int64_t end = insn.sram_base + rows * columns;
    if (!InRange(memory.name, end - 1, arch().*memory.depth, "")) return;

    const int64_t bytes = memory.dram_element_bytes(layout_.config());
    const int64_t base = launch_.bases[BaseRegister(memory.code)];
    DramTile tile{base + insn.dram_base * bytes, insn.x_size * bytes, insn.x_stride * bytes,
                  insn.y_size};
    if (tile.stride_bytes == 0) tile.rows = 1;
    if (tile.end() > launch_.memory_bytes) {
      Refuse({.kind = FindingKind::kMemoryOutOfRange,
              .instruction = index_,
              .memory = "dram",
              .begin = tile.address,
              .end = tile.end(),
              .message = StrCat("touches DRAM up to byte ", Hex(tile.end() - 1), " of ",
                                Hex(launch_.memory_bytes))});
      return;
    }
    step.pad = PadOf(memory.code);
    step.store = store;
    step.pad_rows = {static_cast<int32_t>(insn.sram_base), static_cast<int32_t>(end)};
    if (memory.code == MemoryType::kUop) LoadUops(insn, tile);
    // Rows that meet are one row from here on.
    if (tile.rows > 1 && tile.stride_bytes == tile.row_bytes)
      tile = {tile.address, tile.rows * tile.row_bytes, 0, 1};
    step.dram = tile;
  }

  void LoadUops(const Instruction& insn, const DramTile& tile) {
    const auto words =
        std::as_writable_bytes(uops_.Load(insn.sram_base, insn.y_size * insn.x_size));
    statistics_.uops_loaded += insn.y_size * insn.x_size;
    for (int64_t y = 0; y < insn.y_size; ++y) {
      const int64_t address = tile.address + y * tile.stride_bytes;
      const int64_t known = CopyImage(address, words.subspan(y * tile.row_bytes, tile.row_bytes));
      if (known == tile.row_bytes) continue;
      // Whatever runs on unknown micro-ops can not be judged.
      faulted_ = true;
      Refuse({.kind = FindingKind::kUnknownUops,
              .instruction = index_,
              .memory = "dram",
              .begin = address + known,
              .end = address + tile.row_bytes,
              .message = StrCat("loads micro-ops from ", Hex(address + known),
                                ", where nothing is known to lie")});
      return;
    }
  }

  /// Copies what the image holds at `address`; returns how many bytes it knows there.
  int64_t CopyImage(int64_t address, std::span<std::byte> to) const {
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

  void ResolveLoops(const Instruction& insn, Step& step) {
    if (!InRange("uop", insn.uop_end - 1, arch().uop_depth, "")) return;
    const int64_t unloaded = uops_.FirstUnloaded(insn.uop_begin, insn.uop_end);
    if (unloaded < insn.uop_end) {
      faulted_ = true;
      Refuse({.kind = FindingKind::kUninitialisedRead,
              .instruction = index_,
              .memory = "uop",
              .begin = unloaded,
              .end = unloaded + 1,
              .message = StrCat("uses micro-op ", unloaded, ", which was never loaded")});
      return;
    }
    const int64_t kernel = uops_.Kernel(insn.uop_begin, insn.uop_end, out_.kernels);
    statistics_.uops_executed += insn.iter_out * insn.iter_in * (insn.uop_end - insn.uop_begin);
    auto rows = [&](Operand operand, std::string_view memory, std::string_view role,
                    int64_t factor_out, int64_t factor_in) -> const OperandRows* {
      // A single trip leaves its factor unused: one entry for all of them.
      const Loops loops{insn.iter_out, insn.iter_in, insn.iter_out > 1 ? factor_out : 0,
                        insn.iter_in > 1 ? factor_in : 0};
      const OperandRows& found = out_.kernels.Rows(kernel, operand, loops);
      return InRange(memory, found.last, found.depth, role) ? &found : nullptr;
    };
    const bool gemm = insn.opcode == static_cast<int64_t>(Opcode::kGemm);
    step.reads_dst = !(gemm && insn.reset);
    step.dst = rows(Operand::kDst, "acc", "dst", insn.dst_factor_out, insn.dst_factor_in);
    if (gemm && !insn.reset) {
      step.inp = rows(Operand::kGemmSrc, "inp", "src", insn.src_factor_out, insn.src_factor_in);
      step.wgt = rows(Operand::kWgt, "wgt", "wgt", insn.wgt_factor_out, insn.wgt_factor_in);
    } else if (!gemm && !insn.use_imm) {
      const bool block = FindAluOp(arch(), insn.alu_opcode)->apply == nullptr;
      step.acc = rows(block ? Operand::kRequantSrc : Operand::kAluSrc, "acc", "src",
                      insn.src_factor_out, insn.src_factor_in);
    }
  }

  void Refuse(Finding finding) {
    out_.rows_known = false;
    findings_.Add(std::move(finding));
  }

  bool InRange(std::string_view memory, int64_t last, int64_t depth, std::string_view role) {
    if (last < depth) return true;
    Refuse({.kind = FindingKind::kIndexOutOfRange,
            .instruction = index_,
            .memory = std::string(memory),
            .begin = last,
            .end = last + 1,
            .message = StrCat(role, role.empty() ? "" : " ", "reaches ", memory, " row ", last,
                              " of ", depth)});
    return false;
  }

  const Layout& layout_;
  const Launch& launch_;
  Collector& findings_;
  Statistics& statistics_;
  std::vector<const ImagePart*> parts_;
  UopMemory uops_;
  Steps out_;
  int64_t index_ = 0;
  bool faulted_ = false;  // rows of later instructions are no longer known
};

}  // namespace

int64_t DramTile::FirstIn(int64_t begin, int64_t end) const {
  if (rows == 0 || begin >= end) return -1;
  int64_t row = 0;
  if (stride_bytes > 0 && address + row_bytes <= begin)
    row = (begin - address - row_bytes) / stride_bytes + 1;  // the first row that ends after begin
  if (row >= rows) return -1;
  const int64_t start = address + row * stride_bytes;
  return start < end && start + row_bytes > begin ? std::max(start, begin) : -1;
}

Steps Resolve(const Layout& layout, const Launch& launch, Collector& findings,
              Statistics& statistics) {
  return Resolver(layout, launch, findings, statistics).Run();
}

}  // namespace vta::isa
