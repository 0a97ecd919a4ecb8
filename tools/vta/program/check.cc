// vta check FILE: proves each program of a file, or says what is wrong with it; and, where that is
// asked for, what published executors disagree on.
#include "isa/check/check.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "isa/check/published.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tools/shared/document.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/program/program_image.h"

namespace vta::tools {
namespace {

isa::PublishedReport CheckPublished(const ProgramImage& programs, const ProgramRange& range) {
  isa::PublishedReport report;
  programs.WithLaunch(range, [&](const isa::Launch& launch) {
    report = isa::CheckPublished(programs.config, launch);
  });
  return report;
}

std::string PublishedText(const ProgramImage& programs, const ProgramRange& range,
                          const isa::PublishedReport& report) {
  std::set<int64_t> named;
  for (const isa::BrokenRule& broken : report.broken)
    for (const isa::PublishedBreak& one : broken.first)
      if (one.instruction >= 0) named.insert(one.instruction);
  return isa::PublishedToText(report) + InstructionsText(programs, range, named);
}

}  // namespace

std::function<int()> AddCheckCommand(CLI::App& app) {
  struct Options {
    ProgramOptions program;
    bool json = false;
    bool published = false;
  };
  auto options = std::make_shared<Options>();
  AddProgramOptions(app, options->program);
  app.add_flag("--json", options->json, "print for machines");
  app.add_flag("--published", options->published,
               "also refuse what published executors of ISA 0.0.2 disagree on (docs/published.md)");
  return [options] {
    Progress progress(StrCat("check ", options->program.path));
    const ProgramImage programs = LoadProgramImage(options->program);
    Json::Array reports;
    bool ok = true;
    std::vector<ProgramRange> ranges = programs.programs;
    ranges.insert(ranges.end(), programs.launches.begin(), programs.launches.end());
    for (const ProgramRange& range : ranges) {
      progress.At(range.name);
      const isa::Report report = programs.Prove(range);
      std::optional<isa::PublishedReport> published;
      if (options->published) published = CheckPublished(programs, range);
      progress.Hide();
      ok = ok && report.ok() && (!published || published->ok());
      if (options->json) {
        Json entry;
        entry.Set("program", range.name)
            .Set("report", Json::Parse(isa::ReportToJson(report), "report"));
        if (published)
          entry.Set("published", Json::Parse(isa::PublishedToJson(*published), "published"));
        reports.push_back(std::move(entry));
        continue;
      }
      if (!range.name.empty()) std::printf("%s: ", Visible(range.name).c_str());
      std::fputs(VerdictText(programs, range, report).c_str(), stdout);
      if (published) std::fputs(PublishedText(programs, range, *published).c_str(), stdout);
    }
    if (programs.programs.empty() && !options->json) std::puts("no programs");
    if (options->json)
      std::printf("%s\n",
                  HeadOf(kCheckDocument).Set("programs", std::move(reports)).Dump().c_str());
    return ok ? 0 : 1;
  };
}

}  // namespace vta::tools
