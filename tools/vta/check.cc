// vta check FILE: proves each program of a file, or says what is wrong with it.
#include "isa/check/check.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "isa/asm.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tools/vta/commands.h"
#include "tools/vta/program_image.h"

namespace vta::tools {
namespace {

isa::Report CheckProgram(const ProgramImage& programs, const ProgramRange& range,
                         const std::vector<isa::Word>& words) {
  const isa::ImagePart known{
      programs.known_offset_bytes,
      std::span(programs.image).subspan(programs.known_offset_bytes, programs.known_bytes),
      programs.known_are_constant};
  isa::Launch launch;
  launch.instructions = words;
  launch.instruction_address = static_cast<int64_t>(range.address);
  launch.memory_bytes = static_cast<int64_t>(programs.image.size());
  launch.image = std::span(&known, 1);
  return isa::Check(programs.config, launch);
}

// The instructions that the findings name, as text.
std::string NamedInstructions(const isa::Config& config, const isa::Report& report,
                              const std::vector<isa::Word>& words) {
  std::set<int64_t> named;
  for (const isa::Finding& finding : report.findings)
    for (int64_t index : {finding.instruction, finding.other})
      if (index >= 0) named.insert(index);
  const isa::Layout layout(config);
  std::string out;
  for (int64_t index : named)
    out += StrCat(index, ": ", isa::Disassemble(layout, words[index]), "\n");
  return out;
}

}  // namespace

std::function<int()> AddCheckCommand(CLI::App& app) {
  struct Options {
    ProgramOptions program;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  AddProgramOptions(app, options->program);
  app.add_flag("--json", options->json, "print for machines");
  return [options] {
    const ProgramImage programs = LoadProgramImage(options->program);
    Json::Array reports;
    bool ok = true;
    for (const ProgramRange& range : programs.programs) {
      const std::vector<isa::Word> words = programs.Words(range);
      const isa::Report report = CheckProgram(programs, range, words);
      ok = ok && report.ok();
      if (options->json) {
        Json entry = Json::Parse(isa::ReportToJson(report), "report");
        reports.push_back(Json().Set("program", range.name).Set("report", std::move(entry)));
        continue;
      }
      if (!range.name.empty()) std::printf("%s: ", range.name.c_str());
      std::fputs(isa::ReportToText(report).c_str(), stdout);
      std::fputs(NamedInstructions(programs.config, report, words).c_str(), stdout);
    }
    if (programs.programs.empty() && !options->json) std::puts("no programs");
    if (options->json) std::printf("%s\n", Json(std::move(reports)).Dump().c_str());
    return ok ? 0 : 1;
  };
}

}  // namespace vta::tools
