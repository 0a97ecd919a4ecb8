#include "sim/trace/timing_difference.h"

#include <algorithm>
#include <map>

#include "isa/codec.h"
#include "isa/spec/timing_table.h"
#include "isa/support/error.h"

namespace vta::sim {
namespace {

using isa::Opcode;

constexpr char kTokens[] =
    "an instruction ends in the cycle in which it pushes its tokens, and what pops them starts in "
    "the next one or later";

using Slices = std::map<int64_t, const InstructionSlice*>;  // by index

Slices ByIndex(const Timeline& timeline) {
  Slices slices;
  for (const InstructionSlice& slice : timeline.instructions) slices[slice.index] = &slice;
  return slices;
}

std::string Rule(std::string_view name) {
  const isa::timing::Number& number = isa::timing::Find(name);
  return StrCat(number.name, ", ", number.value, " ", number.unit, " ", number.meaning);
}

bool IsLong(const isa::Instruction& f) {
  const auto op = static_cast<isa::AluOp>(f.alu_opcode);
  return f.opcode == static_cast<int64_t>(Opcode::kAlu) &&
         (op == isa::AluOp::kMul || op == isa::AluOp::kRequant || op == isa::AluOp::kLut);
}
bool Loops(const isa::Instruction& f) {
  const auto opcode = static_cast<Opcode>(f.opcode);
  return (opcode == Opcode::kGemm || opcode == Opcode::kAlu) && f.iter_out > 0 && f.iter_in > 0 &&
         f.uop_begin < f.uop_end;
}

std::string EndRule(const isa::Instruction& f) {
  const bool moves = f.x_size > 0 && f.y_size > 0;
  switch (static_cast<Opcode>(f.opcode)) {
    case Opcode::kLoad:
      if (!moves) return kTokens;
      return Rule(f.memory_type == static_cast<int64_t>(isa::MemoryType::kUop)
                      ? "kUopLoadFixedCycles"
                      : "kLoadFixedCycles");
    case Opcode::kStore:
      return moves ? Rule("kStoreFixedCycles") : kTokens;
    case Opcode::kGemm:
    case Opcode::kAlu:
      if (!Loops(f)) return kTokens;
      return Rule(!IsLong(f) ? "kExecuteFixedCycles"
                  : static_cast<isa::AluOp>(f.alu_opcode) == isa::AluOp::kMul
                      ? "kLongStages"
                      : "kRequantBlockCycles");
    default:
      return kTokens;
  }
}

// `before`: the one that starts before it in its module, or null.
std::string StartRule(const isa::Layout& layout, const InstructionSlice* before,
                      const InstructionSlice& slice) {
  if (!before) return Rule("kLaunchCycles");
  const isa::Instruction f = isa::Decode(layout, slice.word);
  const isa::Instruction last = isa::Decode(layout, before->word);
  if (slice.begin >= before->end) return slice.begin == before->end ? Rule("kFifoCycles") : kTokens;
  if (layout.config().uarch.acc_banks == 2 && last.opcode == static_cast<int64_t>(Opcode::kAlu) &&
      !(Loops(f) && IsLong(last)))
    return Rule("kReachCycles");
  return Rule(IsLong(last) ? "kLongOverlapCycles" : "kExecuteOverlapCycles");
}

const InstructionSlice* Before(const Slices& slices, const InstructionSlice& slice) {
  const InstructionSlice* before = nullptr;
  for (const auto& [index, other] : slices) {
    if (index >= slice.index) break;
    if (other->module == slice.module) before = other;
  }
  return before;
}

// Where both have it, the times that differ; where one has, its start.
struct Where {
  const InstructionSlice *left = nullptr, *right = nullptr;
  bool start = true;
  int64_t cycle = 0;  // since the launch began
};

template <typename T, typename Text>
std::string First(std::string_view what, const std::vector<T>& left, const std::vector<T>& right,
                  const SideNames& names, const Text& text) {
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string a = i < left.size() ? text(left[i]) : "none",
                      b = i < right.size() ? text(right[i]) : "none";
    if (a != b) return StrCat(what, " ", i, ": ", names.left, " ", a, "; ", names.right, " ", b);
  }
  return "";
}

std::string Text(const Slice& slice) { return StrCat("cycles ", slice.begin, " to ", slice.end); }

}  // namespace

std::optional<TimingDifference> CompareInstructions(const isa::Config& config, const Timeline& left,
                                                    const Timeline& right, const SideNames& names) {
  const Slices have[] = {ByIndex(left), ByIndex(right)};
  // Cycle 0 is that before the launch.
  const int64_t origin[] = {left.launches.back().begin - 1, right.launches.back().begin - 1};
  std::optional<Where> first;
  const auto offer = [&](const Where& event) {
    if (!first || event.cycle < first->cycle) first = event;
  };
  for (int side = 0; side < 2; ++side)
    for (const auto& [index, slice] : have[side]) {
      const auto it = have[1 - side].find(index);
      const int64_t begin = slice->begin - origin[side], end = slice->end - origin[side];
      const InstructionSlice* other = it == have[1 - side].end() ? nullptr : it->second;
      const InstructionSlice *l = side == 0 ? slice : other, *r = side == 0 ? other : slice;
      if (!other || other->begin - origin[1 - side] != begin)
        offer({l, r, true, begin});
      else if (other->end - origin[1 - side] != end)
        offer({l, r, false, end});
    }
  if (!first) return std::nullopt;
  const InstructionSlice& slice = *(first->left ? first->left : first->right);
  const auto cycle = [&](const InstructionSlice* of, int side, const std::string& name) {
    if (!of) return StrCat("not at all on the ", name);
    // A slice begins in the cycle behind the start, and ends behind the end.
    return StrCat("in cycle ", (first->start ? of->begin : of->end) - 1 - origin[side], " on the ",
                  name);
  };
  const isa::Layout layout(config);
  const Slices& of = have[first->left ? 0 : 1];
  return TimingDifference{
      slice.word,
      StrCat(isa::Spec(slice.module).name, ", instruction ", slice.index, " (", Hex(slice.address),
             ")"),
      StrCat(first->start ? "starts " : "ends ", cycle(first->left, 0, names.left), ", ",
             cycle(first->right, 1, names.right)),
      first->start ? StartRule(layout, Before(of, slice), slice)
                   : EndRule(isa::Decode(layout, slice.word))};
}

std::string CompareTimelines(const Timeline& left, const Timeline& right, const SideNames& names) {
  std::string text = First("launch", left.launches, right.launches, names,
                           [](const Slice& slice) { return Text(slice); });
  if (text.empty())
    text = First("slice", left.instructions, right.instructions, names,
                 [](const InstructionSlice& slice) {
                   return StrCat(isa::Spec(slice.module).name, " instruction ", slice.index, " (",
                                 Hex(slice.address), "), ", Text(slice), ", word ",
                                 Hex(slice.word.high, 16), Hex(slice.word.low, 16));
                 });
  if (text.empty())
    text = First("stall", left.stalls, right.stalls, names, [](const StallSlice& slice) {
      return StrCat(isa::Spec(slice.module).name, ", reason ", static_cast<int>(slice.reason),
                    ", queue ", isa::Spec(slice.queue).name, ", ", Text(slice));
    });
  if (text.empty())
    text = First("bus sample", left.bus, right.bus, names, [](const BusSample& sample) {
      return StrCat("cycle ", sample.cycle, ", ", sample.read_bytes, " bytes read, ",
                    sample.written_bytes, " written");
    });
  return text;
}

}  // namespace vta::sim
