#include "isa/check/published.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "isa/check/acc_rows.h"
#include "isa/check/collector.h"
#include "isa/check/happens_before.h"
#include "isa/check/neighbours.h"
#include "isa/check/order.h"
#include "isa/check/proof.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

/// Breaks by rule.
class Breaks {
 public:
  void Add(PublishedRule rule, int64_t instruction, std::string message) {
    BrokenRule& broken = by_rule_[rule];
    broken.rule = rule;
    ++broken.count;
    if (std::ssize(broken.first) < kMostPublishedBreaks)
      broken.first.push_back({instruction, std::move(message)});
  }
  std::vector<BrokenRule> Take() && {
    std::vector<BrokenRule> all;
    for (auto& [rule, broken] : by_rule_) all.push_back(std::move(broken));
    return all;
  }

 private:
  std::map<PublishedRule, BrokenRule> by_rule_;
};

void CheckColumns(const Layout& layout, Breaks& breaks) {
  constexpr PublishedColumns kColumns;
  const LogDepths& d = layout.log_depths();
  if (d.uop != kColumns.uop || d.inp != kColumns.inp || d.wgt != kColumns.wgt ||
      d.acc != kColumns.acc)
    breaks.Add(
        PublishedRule::kColumns, -1,
        StrCat("the config has columns U ", d.uop, ", I ", d.inp, ", W ", d.wgt, ", A ", d.acc));
}

/// The rules that one instruction word breaks or keeps by itself.
class WordRules {
 public:
  WordRules(const Config& config, const Launch& launch, Breaks& breaks)
      : config_(config), launch_(launch), breaks_(breaks) {}

  void Check(int64_t index, const Instruction& insn) {
    index_ = index;
    switch (static_cast<Opcode>(insn.opcode)) {
      case Opcode::kLoad:
      case Opcode::kStore:
        return CheckTransfer(insn);
      case Opcode::kGemm:
      case Opcode::kAlu:
        return CheckLoops(insn);
      case Opcode::kSet:
        return Add(PublishedRule::kVersion, "set");
      case Opcode::kFinish:
        return;
    }
  }

 private:
  void Add(PublishedRule rule, std::string message) {
    breaks_.Add(rule, index_, std::move(message));
  }

  void CheckTransfer(const Instruction& insn) {
    if (insn.x_size == 0) return;  // carries tokens
    const bool load = insn.opcode == static_cast<int64_t>(Opcode::kLoad);
    const auto type = static_cast<MemoryType>(insn.memory_type);
    if (insn.y_size == 0) Add(PublishedRule::kYSize, StrCat("y_size 0, x_size ", insn.x_size));
    if (type == MemoryType::kAcc8) Add(PublishedRule::kExtension, "load of acc8");
    if (type == MemoryType::kLut) Add(PublishedRule::kVersion, "load of lut");
    if (load && insn.pad_select && config_.arch.pad_value)
      Add(PublishedRule::kVersion, "pad_select");
    if (load && type == MemoryType::kWgt &&
        (insn.y_pad_top || insn.y_pad_bottom || insn.x_pad_left || insn.x_pad_right))
      Add(PublishedRule::kWeightPads, StrCat("pads ", insn.y_pad_top, ",", insn.y_pad_bottom, ",",
                                             insn.x_pad_left, ",", insn.x_pad_right));
    if (load && type == MemoryType::kUop) {
      if (insn.y_size > 1) Add(PublishedRule::kUopRows, StrCat(insn.y_size, " rows"));
      CheckUopEnd(insn.sram_base + insn.y_size * insn.x_size);
    }
    const MemorySpec& memory = *FindMemory(config_.arch, insn.memory_type);
    const int64_t base = launch_.bases[BaseRegister(type)];
    const int64_t offset = insn.dram_base * memory.dram_element_bytes(config_);
    if (base & offset)
      Add(PublishedRule::kBase, StrCat("base ", Hex(base), ", offset ", Hex(offset)));
  }

  void CheckLoops(const Instruction& insn) {
    if (insn.iter_out == 0 || insn.iter_in == 0 || insn.uop_begin >= insn.uop_end)
      return Add(PublishedRule::kTrips, StrCat("trips ", insn.iter_out, " and ", insn.iter_in,
                                               ", micro-ops ", insn.uop_begin, ":", insn.uop_end));
    CheckUopEnd(insn.uop_end);
    if (insn.overwrite) Add(PublishedRule::kVersion, "overwrite");
    if (insn.opcode != static_cast<int64_t>(Opcode::kAlu)) return;
    const auto op = static_cast<AluOp>(insn.alu_opcode);
    if (op == AluOp::kRequant) Add(PublishedRule::kVersion, "requant");
    if (op == AluOp::kLut) Add(PublishedRule::kVersion, "lut");
    if (op == AluOp::kMul) Add(PublishedRule::kExtension, "mul");
    if (op == AluOp::kShr && insn.use_imm &&
        (insn.imm < kPublishedLeastShift || insn.imm > kPublishedMostShift))
      Add(PublishedRule::kImmediateShift, StrCat("shifts by ", insn.imm));
  }

  void CheckUopEnd(int64_t end) {
    if (end > kPublishedUops) Add(PublishedRule::kUopIndex, StrCat("reaches micro-op ", end - 1));
  }

  const Config& config_;
  const Launch& launch_;
  Breaks& breaks_;
  int64_t index_ = 0;
};

/// The rules of micro-op kernels; a kernel and its loops that recur are looked at once.
class KernelRules {
 public:
  KernelRules(const Layout& layout, Breaks& breaks)
      : layout_(layout), breaks_(breaks), uops_(layout.config().arch.uop_depth) {}

  void Run(int64_t index, const Instruction& insn, const Step& step, Word word,
           const KnownBytes& memory) {
    if (step.pad == MemoryType::kUop) return Load(insn, step, memory);
    if (!step.computes || insn.opcode != static_cast<int64_t>(Opcode::kAlu)) return;
    constexpr uint64_t kTokenBits = 0x78;
    const auto [found, is_new] =
        verdicts_.try_emplace({loads_, word.low & ~kTokenBits, word.high}, Verdict{});
    if (is_new) found->second = Judge(insn);
    if (found->second.row) breaks_.Add(PublishedRule::kImmediateRow, index, *found->second.row);
    if (found->second.neighbours)
      breaks_.Add(PublishedRule::kNeighbours, index, *found->second.neighbours);
  }

 private:
  struct Verdict {
    std::optional<std::string> row, neighbours;
  };

  void Load(const Instruction& insn, const Step& step, const KnownBytes& memory) {
    ++loads_;
    // The tile has its rows joined where they meet, so that each is read by itself.
    const int64_t row_bytes = insn.x_size * (kUopBits / 8);
    std::vector<uint8_t> bytes(insn.y_size * row_bytes);
    for (int64_t row = 0; row < insn.y_size; ++row)
      VTA_CHECK(memory.ReadFirst(step.dram.address + row * insn.x_stride * (kUopBits / 8),
                                 std::span(bytes).subspan(row * row_bytes, row_bytes)),
                "micro-ops that the proof knows");
    for (size_t i = 0; i < bytes.size() / (kUopBits / 8); ++i) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
      uops_[insn.sram_base + i] = DecodeUop(layout_, word);
    }
  }

  Verdict Judge(const Instruction& insn) const {
    Verdict verdict;
    const auto uops = std::span(uops_).subspan(insn.uop_begin, insn.uop_end - insn.uop_begin);
    if (insn.use_imm) verdict.row = OtherRow(insn, uops);
    verdict.neighbours = NeighboursThatMeet(insn, uops);
    return verdict;
  }

  static std::optional<std::string> OtherRow(const Instruction& insn, std::span<const Uop> uops) {
    if (insn.iter_out > 1 && insn.src_factor_out != insn.dst_factor_out)
      return StrCat("the outer loop steps src by ", insn.src_factor_out, " and dst by ",
                    insn.dst_factor_out);
    if (insn.iter_in > 1 && insn.src_factor_in != insn.dst_factor_in)
      return StrCat("the inner loop steps src by ", insn.src_factor_in, " and dst by ",
                    insn.dst_factor_in);
    for (const Uop& uop : uops)
      if (uop.src != uop.dst) return StrCat("a micro-op has src ", uop.src, " and dst ", uop.dst);
    return std::nullopt;
  }

  const Layout& layout_;
  Breaks& breaks_;
  std::vector<Uop> uops_;
  int64_t loads_ = 0;
  std::map<std::tuple<int64_t, uint64_t, uint64_t>, Verdict> verdicts_;  // since which LOAD, word
};

/// What a row holds when it is shifted by or stored.
void CheckRows(int64_t index, const Instruction& insn, const Step& step, const ComputeRows& compute,
               const AccRows& rows, Breaks& breaks) {
  if (step.store) {
    const std::span<const RowRun> stored(&step.pad_rows, 1);
    using Writer = AccRow::Writer;
    const int64_t loaded =
        rows.FirstOf(stored, [](const AccRow& row) { return row.writer == Writer::kLoad; });
    if (loaded >= 0)
      breaks.Add(PublishedRule::kResult, index, StrCat("acc row ", loaded, " was loaded"));
    const int64_t reset =
        rows.FirstOf(stored, [](const AccRow& row) { return row.writer == Writer::kReset; });
    if (reset >= 0)
      breaks.Add(PublishedRule::kReset, index, StrCat("acc row ", reset, " was reset"));
    return;
  }
  if (!compute.acc || static_cast<AluOp>(insn.alu_opcode) != AluOp::kShr) return;
  const int64_t by = rows.FirstOf(compute.acc->runs, [](const AccRow& row) {
    return row.low < 0 || row.high > kPublishedMostShift;
  });
  if (by >= 0) {
    const AccRow& row = rows[by];
    const bool known = row.low != std::numeric_limits<int32_t>::min() ||
                       row.high != std::numeric_limits<int32_t>::max();
    return breaks.Add(PublishedRule::kTensorShift, index,
                      known
                          ? StrCat("acc row ", by, " holds values from ", row.low, " to ", row.high)
                          : StrCat("nothing is known of acc row ", by));
  }
  // An earlier micro-op of the instruction may have changed what a later one shifts by.
  for (const RowRun& dst : compute.dst->runs)
    for (const RowRun& src : compute.acc->runs)
      if (dst.begin < src.end && src.begin < dst.end)
        return breaks.Add(
            PublishedRule::kTensorShift, index,
            StrCat("acc row ", std::max(dst.begin, src.begin), " is shifted and shifted by"));
}

/// Tokens, and what FINISH waits for, in an order in which the program can run.
class TokenRules {
 public:
  TokenRules(std::span<const Step> steps, Breaks& breaks) : breaks_(breaks) {
    std::array<uint32_t, kModules> ordinal = {};
    for (const Step& step : steps) {
      const int module = static_cast<int>(step.module);
      ++ordinal[module];
      if (!step.carrier && !step.finish) work_[module] = ordinal[module];
    }
  }

  void Run(int64_t index, Step step) {
    const bool finish = step.finish;
    step.finish = false;  // published hardware makes no barrier of it
    const VectorClock clock = before_.Start(step);
    before_.End(step, clock);
    for (int q = 0; q < kQueues; ++q) {
      const int64_t most = before_.occupancy()[q];
      if (most <= kPublishedTokens || most <= most_[q]) continue;
      most_[q] = most;
      breaks_.Add(PublishedRule::kTokens, index,
                  StrCat(kQueueTable[q].name, " may hold ", Counted(most, "token")));
    }
    if (!finish) return;
    for (const ModuleSpec& module : kModuleTable)
      if (clock[module.code] < work_[static_cast<int>(module.code)])
        breaks_.Add(PublishedRule::kFinish, index,
                    StrCat("no token says that ", module.name, " is done"));
  }

 private:
  Breaks& breaks_;
  HappensBefore before_;
  std::array<int64_t, kQueues> most_ = {};
  std::array<uint32_t, kModules> work_ = {};  // instructions up to the last that is no carrier
};

void CheckEnd(std::span<const Instruction> program, Breaks& breaks) {
  const auto finish =
      std::ranges::find(program, static_cast<int64_t>(Opcode::kFinish), &Instruction::opcode);
  if (finish == program.end()) return breaks.Add(PublishedRule::kFinish, -1, "there is no FINISH");
  const int64_t after = program.end() - finish - 1;
  if (after > 0)
    breaks.Add(PublishedRule::kFinish, finish - program.begin(),
               StrCat("FINISH is followed by ", Counted(after, "instruction")));
}

std::vector<std::string> Notes(const Config& config) {
  std::vector<std::string> notes;
  for (const auto& [has, name] : {std::pair(config.arch.mul, "mul"), {config.arch.acc8, "acc8"}})
    if (has)
      notes.push_back(
          StrCat("config ", config.name, " has ", name, ": no published hardware has it"));
  if (config.version != Version::k002)
    notes.push_back(StrCat("config ", config.name, " is of ISA ", VersionName(config.version),
                           ": published executors have 0.0.2 alone"));
  return notes;
}

}  // namespace

PublishedReport CheckPublished(const Config& config, const Launch& launch) {
  const Layout layout(config);
  PublishedReport out;
  out.notes = Notes(config);
  Breaks breaks;
  CheckColumns(layout, breaks);
  std::vector<Instruction> program;
  WordRules words(config, launch, breaks);
  for (const Word& word : launch.instructions) {
    program.push_back(Decode(layout, word));
    if (DecodeFault(config, program.back()) == Fault::kNone)
      words.Check(std::ssize(program) - 1, program.back());
  }
  CheckEnd(program, breaks);

  Report proof;
  Collector findings(&proof);
  Steps resolved = Resolve(layout, launch, findings, proof.statistics);
  const auto order = resolved.legal && resolved.rows_known
                         ? FindOrder(config, launch, resolved.steps, findings, proof.statistics)
                         : std::nullopt;
  if (order) ProveOrder(layout, launch, resolved, *order, findings, proof.statistics);
  out.complete = proof.ok();
  if (order) {
    KernelRules kernels(layout, breaks);
    OperandWalk operands(layout, launch, resolved.kernels);
    AccRows rows(config, launch);
    TokenRules tokens(resolved.steps, breaks);
    for (const int64_t index : *order) {
      const Instruction& insn = program[index];
      const Step& step = resolved.steps[index];
      if (step.pad == MemoryType::kUop) operands.Load(insn);
      const ComputeRows compute = step.computes ? operands.Rows(insn) : ComputeRows{};
      kernels.Run(index, insn, step, launch.instructions[index], rows.memory());
      CheckRows(index, insn, step, compute, rows, breaks);
      rows.Run(insn, step, compute);
      tokens.Run(index, step);
    }
  }
  out.broken = std::move(breaks).Take();
  return out;
}

}  // namespace vta::isa
