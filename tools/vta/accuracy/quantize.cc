// vta quantize MODEL --data D -o Q.onnx
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "compiler/frontend/onnx/export.h"
#include "compiler/quantize/costliest.h"
#include "compiler/quantize/error.h"
#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/vta/accuracy/quantise_options.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/graph_runner.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

constexpr size_t kCostliest = 3;

/// "3 minmax, 6 mse".
std::string MethodCounts(const std::vector<quantize::Method>& methods) {
  std::string text;
  for (const quantize::MethodInfo& row : quantize::kMethods)
    if (const auto count = std::ranges::count(methods, row.method); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          row.method == quantize::Method::kAuto ? "by what later layers get"
                                                                : StrCat("by ", row.name));
  return text;
}

int Run(const QuantiseOptions& options, int64_t threads, const std::string& output) {
  Progress progress(StrCat("quantize ", options.model));
  const compiler::Graph graph = options.Import();
  if (quantize::IsQuantised(graph))
    throw Error(options.model, "", "",
                "is quantised already; vta eval compares it with itself in float");
  const auto samples =
      ReadSamples(graph, "--data", options.data, options.encoding, options.samples).tensors;
  quantize::Calibration calibration = OnSamples(samples, &progress, threads);
  calibration.hold_back = quantize::HoldBackOf(std::ssize(samples));
  const quantize::Options how = options.Parsed();
  std::vector<uint8_t> bytes;
  quantize::Result result;
  quantize::Noise noise;
  std::vector<quantize::Cost> costs;
  const quantize::Calibration held = calibration.Held();
  try {
    result = quantize::Quantise(graph, calibration, how);
    noise = quantize::OutputNoise(result.real, result.quantised.graph, held, OnCpu(threads));
    costs = quantize::Costliest(result, held, kCostliest);
    bytes = compiler::ExportOnnx(result.quantised.graph);
  } catch (const Error& error) {
    throw error.In(options.model);
  }
  WriteFileAtomically(output, bytes);
  progress.Hide();
  fmt::print("{}: {} with int8 weights, {} as codes, scales for {}\n", Visible(output),
             Counted(result.plan.layers.size(), "layer"),
             Counted(result.plan.points.size(), "tensor"), how.config->name);
  if (result.equalised > 0)
    fmt::print("channels equalised between {} of layers\n", Counted(result.equalised, "pair"));
  for (const std::string& node : result.kept) fmt::print("in float: {}\n", Visible(node));
  if (how.method == quantize::Method::kAuto)
    fmt::print("ranges of codes: {}\n", MethodCounts(result.methods));
  fmt::print("outputs: {:.1f} dB of signal to noise against float, on {}{}\n", noise.decibels(),
             Counted(held.Chosen().size(), "sample"),
             calibration.hold_back > 0 ? " held back" : "");
  for (const quantize::Cost& cost : costs)
    fmt::print("codes of {} cost {:.1f} dB of that; alone: {:.1f} dB\n", Visible(cost.layer),
               cost.gain, cost.alone);
  return 0;
}

}  // namespace

std::function<int()> AddQuantizeCommand(CLI::App& app) {
  struct Options {
    QuantiseOptions quantise;
    int64_t threads = 0;
    std::string output;
  };
  auto options = std::make_shared<Options>();
  options->quantise.AddTo(app);
  AddCpuThreadsTo(app, &options->threads);
  app.option_defaults()->group("Output");
  WritesFile(app.add_option("-o,--output", options->output, "the ONNX file to write"))->required();
  return [options] { return Run(options->quantise, options->threads, options->output); };
}

}  // namespace vta::tools
