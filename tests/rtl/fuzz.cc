// Lockstep fuzzing of the RTL against the golden model.
//   rtl_fuzz CONFIG.json FIRST_SEED PROGRAMS
// prints what differs, and the seed to see it again, or a line with what was compared.
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "isa/asm.h"
#include "isa/support/error.h"
#include "tests/rtl/program.h"
#include "tests/rtl/trial.h"

namespace {

// Programs of one group follow each other without power-on: what one leaves, the next one finds.
constexpr uint64_t kGroup = 8;

int Fuzz(const std::string& config_path, uint64_t first, uint64_t programs) {
  const vta::isa::Config config = vta::isa::LoadConfig(config_path);
  vta::test::Trial trial(config);
  int64_t ends[5] = {};
  int64_t cycles = 0;
  first -= first % kGroup;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    if (seed % kGroup == 0) trial.PowerOn();
    const auto kind =
        seed % 5 == 4 ? vta::test::ProgramKind::kTokens : vta::test::ProgramKind::kSerial;
    const auto program = vta::test::RandomRtlProgram(config, kind, seed);
    const bool random = seed % 3 != 0;
    const std::string text =
        trial.Run(program, random ? std::optional<uint64_t>(seed) : std::nullopt);
    ++ends[static_cast<int>(trial.result().outcome)];
    cycles += trial.result().counters.time.value_or(vta::isa::Time()).cycles;
    if (text.empty()) continue;
    std::cout << config_path << ", seed " << seed << " (group from " << seed - seed % kGroup
              << "):\n"
              << text;
    const vta::isa::Layout layout(config);
    int64_t index = 0;
    for (const auto& insn : program.instructions)
      std::cout << "  " << index++ << "  " << Disassemble(layout, Encode(layout, insn)) << "\n";
    return 1;
  }
  std::cout << config_path << ": " << programs << " programs, " << trial.events()
            << " instructions, " << cycles << " cycles without a difference;";
  for (int i = 0; i < 5; ++i)
    std::cout << " " << ends[i] << " " << OutcomeName(static_cast<vta::isa::Outcome>(i)) << ",";
  std::cout << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: rtl_fuzz CONFIG.json FIRST_SEED PROGRAMS\n";
    return 2;
  }
  try {
    return Fuzz(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  } catch (const vta::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
