// vta compile MODEL -c CONFIG -o P.vta
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/report/table.h"
#include "tools/vta/commands.h"
#include "tools/vta/options.h"
#include "tools/vta/session.h"

namespace vta::tools {

std::function<int()> AddCompileCommand(CLI::App& app) {
  struct Options {
    ModelOptions model;
    std::string output;
  };
  auto options = std::make_shared<Options>();
  options->model.AddTo(app);
  app.get_option("MODEL")->description("an ONNX model");
  app.add_option("-o,--output", options->output, "the package to write (*.vta)")->required();
  return [options] {
    if (IsPackage(options->model.model))
      throw Error(options->model.model, "", "", "is a package: it is compiled already");
    CheckOutputs({options->output}, {options->model.model});
    const OpenedModel opened = OpenModel(options->model);
    const std::vector<uint8_t> bytes = isa::SerializePackage(opened.package);
    WriteFileAtomically(options->output, bytes);
    fmt::print(
        "{}: {} bytes, {} steps, {} programs, {} instructions; compiled in {:.2f} s\n",
        options->output, WithCommas(static_cast<int64_t>(bytes.size())),
        opened.package.steps.size(), opened.package.programs.size(),
        WithCommas(static_cast<int64_t>(opened.package.code.size()) / isa::kInstructionBytes),
        opened.compile_s);
    return 0;
  };
}

}  // namespace vta::tools
