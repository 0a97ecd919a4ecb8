// Packages as programs, and back.
#include <algorithm>

#include "isa/asm.h"
#include "isa/asm/disassembler.h"
#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

std::vector<uint8_t> BytesOf(std::string_view text) { return {text.begin(), text.end()}; }

/// The constants: micro-op tables, and the data between them.
void AddConstants(const Package& package, Program& program) {
  const auto origin = static_cast<uint64_t>(package.constants_offset_bytes);
  const uint64_t end = origin + package.constants.size();
  uint64_t next = origin;
  const auto add = [&](SectionKind kind, uint64_t to) {
    if (next >= to) return;
    const auto begin = package.constants.begin();
    program.sections.push_back({kind, next, {begin + (next - origin), begin + (to - origin)}});
    next = to;
  };
  const auto tables = package.config ? UopTables(*package.config, WordsOf(package.code))
                                     : std::map<uint64_t, uint64_t>();
  for (const auto& [table_begin, table_end] : tables) {
    const uint64_t begin = std::max(table_begin, next);
    // A table lies elsewhere only in a program that the proof refuses.
    if (begin >= table_end || table_begin < origin || table_end > end) continue;
    add(SectionKind::kData, begin);
    add(SectionKind::kUop, table_end);
  }
  add(SectionKind::kData, end);
}

void NameSteps(const Package& package, Program& program) {
  const auto name = [&](std::string label, int64_t instruction) {
    for (char& c : label)
      if (!isalnum(static_cast<unsigned char>(c))) c = '_';
    program.labels[label] =
        PackageCodeAddress(package) + static_cast<uint64_t>(instruction) * kInstructionBytes;
  };
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const PackageStep& step = package.steps[i];
    if (step.kind == PackageStep::Kind::kProgram)
      name(StrCat("step_", i, "_", step.name), package.programs[step.program].first);
  }
  for (const PackageLaunch& launch : package.launches)
    for (size_t part = 0; part < launch.starts.size(); ++part) {
      const int64_t step = launch.first + static_cast<int64_t>(part);
      name(StrCat("launch_", launch.first, "_step_", step, "_", package.steps[step].name),
           package.programs[launch.program].first + launch.starts[part]);
    }
}

}  // namespace

uint64_t PackageCodeAddress(const Package& package) {
  const auto arena = static_cast<uint64_t>(package.arena_bytes);
  return (arena + kInstructionBytes - 1) / kInstructionBytes * kInstructionBytes;
}

std::vector<uint8_t> PackageImage(const Package& package, const std::string& file) {
  const uint64_t code = PackageCodeAddress(package);
  if (code + package.code.size() > kMaximumImageBytes)
    throw Error(file, "arena_bytes", std::to_string(package.arena_bytes),
                StrCat("arena and code must end below ", Hex(kMaximumImageBytes), " of an image"));
  std::vector<uint8_t> image(code);
  std::copy(package.constants.begin(), package.constants.end(),
            image.begin() + package.constants_offset_bytes);
  image.insert(image.end(), package.code.begin(), package.code.end());
  return image;
}

Program ProgramOfPackage(const Package& package) {
  Program program{package.config.value_or(Config()), {}, {}};
  program.sections = {{SectionKind::kManifest, 0, BytesOf(ManifestText(package))}};
  if (!package.modules.empty())
    program.sections.push_back({SectionKind::kModules, 0, ModuleBytes(package)});
  program.sections.push_back({SectionKind::kCode, PackageCodeAddress(package), package.code});
  AddConstants(package, program);
  NameSteps(package, program);
  return program;
}

Package PackageOfProgram(const Program& program, const std::string& file) {
  const Section* const manifest = program.Find(SectionKind::kManifest);
  VTA_CHECK(manifest, "a program without a manifest");
  const Section* const modules = program.Find(SectionKind::kModules);
  Package package =
      ParseManifest({reinterpret_cast<const char*>(manifest->bytes.data()), manifest->bytes.size()},
                    modules ? modules->bytes : std::vector<uint8_t>(), StrCat(file, ": manifest"));
  if (const Section* code = program.code()) package.code = code->bytes;
  const auto origin = static_cast<uint64_t>(package.constants_offset_bytes);
  for (const Section& section : program.sections) {
    if (section.kind != SectionKind::kUop && section.kind != SectionKind::kData) continue;
    const uint64_t end = section.address + section.bytes.size();
    if (section.address < origin)
      throw Error(file, "section", Hex(section.address),
                  StrCat("is before the package's constants, which begin at ", Hex(origin)));
    if (end - origin > kMaximumImageBytes)
      throw Error(file, "section", StrCat("end ", Hex(end)),
                  StrCat("the package's constants begin at ", Hex(origin), " and must be at most ",
                         kMaximumImageBytes, " bytes"));
    package.constants.resize(std::max<uint64_t>(package.constants.size(), end - origin));
    std::copy(section.bytes.begin(), section.bytes.end(),
              package.constants.begin() + (section.address - origin));
  }
  ValidatePackage(package, file);
  return package;
}

}  // namespace vta::isa
