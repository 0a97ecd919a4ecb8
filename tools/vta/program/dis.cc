// vta dis FILE [--insn ADDRESS --count N]
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/asm.h"
#include "tools/vta/commands.h"
#include "tools/vta/program/program_image.h"

namespace vta::tools {

std::function<int()> AddDisCommand(CLI::App& app) {
  struct Options {
    ProgramOptions program;
    bool number = false;
  };
  auto options = std::make_shared<Options>();
  AddProgramOptions(app, options->program);
  app.add_flag("--number", options->number, "number the instructions");
  return [options] {
    const ProgramImage file = LoadProgramImage(options->program);
    if (file.package) {
      std::fputs(isa::Disassemble(isa::ProgramOfPackage(*file.package), options->number).c_str(),
                 stdout);
      return 0;
    }
    for (const ProgramRange& range : file.programs) {
      const isa::Program program =
          isa::ProgramInImage(file.config, file.image, range.address, range.count);
      std::fputs(isa::Disassemble(program, options->number).c_str(), stdout);
    }
    return 0;
  };
}

}  // namespace vta::tools
