#include "isa/check/steps.h"

#include <utility>

#include "isa/check/ranges.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

class Resolver {
 public:
  Resolver(const Layout& layout, const Launch& launch, Collector& findings, Statistics& statistics)
      : layout_(layout),
        launch_(launch),
        findings_(findings),
        statistics_(statistics),
        out_(layout),
        walk_(layout, launch, out_.kernels) {
    if (!launch.interface) return;
    for (const ByteRange& range : launch.interface->takes) loadable_.Add(range.begin, range.end);
    for (const ImagePart& part : launch.image)
      if (part.constant) loadable_.Add(part.address, part.address + std::ssize(part.bytes));
    for (const ByteRange& range : launch.interface->makes) storable_.Add(range.begin, range.end);
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
                     .message = StrCat("no FINISH in ", Counted(index_, "instruction"))});
    else if (dead > 0)
      findings_.Add({.kind = FindingKind::kDeadInstruction,
                     .instruction = index_,
                     .other = index_ - 1,
                     .message = StrCat("what follows the FINISH never runs: ",
                                       Counted(dead, "instruction"))});
    if (launch_.interface && out_.rows_known) RequireAllMade();
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
    if (!InRange(memory.name, end - 1, DepthOf(arch(), memory), "")) return;

    DramTile tile = TileOf(layout_.config(), launch_, insn);
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
    if (memory.code == MemoryType::kUop) LoadUops(insn);
    HoldToInterface(tile, store);
    // Rows that meet are one row from here on.
    if (tile.rows > 1 && tile.stride_bytes == tile.row_bytes)
      tile = {tile.address, tile.rows * tile.row_bytes, 0, 1};
    step.dram = tile;
  }

  void LoadUops(const Instruction& insn) {
    statistics_.uops_loaded += insn.y_size * insn.x_size;
    const ByteRange unknown = walk_.Load(insn);
    if (unknown.begin == unknown.end) return;
    // Whatever runs on unknown micro-ops can not be judged.
    faulted_ = true;
    Refuse({.kind = FindingKind::kUnknownUops,
            .instruction = index_,
            .memory = "dram",
            .begin = unknown.begin,
            .end = unknown.end,
            .message = StrCat("loads micro-ops from ", Hex(unknown.begin),
                              ", where nothing is known to lie")});
  }

  void HoldToInterface(const DramTile& tile, bool store) {
    if (!launch_.interface) return;
    if (store) stored_.Add(tile);
    if (store && launch_.interface->reloads) loadable_.Add(tile);
    const int64_t byte = (store ? storable_ : loadable_).FirstOutside(tile);
    if (byte < 0) return;
    findings_.Add(
        {.kind = store ? FindingKind::kForeignStore : FindingKind::kForeignLoad,
         .instruction = index_,
         .memory = "dram",
         .begin = byte,
         .end = byte + 1,
         .message = store ? StrCat("stores to ", Hex(byte), ", which its step does not make")
                          : StrCat("loads ", Hex(byte), ", which its step does not take")});
  }

  void RequireAllMade() {
    for (const ByteRange& range : launch_.interface->makes) {
      const int64_t byte = stored_.FirstOutside(range.begin, range.end);
      if (byte < 0) continue;
      findings_.Add({.kind = FindingKind::kMissingStore,
                     .memory = "dram",
                     .begin = byte,
                     .end = byte + 1,
                     .message = StrCat("never stores to ", Hex(byte), ", which its step makes")});
    }
  }

  void ResolveLoops(const Instruction& insn, Step& step) {
    if (!InRange("uop", insn.uop_end - 1, arch().uop_depth, "")) return;
    const int64_t unloaded = walk_.FirstUnloaded(insn);
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
    statistics_.uops_executed += insn.iter_out * insn.iter_in * (insn.uop_end - insn.uop_begin);
    step.computes = true;
    const ComputeRows rows = walk_.Rows(insn);
    const auto hold = [&](const OperandRows* found, std::string_view memory,
                          std::string_view role) {
      if (found) InRange(memory, found->last, found->depth, role);
    };
    hold(rows.dst, "acc", "dst");
    hold(rows.inp, "inp", "src");
    hold(rows.wgt, "wgt", "wgt");
    hold(rows.acc, "acc", "src");
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
  Steps out_;
  OperandWalk walk_;
  RangeSet loadable_, storable_, stored_;  // with an interface
  int64_t index_ = 0;
  bool faulted_ = false;  // rows of later instructions are no longer known
};

}  // namespace

Steps Resolve(const Layout& layout, const Launch& launch, Collector& findings,
              Statistics& statistics) {
  return Resolver(layout, launch, findings, statistics).Run();
}

}  // namespace vta::isa
