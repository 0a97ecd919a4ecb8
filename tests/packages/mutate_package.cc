#include "tests/packages/mutate_package.h"

#include <algorithm>
#include <array>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::Package;

template <typename List>
int64_t Index(Draws& draw, const List& list) {
  return draw.Int(0, std::ssize(list) - 1);
}

std::string MoveTensor(Draws& draw, Package& package) {
  const int64_t t = Index(draw, package.tensors);
  isa::PackageTensor& tensor = package.tensors[t];
  const int64_t other = Index(draw, package.tensors);
  switch (draw.Int(0, 3)) {
    case 0:  // onto another tensor, or a part of it
      tensor.offset_bytes =
          package.tensors[other].offset_bytes + (draw.Once(2) ? 0 : draw.Int(-64, 64));
      break;
    case 1:  // to the constants
      tensor.offset_bytes = package.constants_offset_bytes + draw.Int(-64, 64);
      break;
    case 2:
      tensor.offset_bytes += draw.Int(-2, 2) * 64;
      break;
    default:
      tensor.offset_bytes = draw.Int(0, package.arena_bytes);
  }
  tensor.offset_bytes = std::max<int64_t>(0, tensor.offset_bytes);
  return StrCat("tensor ", t, " moves to ", tensor.offset_bytes);
}

std::string ChangeSteps(Draws& draw, Package& package) {
  const int64_t i = Index(draw, package.steps), j = Index(draw, package.steps);
  isa::PackageStep& step = package.steps[i];
  const int64_t what = draw.Int(0, 4);
  if (what == 0) {
    std::swap(package.steps[i], package.steps[j]);
    return StrCat("steps ", i, " and ", j, " change places");
  }
  if (what == 1 && package.steps.size() > 1) {
    package.steps.erase(package.steps.begin() + i);
    return StrCat("step ", i, " goes");
  }
  if (what == 2) {
    const isa::PackageStep copy = step;
    package.steps.insert(package.steps.begin() + j, copy);
    return StrCat("step ", i, " runs at ", j, " too");
  }
  std::vector<int64_t>& list = what == 3 ? step.inputs : step.outputs;
  if (list.empty()) return "nothing";
  const int64_t t = Index(draw, package.tensors);
  list[Index(draw, list)] = t;
  return StrCat("step ", i, what == 3 ? " takes" : " makes", " tensor ", t);
}

std::string ChangeInterface(Draws& draw, Package& package) {
  std::vector<int64_t>& list = draw.Once(2) ? package.inputs : package.outputs;
  if (draw.Once(2) && !list.empty()) {
    list.erase(list.begin() + Index(draw, list));
    return "the model has an input or output less";
  }
  list.push_back(Index(draw, package.tensors));
  return StrCat("the model has tensor ", list.back(), " as another input or output");
}

std::string ChangeInstruction(Draws& draw, Package& package) {
  const int64_t count = std::ssize(package.code) / isa::kInstructionBytes;
  if (count < 2) return "nothing";
  const int64_t index = draw.Int(0, count - 1);
  uint8_t* const bytes = package.code.data() + index * isa::kInstructionBytes;
  if (draw.Once(4)) {
    // To another place, near or far: each module may still see its own in the same order.
    const int64_t to = std::clamp<int64_t>(index + draw.Int(-12, 12), 0, count - 1);
    uint8_t* const there = package.code.data() + to * isa::kInstructionBytes;
    if (to < index)
      std::rotate(there, bytes, bytes + isa::kInstructionBytes);
    else
      std::rotate(bytes, bytes + isa::kInstructionBytes, there + isa::kInstructionBytes);
    return StrCat("instruction ", index, " moves to ", to);
  }
  if (draw.Once(4)) {
    const int64_t bit = draw.Int(0, 127);
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
    return StrCat("bit ", bit, " of instruction ", index, " turns");
  }
  const isa::Layout layout(*package.config);
  Instruction insn = Decode(layout, isa::LoadWord(bytes));
  constexpr int64_t Instruction::*kTokens[] = {&Instruction::pop_prev, &Instruction::pop_next,
                                               &Instruction::push_prev, &Instruction::push_next};
  constexpr int64_t Instruction::*kFields[] = {
      &Instruction::dram_base, &Instruction::dram_base, &Instruction::sram_base,
      &Instruction::x_size,    &Instruction::y_size,    &Instruction::x_stride,
      &Instruction::uop_begin, &Instruction::uop_end,   &Instruction::iter_out,
      &Instruction::iter_in,   &Instruction::reset,     &Instruction::dst_factor_in};
  if (draw.Once(3)) {
    const int64_t token = draw.Int(0, 3);
    insn.*kTokens[token] ^= 1;
  } else {
    insn.*kFields[draw.Int(0, 11)] += draw.Once(2) ? 1 : -1;
  }
  try {
    isa::StoreWord(Encode(layout, insn), bytes);
  } catch (const Error&) {  // out of its field
    return "nothing";
  }
  return StrCat("a field of instruction ", index, " changes");
}

bool HoldsTogether(const Package& package) {
  const int64_t count = std::ssize(package.code) / isa::kInstructionBytes;
  return std::ranges::all_of(package.programs,
                             [&](const auto& p) { return p.first + p.count <= count; });
}

// Neighbours of different modules change places, so that each module still sees its own in the same
// order: right with queues that are long enough.
std::string ShuffleModules(Draws& draw, Package& package) {
  if (package.programs.empty()) return "nothing";
  const int64_t p = Index(draw, package.programs);
  if (!HoldsTogether(package) || package.programs[p].count < 3) return "nothing";
  const isa::PackageProgram& program = package.programs[p];
  const isa::Layout layout(*package.config);
  uint8_t* const code = package.code.data() + program.first * isa::kInstructionBytes;
  const auto module_of = [&](int64_t i) {
    return Route(*package.config, Decode(layout, isa::LoadWord(code + i * isa::kInstructionBytes)));
  };
  for (int64_t swaps = 4 * program.count; swaps > 0; --swaps) {
    const int64_t i = draw.Int(0, program.count - 3);  // FINISH stays the last
    uint8_t* const at = code + i * isa::kInstructionBytes;
    if (module_of(i) != module_of(i + 1))
      std::swap_ranges(at, at + isa::kInstructionBytes, at + isa::kInstructionBytes);
  }
  return StrCat("the modules of program ", p, " are shuffled");
}

std::string ChangeConstants(Draws& draw, Package& package) {
  if (package.constants.empty()) return "nothing";
  const int64_t byte = Index(draw, package.constants);
  package.constants[byte] ^= static_cast<uint8_t>(1 << draw.Int(0, 7));
  return StrCat("a bit of constant ", byte, " turns");
}

std::string ChangeProgram(Draws& draw, Package& package) {
  if (package.programs.empty()) return "nothing";
  const int64_t p = Index(draw, package.programs);
  (draw.Once(2) ? package.programs[p].first : package.programs[p].count) += draw.Once(2) ? 1 : -1;
  package.programs[p].first = std::max<int64_t>(0, package.programs[p].first);
  package.programs[p].count = std::max<int64_t>(0, package.programs[p].count);
  return StrCat("the range of program ", p, " changes");
}

std::string ChangeLaunch(Draws& draw, Package& package) {
  if (package.launches.empty()) return "nothing";
  const int64_t l = Index(draw, package.launches), by = draw.Once(2) ? 1 : -1;
  isa::PackageLaunch& launch = package.launches[l];
  switch (draw.Int(0, 3)) {
    case 0:
      launch.first = std::max<int64_t>(0, launch.first + by);
      break;
    case 1:
      launch.program = Index(draw, package.programs);
      break;
    case 2:
      launch.starts.pop_back();
      break;
    default:
      launch.starts[Index(draw, launch.starts)] += by;
  }
  return StrCat("launch ", l, " changes");
}

}  // namespace

void MutatePackage(Draws& draw, isa::Package& package, std::string& description) {
  using Mutation = std::string (*)(Draws&, Package&);
  constexpr std::array<Mutation, 12> kMutations = {
      MoveTensor,        MoveTensor,        ChangeSteps,       ChangeSteps,
      ChangeInstruction, ChangeInstruction, ChangeInstruction, ChangeConstants,
      ChangeProgram,     ChangeInterface,   ShuffleModules,    ChangeLaunch};
  description += StrCat(draw.Of(kMutations)(draw, package), "; ");
}

}  // namespace vta::test
