// vta exec FILE --insn ADDRESS --count N -o IMAGE2: runs a raw instruction stream on a flat DRAM.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/commands.h"
#include "tools/vta/flat_launch.h"
#include "tools/vta/launch_report.h"
#include "tools/vta/options.h"
#include "tools/vta/program_image.h"

namespace vta::tools {

std::function<int()> AddExecCommand(CLI::App& app) {
  struct Options {
    ProgramOptions program;
    EngineOptions engine;
    std::string output;
    double limit_s = 0;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  AddProgramOptions(app, options->program);
  options->engine.AddTo(app);
  app.add_option("-o,--output", options->output, "the image to write: DRAM after the run");
  app.add_option("--limit", options->limit_s, "stop after so many seconds")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  app.add_flag("--json", options->json, "print for machines");
  return [options] {
    std::vector<std::string> written = options->engine.Outputs();
    if (!options->output.empty()) written.push_back(options->output);
    CheckOutputs(written, {options->program.path});
    const Observation observation(options->engine);
    ProgramImage program = LoadProgramImage(options->program);
    if (program.programs.size() != 1)
      throw Error(options->program.path, "programs", std::to_string(program.programs.size()),
                  "exec runs files with one program; vta run runs packages");
    FlatLaunch launch{program.programs[0].address, program.programs[0].count};
    if (options->limit_s > 0)
      launch.limit = std::chrono::nanoseconds(static_cast<int64_t>(options->limit_s * 1e9));
    const isa::LaunchResult result =
        RunFlat(options->engine, program.config, launch, program.image);
    if (!options->output.empty()) WriteFileAtomically(options->output, program.image);
    observation.Finish(program.config);
    const std::string text = options->json ? LaunchToJson(program.config, result).Dump() + "\n"
                                           : LaunchToText(program.config, result);
    std::fputs(text.c_str(), stdout);
    return result.outcome == isa::Outcome::kFinished ? 0 : 1;
  };
}

}  // namespace vta::tools
