// vta asm [IN.s] -o OUT
#include "isa/asm.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/shared/document.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"
#include "tools/vta/program/program_image.h"

namespace vta::tools {
namespace {

struct Facts {
  int64_t address, count, bytes;
};

std::string ToText(const isa::Program& program, const Facts& facts) {
  std::string out =
      StrCat(Counted(facts.count, "instruction"), " at ", Hex(facts.address), ", ", facts.bytes,
             " bytes: --insn ", Hex(facts.address), " --count ", facts.count, "\n");
  for (const auto& [name, address] : program.labels) out += StrCat(name, " ", Hex(address), "\n");
  return out;
}

std::string ToJson(const isa::Program& program, const Facts& facts) {
  Json labels{Json::Object{}};
  for (const auto& [name, address] : program.labels)
    labels.Set(name, static_cast<int64_t>(address));
  Json out = HeadOf(kAsmDocument);
  out.Set("insn", facts.address)
      .Set("count", facts.count)
      .Set("bytes", facts.bytes)
      .Set("labels", std::move(labels));
  return out.Dump() + "\n";
}

}  // namespace

namespace {

std::string StandardInput() {
  std::string text;
  char block[1 << 16];
  while (const size_t count = std::fread(block, 1, sizeof block, stdin)) {
    text.append(block, count);
    if (text.size() > isa::kMaximumImageBytes)
      throw Error("standard input", "", StrCat("more than ", isa::kMaximumImageBytes, " bytes"),
                  "is too long for program text");
  }
  return text;
}

int WriteImage(const isa::Program& program, const std::string& path, bool json) {
  const std::vector<uint8_t> image = program.Image();
  WriteFileAtomically(path, image);
  Facts facts{0, 0, static_cast<int64_t>(image.size())};
  if (const isa::Section* code = program.code()) {
    facts.address = static_cast<int64_t>(code->address);
    facts.count = static_cast<int64_t>(code->bytes.size()) / isa::kInstructionBytes;
  }
  std::fputs((json ? ToJson(program, facts) : ToText(program, facts)).c_str(), stdout);
  return 0;
}

int WritePackage(const isa::Package& package, const std::string& path, bool json) {
  const std::vector<uint8_t> bytes = isa::SerializePackage(package);
  WriteFileAtomically(path, bytes);
  const auto programs = static_cast<int64_t>(package.programs.size());
  const auto count = static_cast<int64_t>(package.code.size()) / isa::kInstructionBytes;
  const auto size = static_cast<int64_t>(bytes.size());
  const std::string text = json ? HeadOf(kAsmDocument)
                                          .Set("programs", programs)
                                          .Set("count", count)
                                          .Set("bytes", size)
                                          .Dump() +
                                      "\n"
                                : StrCat("a package of ", Counted(programs, "program"), ", ",
                                         Counted(count, "instruction"), ", ", size, " bytes\n");
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

std::function<int()> AddAsmCommand(CLI::App& app) {
  struct Options {
    std::string input = "-", output;
    std::optional<std::string> config;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  ReadsFile(app.add_option("IN", options->input, "program text; - or absent: standard input"));
  WritesFile(
      app.add_option("-o,--output", options->output, "the DRAM image, or the package, to write"))
      ->required();
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant, where the text names none (default)"));
  app.add_flag("--json", options->json, "print for machines");
  return [options, &app] {
    const bool piped = options->input == "-";
    const std::string file = piped ? "standard input" : options->input;
    const isa::Program program =
        AssembleText(piped ? StandardInput() : ReadTextFile(file, isa::kMaximumImageBytes), file,
                     options->config, ConfigsBeside(app));
    if (program.sections.empty())
      throw Error(file, "", "", "holds no program: neither instructions nor data nor a package");
    return program.Find(isa::SectionKind::kManifest)
               ? WritePackage(isa::PackageOfProgram(program, file), options->output, options->json)
               : WriteImage(program, options->output, options->json);
  };
}

}  // namespace vta::tools
