#include "isa/asm.h"

#include <algorithm>

#include "isa/asm/assembler.h"
#include "isa/asm/text.h"

namespace vta::isa {

const Section* Program::Find(SectionKind kind) const {
  for (const Section& section : sections)
    if (section.kind == kind) return &section;
  return nullptr;
}

const uint64_t* Program::FindLabel(std::string_view name) const {
  const auto found = labels.find(name);
  return found == labels.end() ? nullptr : &found->second;
}

std::vector<uint8_t> Program::Image() const {
  uint64_t size = 0;
  for (const Section& section : sections)
    if (InMemory(section.kind))
      size = std::max<uint64_t>(size, section.address + section.bytes.size());
  std::vector<uint8_t> image(size);
  for (const Section& section : sections)
    if (InMemory(section.kind))
      std::copy(section.bytes.begin(), section.bytes.end(), image.begin() + section.address);
  return image;
}

Program Assemble(std::string_view text, const std::string& file, const Config& config,
                 const ConfigLoader& load_config) {
  Assembler assembler(file, config, load_config);
  for (std::string_view line : SplitAt(text, '\n')) assembler.Line(line);
  return assembler.Finish();
}

}  // namespace vta::isa
