// vta compile MODEL -c CONFIG -o P.vta --raw FOLDER
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/report/layout_changes.h"
#include "tools/report/table.h"
#include "tools/shared/usage.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/raw.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

std::function<int()> AddCompileCommand(CLI::App& app) {
  struct Options {
    ModelOptions model;
    std::optional<std::string> output;
    std::optional<std::string> raw;
    uint64_t seed = 1;
  };
  auto options = std::make_shared<Options>();
  options->model.AddTo(app);
  options->model.AddThreadsTo(app);
  app.get_option("MODEL")->description(
      "an ONNX or TensorFlow Lite model, or a workload of shapes (--assume)");
  app.option_defaults()->group("Output");
  CLI::App* outputs = app.add_option_group("outputs", "one of them, or both");
  WritesFile(outputs->add_option("-o,--output", options->output, "the package to write (*.vta)"));
  CLI::Option* raw = WritesFolder(outputs->add_option(
      "--raw", options->raw,
      "a folder to write: of each launch a flat DRAM image, and the image after it"));
  outputs->require_option(1, 2);
  app.add_option("--seed", options->seed, "of the inputs that these images hold")
      ->check(Unsigned64("an integer"))
      ->needs(raw)
      ->capture_default_str();
  return [options] {
    if (IsPackage(options->model.model))
      throw Error(options->model.model, "", "", "is a package: it is compiled already");
    if (options->raw) CheckFolder(*options->raw);
    Progress progress(StrCat("compile ", options->model.model));
    options->model.progress = &progress;
    const OpenedModel opened = OpenModel(options->model);
    if (options->raw && opened.package.Gpu())
      throw UsageError("--raw", "", *options->raw, "is for packages without steps for a GPU");
    progress.At(StrCat("writing ", options->output.value_or(options->raw.value_or(""))));
    progress.Hide();
    const auto instructions =
        static_cast<int64_t>(opened.package.code.size()) / isa::kInstructionBytes;
    if (options->output) {
      const std::vector<uint8_t> bytes = isa::SerializePackage(opened.package);
      WriteFileAtomically(*options->output, bytes);
      const LayoutChanges changes = LayoutChangesOf(opened.package);
      fmt::print("{}: {}, {}, {}, {}, {} of {}; compiled in {:.2f} s, {} rounding\n",
                 Visible(*options->output), CountedWithCommas(std::ssize(bytes), "byte"),
                 Counted(opened.package.steps.size(), "step"),
                 Counted(opened.package.programs.size(), "program"),
                 CountedWithCommas(instructions, "instruction"),
                 Counted(changes.count, "layout change"), CountedWithCommas(changes.bytes, "byte"),
                 opened.compile_s, Name(opened.rounding));
      if (const auto inexact = opened.package.inexactness())
        fmt::print("{}: {}\n", opened.package.config->name, TextOf(*inexact));
    }
    if (options->raw) {
      const int64_t launches =
          WriteRawFolder(opened.package, options->model.model, *options->raw, options->seed);
      fmt::print("{}: {}; vta exec {} runs and compares them\n", Visible(*options->raw),
                 Counted(launches, "launch"), Visible(*options->raw));
    }
    return 0;
  };
}

}  // namespace vta::tools
