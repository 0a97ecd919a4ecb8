#include "tools/vta/accuracy/quantise_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "compiler/frontend/model.h"
#include "isa/support/error.h"
#include "tools/shared/log.h"
#include "tools/shared/sample_options.h"
#include "tools/vta/common/command_line.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/graph_runner.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

std::vector<std::string> MethodNames() {
  std::vector<std::string> names;
  for (const quantize::MethodInfo& row : quantize::kMethods) names.emplace_back(row.name);
  return names;
}

std::string MethodSummaries() {
  std::vector<std::string> texts;
  for (const quantize::MethodInfo& row : quantize::kMethods)
    texts.push_back(StrCat(row.name, " ", row.summary));
  return Listed(texts);
}

}  // namespace

void QuantiseOptions::AddTo(CLI::App& app) {
  command = &app;
  constexpr int64_t kMostSamples = 1'000'000'000;
  ReadsFile(app.add_option("MODEL", model, "an ONNX or TensorFlow Lite model"))->required();
  app.option_defaults()->group("Quantising");
  ReadsConfig(app.add_option("-c,--config", config,
                             "accelerator variant whose arithmetic the scales fit: a shipped name "
                             "or a file"))
      ->capture_default_str();
  app.option_defaults()->group("Inputs");
  CLI::Option* files =
      ReadsFile(app.add_option("--data", data,
                               StrCat("samples of the inputs: ", kInputHelp,
                                      "; ONNX's *.pb; once for each input of the model")));
  files->required();
  AddEncodingTo(app, &encoding, files);
  app.add_option("--samples", samples, "take so many of them; all where it is left out")
      ->check(IntegerFrom(1, kMostSamples));
  app.option_defaults()->group("Quantising");
  app.add_option("--calibration", method,
                 StrCat("how the range of each tensor's codes is chosen: ", MethodSummaries()))
      ->check(OneOf(MethodNames()))
      ->capture_default_str();
  app.add_option("--percentile", percentile,
                 "of the values, how many percent lie below the range's "
                 "end with --calibration percentile")
      ->check(NumberFrom(50, 100, "must be 50 to 100"))
      ->capture_default_str();
  app.add_option(
         "--equalise", equalise,
         "make the channels between two convolutions equally large: on, off, or auto, where "
         "that lowers the error of the outputs")
      ->check(OneOf({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_flag(
      "--keep-biases", keep_biases,
      "leave biases as they are: without it they take back what quantised weights move the "
      "mean of each channel by");
  app.add_option(
         "--keep-float", keep_float,
         "nodes that stay in float, on the CPU, with commas between them, by the names that "
         "vta eval prints")
      ->type_name("NODES");
  app.add_option("--type", type, "of the codes of activations: int8 or uint8")
      ->check(OneOf({"int8", "uint8"}))
      ->capture_default_str();
  app.add_option("--rounding", rounding,
                 "rounding of requantisation: single or double; the model's where it is left out")
      ->check(OneOf({"single", "double"}));
  AddDimTo(app, &dims);
}

compiler::Graph QuantiseOptions::Import() const {
  if (IsPackage(model)) {
    if (const auto assumed = isa::ReadPackage(model).assumed)
      throw Error(model, "", "", StrCat("has no accuracy: ", TextOf(*assumed)));
    throw Error(model, "", "", "is a package: give the model it was made of");
  }
  compiler::Graph graph = compiler::ImportModelFile(
      model, {.dimensions = Dimensions(dims),
              .command = command ? CommandLine(*command) : "",
              .on_remark = [](const std::string& text) { Log(LogLevel::kInfo, text); }});
  if (!rounding.empty())
    graph.set_rounding(rounding == "double" ? isa::Rounding::kDouble : isa::Rounding::kSingle);
  return graph;
}

quantize::Options QuantiseOptions::Parsed() const {
  quantize::Options options;
  for (const quantize::MethodInfo& row : quantize::kMethods)
    if (row.name == method) options.method = row.method;
  options.percentile = percentile;
  if (!keep_float.empty()) options.keep_float = {keep_float};
  options.correct_biases = !keep_biases;
  options.equalise = equalise == "on"    ? quantize::Choice::kOn
                     : equalise == "off" ? quantize::Choice::kOff
                                         : quantize::Choice::kAuto;
  options.unsigned_codes = type == "uint8";
  options.config = FindConfig(config);
  return options;
}

Samples ReadSamples(const compiler::Graph& graph, const std::string& option,
                    const std::vector<std::string>& files, const Encoding& encoding, int64_t most) {
  isa::Package inputs;  // of which only these count
  inputs.tensors = InputTensors(graph);
  for (int64_t i = 0; i < std::ssize(inputs.tensors); ++i) inputs.inputs.push_back(i);
  RequireOneEach(option, files, inputs.inputs);
  Samples samples{{}, ReadInputs(inputs, files, encoding, 0, ParseSampleFile, most)};
  Inferences read = std::move(samples.from.samples);
  samples.from.samples.clear();
  samples.tensors.resize(read.size());
  for (size_t s = 0; s < read.size(); ++s)
    for (size_t i = 0; i < read[s].size(); ++i)
      samples.tensors[s].emplace_back(graph.type(graph.inputs()[i]), std::move(read[s][i]));
  return samples;
}

quantize::Calibration OnSamples(const std::vector<std::vector<compiler::Tensor>>& samples,
                                Progress* progress, int64_t threads) {
  quantize::Calibration calibration;
  calibration.samples = samples;
  calibration.make_runner = Remembering(OnCpu(threads));
  calibration.on_sample = [progress](std::string_view what, int64_t done, int64_t all) {
    if (done == 1) progress->At(std::string(what));
    progress->Count(done, all);
  };
  return calibration;
}

}  // namespace vta::tools
