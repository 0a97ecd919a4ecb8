#include "tests/support/mutate.h"

#include <array>
#include <vector>

#include "isa/support/error.h"

namespace vta::test {

using isa::Instruction;

TestProgram MutateTokens(const TestProgram& program, std::mt19937_64& rng,
                         std::string& description) {
  constexpr std::array kBits = {&Instruction::pop_prev, &Instruction::pop_next,
                                &Instruction::push_prev, &Instruction::push_next};
  constexpr std::array kNames = {"pop_prev", "pop_next", "push_prev", "push_next"};
  struct Place {
    int64_t instruction;
    size_t bit;
  };
  TestProgram mutant = program;
  std::vector<Place> set, clear;
  for (int64_t i = 0; i < std::ssize(program.instructions); ++i)
    for (size_t bit = 0; bit < kBits.size(); ++bit)
      (program.instructions[i].*kBits[bit] ? set : clear).push_back({i, bit});

  auto pick = [&](const std::vector<Place>& places) { return places[rng() % places.size()]; };
  auto flip = [&](const Place& place, std::string_view verb) {
    mutant.instructions[place.instruction].*kBits[place.bit] ^= 1;
    description += StrCat(verb, " ", kNames[place.bit], " of ", place.instruction, " ");
  };
  description.clear();
  const auto what = rng() % 3;
  if (what == 0) flip(pick(clear), "add");
  if (what == 1) flip(pick(set), "delete");
  if (what == 2) {
    const Place from = pick(set);
    std::vector<Place> to;
    for (const Place& place : clear)
      if (place.bit == from.bit &&
          Route(program.config, program.instructions[place.instruction]) ==
              Route(program.config, program.instructions[from.instruction]))
        to.push_back(place);
    flip(from, "delete");
    if (!to.empty()) flip(pick(to), "add");
  }
  return mutant;
}

}  // namespace vta::test
