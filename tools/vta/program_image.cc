#include "tools/vta/program_image.h"

#include "isa/asm.h"
#include "isa/codec.h"
#include "isa/package.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/options.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

constexpr int64_t kMostArenaBytes = int64_t{1} << 30;

void RefuseRange(const ProgramOptions& options) {
  if (options.address || options.count)
    throw Error(options.path, options.address ? "--insn" : "--count", "",
                "is for flat images; this file says itself where its instructions are");
}

ProgramImage FromText(const ProgramOptions& options) {
  RefuseRange(options);
  const isa::Program program =
      isa::Assemble(ReadTextFile(options.path), options.path,
                    FindConfig(options.config.value_or("default")), FindConfig);
  ProgramImage out{program.config, program.Image()};
  out.known_bytes = static_cast<int64_t>(out.image.size());
  if (const isa::Section* code = program.code())
    out.programs.push_back(
        {"", code->address, static_cast<int64_t>(code->bytes.size()) / isa::kInstructionBytes});
  return out;
}

ProgramImage FromPackage(const ProgramOptions& options) {
  RefuseRange(options);
  if (options.config)
    throw Error(options.path, "--config", *options.config, "a package holds its own config");
  const isa::Package package = isa::ReadPackage(options.path);
  if (package.arena_bytes > kMostArenaBytes)
    throw Error(options.path, "arena_bytes", std::to_string(package.arena_bytes),
                StrCat("must be at most ", kMostArenaBytes, " to be put into an image"));
  ProgramImage out{package.config};
  out.known_offset_bytes = package.constants_offset_bytes;
  out.known_bytes = static_cast<int64_t>(package.constants.size());
  out.known_are_constant = true;
  const int64_t code = (package.arena_bytes + isa::kInstructionBytes - 1) / isa::kInstructionBytes *
                       isa::kInstructionBytes;
  out.image.resize(code);
  std::copy(package.constants.begin(), package.constants.end(),
            out.image.begin() + package.constants_offset_bytes);
  out.image.insert(out.image.end(), package.code.begin(), package.code.end());
  for (const isa::PackageStep& step : package.steps) {
    if (step.kind != isa::PackageStep::Kind::kProgram) continue;
    const isa::PackageProgram& program = package.programs[step.program];
    out.programs.push_back({step.name,
                            static_cast<uint64_t>(code + program.first * isa::kInstructionBytes),
                            program.count});
  }
  return out;
}

ProgramImage FromImage(const ProgramOptions& options) {
  ProgramImage out{FindConfig(options.config.value_or("default")), ReadFile(options.path)};
  const uint64_t size = out.image.size(), address = options.address.value_or(0);
  out.known_bytes = static_cast<int64_t>(size);
  if (address % isa::kInstructionBytes != 0)
    throw Error(options.path, "--insn", Hex(address),
                StrCat("must be a multiple of ", isa::kInstructionBytes));
  if (address > size)
    throw Error(options.path, "--insn", Hex(address),
                StrCat("lies after the end of its ", size, " bytes"));
  const auto most = static_cast<int64_t>((size - address) / isa::kInstructionBytes);
  const int64_t count = options.count.value_or(most);
  if (count > most)
    throw Error(options.path, "--count", std::to_string(count),
                StrCat("only ", most, " instructions fit between ", Hex(address),
                       " and the end of its ", size, " bytes"));
  out.programs.push_back({"", address, count});
  return out;
}

}  // namespace

void AddProgramOptions(CLI::App& app, ProgramOptions& options) {
  app.add_option("FILE", options.path,
                 "program text (.s), package (.vta) or flat DRAM image (file offset = address)")
      ->required();
  app.add_option("-c,--config", options.config, "accelerator variant of a text or image (default)");
  app.add_option("--insn", options.address, "address of an image's first instruction")
      ->check(Unsigned64("a byte address"));
  app.add_option("--count", options.count, "how many instructions; absent: to the image's end")
      ->check(NumberFrom(0, 1e9, "must be 0 to 1e9"));
}

std::vector<isa::Word> ProgramImage::Words(const ProgramRange& program) const {
  return isa::WordsOf(
      std::span(image).subspan(program.address, program.count * isa::kInstructionBytes));
}

ProgramImage LoadProgramImage(const ProgramOptions& options) {
  if (options.path.ends_with(".s")) return FromText(options);
  if (options.path.ends_with(".vta")) return FromPackage(options);
  return FromImage(options);
}

}  // namespace vta::tools
