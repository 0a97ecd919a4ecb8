// vta check FILE: proves each program of a file, or says what is wrong with it.
#include "isa/check/check.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tools/vta/commands.h"
#include "tools/vta/program_image.h"
#include "tools/vta/progress.h"

namespace vta::tools {

std::function<int()> AddCheckCommand(CLI::App& app) {
  struct Options {
    ProgramOptions program;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  AddProgramOptions(app, options->program);
  app.add_flag("--json", options->json, "print for machines");
  return [options] {
    Progress progress(StrCat("check ", options->program.path));
    const ProgramImage programs = LoadProgramImage(options->program);
    Json::Array reports;
    bool ok = true;
    for (const ProgramRange& range : programs.programs) {
      progress.At(range.name);
      const isa::Report report = programs.Prove(range);
      progress.Hide();
      ok = ok && report.ok();
      if (options->json) {
        Json entry = Json::Parse(isa::ReportToJson(report), "report");
        reports.push_back(Json().Set("program", range.name).Set("report", std::move(entry)));
        continue;
      }
      if (!range.name.empty()) std::printf("%s: ", range.name.c_str());
      std::fputs(VerdictText(programs, range, report).c_str(), stdout);
    }
    if (programs.programs.empty() && !options->json) std::puts("no programs");
    if (options->json) std::printf("%s\n", Json(std::move(reports)).Dump().c_str());
    return ok ? 0 : 1;
  };
}

}  // namespace vta::tools
