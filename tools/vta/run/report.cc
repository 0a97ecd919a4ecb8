// vta report diff A.json B.json: compares what two runs took, layer by layer.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/file.h"
#include "tools/report/diff.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"

namespace vta::tools {

std::function<int()> AddReportCommand(CLI::App& app) {
  struct Options {
    std::string before, after;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.require_subcommand(1);
  CLI::App* diff = app.add_subcommand("diff", "compare the cycles of two reports, layer by layer");
  ReadsFile(diff->add_option("BEFORE", options->before, "a report of vta run --report"))
      ->required();
  ReadsFile(diff->add_option("AFTER", options->after, "another one"))->required();
  diff->add_flag("--json", options->json, "print for machines");
  return [options] {
    const TimedReport before = ParseReport(ReadTextFile(options->before), options->before);
    const TimedReport after = ParseReport(ReadTextFile(options->after), options->after);
    const std::string text = options->json ? DiffJson(before, after) : DiffText(before, after);
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

}  // namespace vta::tools
