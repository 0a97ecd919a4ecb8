#include "tests/support/test_program.h"

#include <cstring>

namespace vta::test {

isa::Report TestProgram::Check() const {
  const isa::Layout layout(config);
  std::vector<isa::Word> words;
  for (const isa::Instruction& insn : instructions) words.push_back(Encode(layout, insn));
  const isa::ImagePart image{0, memory};
  return isa::Check(config, {.instructions = words,
                             .instruction_address = instruction_address,
                             .bases = bases,
                             .memory_bytes = std::ssize(memory),
                             .image = std::span(&image, 1)});
}

int64_t AppendUops(TestProgram& program, const std::vector<isa::Uop>& uops) {
  const isa::Layout layout(program.config);
  std::vector<uint8_t>& memory = program.memory;
  memory.resize((memory.size() + 3) / 4 * 4);
  const auto first = static_cast<int64_t>(memory.size()) / 4;
  for (const isa::Uop& uop : uops) {
    const uint32_t word = EncodeUop(layout, uop);
    memory.resize(memory.size() + 4);
    std::memcpy(memory.data() + memory.size() - 4, &word, 4);
  }
  return first;
}

std::vector<std::string> KindsOf(const isa::Report& report) {
  std::vector<std::string> kinds;
  for (const isa::Finding& finding : report.findings) kinds.emplace_back(Spec(finding.kind).name);
  return kinds;
}

}  // namespace vta::test
