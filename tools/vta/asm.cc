// vta asm IN.s -o OUT
#include "isa/asm.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "tools/vta/commands.h"
#include "tools/vta/options.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

struct Facts {
  int64_t address, count, bytes;
};

std::string ToText(const isa::Program& program, const Facts& facts) {
  std::string out = StrCat(facts.count, " instructions at ", Hex(facts.address), ", ", facts.bytes,
                           " bytes: --insn ", Hex(facts.address), " --count ", facts.count, "\n");
  for (const auto& [name, address] : program.labels) out += StrCat(name, " ", Hex(address), "\n");
  return out;
}

std::string ToJson(const isa::Program& program, const Facts& facts) {
  Json labels{Json::Object{}};
  for (const auto& [name, address] : program.labels)
    labels.Set(name, static_cast<int64_t>(address));
  Json out;
  out.Set("insn", facts.address)
      .Set("count", facts.count)
      .Set("bytes", facts.bytes)
      .Set("labels", std::move(labels));
  return out.Dump() + "\n";
}

}  // namespace

std::function<int()> AddAsmCommand(CLI::App& app) {
  struct Options {
    std::string input, output, config = "default";
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("IN", options->input, "program text")->required();
  app.add_option("-o,--output", options->output, "the DRAM image to write")->required();
  app.add_option("-c,--config", options->config, "accelerator variant, unless the text names one")
      ->capture_default_str();
  app.add_flag("--json", options->json, "print for machines");
  return [options] {
    CheckOutputs({options->output}, {options->input});
    const isa::Program program = isa::Assemble(ReadTextFile(options->input), options->input,
                                               FindConfig(options->config), FindConfig);
    const std::vector<uint8_t> image = program.Image();
    WriteFileAtomically(options->output, image);
    Facts facts{0, 0, static_cast<int64_t>(image.size())};
    if (const isa::Section* code = program.code()) {
      facts.address = static_cast<int64_t>(code->address);
      facts.count = static_cast<int64_t>(code->bytes.size()) / isa::kInstructionBytes;
    }
    const std::string text = options->json ? ToJson(program, facts) : ToText(program, facts);
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

}  // namespace vta::tools
