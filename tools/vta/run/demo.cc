// vta demo: compiles the shipped network, runs its test split, checks the accuracy against float,
// reports each layer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/shipped.h"
#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/shared/log.h"
#include "tools/shared/samples.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

/// The most that the quantised network may lose against float, in points of accuracy.
constexpr double kMostLost = 1.0;

struct TestSplit {
  std::string images;
  Encoding encoding;
  std::string labels;
};

TestSplit LoadSplit() {
  const std::string path = ShippedPath("tools/demo/digits.json");
  const Json json = Json::Parse(ReadTextFile(path), path);
  JsonReader reader(json, path);
  JsonReader images = reader.Object("images");
  return {ShippedPath("tools/demo/" + images.String("file")),
          {images.String("type"), images.Double("scale")},
          ShippedPath("tools/demo/" + images.String("labels_file"))};
}

struct Outcome {
  double accuracy = 0;  // percent
  size_t images = 0;
  RunReport report;  // of the last image
};

Outcome RunSplit(ModelOptions model, EngineOptions engine, const TestSplit& split) {
  Progress progress(StrCat("demo, ", model.targets == "cpu" ? "float" : engine.name));
  engine.progress = model.progress = &progress;
  OpenedModel opened = OpenModel(model);
  EngineSession session(LoadModel(std::move(opened.package), model.model, &progress,
                                  {.elsewhere = engine.IsRemote()}),
                        engine);
  const isa::Package& package = session.package();
  const auto images = ParseSamples(ReadFile(split.images), split.images,
                                   package.tensors[package.inputs[0]], split.encoding);
  const isa::PackageTensor& output = package.tensors[package.outputs[0]];
  const std::vector<int64_t> labels = LoadLabels(split.labels, output.elements());
  if (images.size() != labels.size())
    throw Error(split.images, "images", std::to_string(images.size()),
                StrCat("there are ", labels.size(), " labels"));
  const auto estimate = EstimateFor(package, session.device());
  runtime::RunProfile profile;
  int64_t right = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    progress.Count(static_cast<int64_t>(i) + 1, static_cast<int64_t>(images.size()));
    const auto outputs = session.Run({images[i]}, &profile);
    right += ArgMax(outputs[0], output.type) == labels[i];
  }
  return {100.0 * static_cast<double>(right) / static_cast<double>(images.size()), images.size(),
          MakeReport(package, profile, session.memory(), session.device(), estimate)};
}

int Demo(const std::string& config, const EngineOptions& engine) {
  const TestSplit split = LoadSplit();
  ModelOptions quantised, real;
  quantised.model = ShippedPath("tools/demo/digits_int8.onnx");
  quantised.config = config;
  real.model = ShippedPath("tools/demo/digits_f32.onnx");
  real.targets = "cpu";
  fmt::print("A CNN for handwritten digits, int8, on the accelerator variant \"{}\", engine {}:\n",
             config, engine.name);
  const auto start = std::chrono::steady_clock::now();
  const Outcome int8 = RunSplit(quantised, engine, split);
  const Outcome f32 = RunSplit(real, engine, split);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("\n{}\n", ReportTable(int8.report));
  fmt::print("{} test images: accuracy {:.2f} % int8 on {}, {:.2f} % float on the CPU; {:.2f} s\n",
             int8.images, int8.accuracy, engine.name, f32.accuracy, took.count());
  if (int8.accuracy < f32.accuracy - kMostLost) {
    Log(LogLevel::kError,
        fmt::format("int8 loses more than {:.0f} point against float", kMostLost));
    return 1;
  }
  return 0;
}

}  // namespace

std::function<int()> AddDemoCommand(CLI::App& app) {
  struct Options {
    std::string config = "default";
    EngineOptions engine;
  };
  auto options = std::make_shared<Options>();
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  options->engine.name = "cycle";
  options->engine.AddNameTo(app);
  return [options] { return Demo(options->config, options->engine); };
}

}  // namespace vta::tools
