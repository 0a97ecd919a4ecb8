#include "tools/vta/bench/zoo_row.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/frontend/model.h"
#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/shared/samples.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/self.h"

namespace vta::tools {
namespace {

bool IsTflite(const ZooModel& model) { return model.file.ends_with(".tflite"); }

/// How many elements of the outputs are not the peer's.
void CountDiffering(const NamedTensors& ours, const NamedTensors& peer, ZooOnCpu* row) {
  for (const auto& [name, tensor] : ours) {
    const compiler::Tensor& other = peer.at(name);
    row->elements += tensor.elements();
    for (int64_t i = 0; i < tensor.elements(); ++i) row->differing += tensor.At(i) != other.At(i);
  }
}

ZooOnCpu BesideRuntime(const ZooModel& model, bool has_codes, const ZooOptions& options,
                       OurNetwork& ours) {
  const auto threads = static_cast<int64_t>(options.cores.size());
  Peer peer(!IsTflite(model) ? OnnxRuntimePeer(options.cores, threads)
                             : LiteRtPeer(has_codes, options.cores, threads));
  ZooOnCpu row;
  row.runtime = peer.Load(model.file, ours.Inputs()).runtime;
  const OurSide side = ours.Side();
  const Comparison compared = CompareWithPeer(
      side, peer,
      ForThreads(
          {.warmups = 1, .runs = options.runs, .least_ns = 50'000'000, .tolerance = HUGE_VAL},
          threads));
  row.ms = compared.ours.median / 1e6;
  row.runtime_ms = IsTflite(model) && has_codes ? 0 : compared.peer.median / 1e6;
  row.difference = compared.difference;
  CountDiffering(side.outputs(), peer.Outputs(), &row);
  return row;
}

/// Files of noise, one for each input.
std::vector<std::string> Noise(const OurNetwork& ours, int64_t samples, const std::string& folder) {
  std::vector<std::string> files;
  for (const isa::PackageTensor& tensor : ours.InputTensors()) {
    std::vector<std::vector<uint8_t>> drawn;
    for (int64_t i = 0; i < samples; ++i)
      drawn.push_back(RandomSample(tensor, 1 + static_cast<uint64_t>(i)));
    files.push_back(StrCat(folder, "/noise", files.size(), ".npy"));
    WriteFileAtomically(files.back(), SerializeSamples(drawn, tensor, files.back()));
  }
  return files;
}

/// The signal to noise that `vta quantize` prints.
double DecibelsIn(const std::string& text) {
  constexpr std::string_view kBefore = "\noutputs: ";
  const size_t at = text.find(kBefore);
  VTA_CHECK(at != text.npos, text);
  return std::stod(text.substr(at + kBefore.size()));
}

ZooOnVta OnVta(const ZooModel& model, bool has_codes, const ZooOptions& options,
               const OurNetwork& ours) {
  const Temporary folder(NewTemporaryFolder("vta-zoo"));
  ZooOnVta row;
  std::string file = model.file;
  std::vector<std::string> dims;
  for (const std::string& dim : model.dims) dims.insert(dims.end(), {"--dim", dim});
  if (!has_codes) {
    std::vector<std::string> words = {"quantize", model.file, "-q", "-c", options.config};
    file = folder.path() + "/quantised.onnx";
    const std::string said = folder.path() + "/said";
    const std::vector<std::string> data = model.pictures.empty()
                                              ? Noise(ours, options.samples, folder.path())
                                              : std::vector<std::string>{model.pictures};
    for (const std::string& one : data) words.insert(words.end(), {"--data", one});
    if (!model.pictures.empty()) words.insert(words.end(), {"--resize", "crop"});
    words.insert(words.end(), model.preparation.begin(), model.preparation.end());
    words.insert(words.end(), dims.begin(), dims.end());
    words.insert(words.end(), {"-o", file});
    RunSelf(words, said);
    row.decibels = DecibelsIn("\n" + ReadTextFile(said));
    dims.clear();
  }
  const std::string report = folder.path() + "/report.json";
  std::vector<std::string> words = {"run",      file,    "-q",       "-c",  options.config,
                                    "--engine", "cycle", "--report", report};
  words.insert(words.end(), dims.begin(), dims.end());
  RunSelf(words);
  const Json json = Json::Parse(ReadTextFile(report), report);
  for (const Json& layer : *json.Find("layers")->as_array()) {
    ++row.layers;
    row.on_vta += *layer.Find("where")->as_string() == "vta";
  }
  const Json& total = *json.Find("total");
  row.host_bytes = *total.Find("kernel_bytes")->as_int();
  if (const Json* const bound = json.Find("host_bytes_bound")) row.host_bound = *bound->as_int();
  if (const Json* const bound = json.Find("host_steps_bound")) row.steps_bound = *bound->as_int();
  if (const Json* const cycles = total.Find("cycles")) row.cycles = *cycles->as_int();
  return row;
}

/// One line, without what says which command failed.
std::string LastLine(std::string text) {
  constexpr std::string_view kTool = "vta: ";
  text.erase(text.find_last_not_of('\n') + 1);
  text.erase(0, text.rfind('\n') + 1);
  return text.starts_with(kTool) ? text.substr(kTool.size()) : text;
}

/// What `make` makes, or what it throws as `why`.
template <typename T>
std::optional<T> Try(const std::function<T()>& make, std::string* why) {
  try {
    return make();
  } catch (const std::exception& error) {
    *why = LastLine(error.what());
    return std::nullopt;
  }
}

}  // namespace

ZooRow MeasureModel(const ZooModel& model, const ZooOptions& options) {
  ZooRow row;
  row.name = model.name;
  row.on_pictures = !model.pictures.empty();
  std::unique_ptr<OurNetwork> ours;
  bool has_codes = false;
  row.macs = Try<int64_t>(
      [&] {
        has_codes = compiler::quantize::IsQuantised(
            compiler::ImportModelFile(model.file, {.dimensions = Dimensions(model.dims)}));
        ModelOptions how;
        how.model = model.file;
        how.targets = "cpu";
        how.threads = std::ssize(options.cores);
        how.dims = model.dims;
        ours = std::make_unique<OurNetwork>(how, EngineOptions{});
        return ours->Macs();
      },
      &row.why_not_read);
  if (row.macs && options.on_cpu) {
    row.cpu = Try<ZooOnCpu>([&] { return BesideRuntime(model, has_codes, options, *ours); },
                            &row.why_no_cpu);
    std::string why;
    row.steps = Try<NetworkSteps>(
        [&] {
          return BesideBounds(ours->package(), ours->StepTimes(NetworkSteps::kRuns), options.bounds,
                              std::ssize(options.cores));
        },
        &why);
    if (row.why_no_cpu.empty()) row.why_no_cpu = why;
  }
  if (row.macs && options.on_vta)
    row.vta =
        Try<ZooOnVta>([&] { return OnVta(model, has_codes, options, *ours); }, &row.why_no_vta);
  // The row has the name already.
  for (std::string* why : {&row.why_not_read, &row.why_no_cpu, &row.why_no_vta})
    for (const std::string& file : {model.file + ": ", Visible(model.file) + ": "})
      if (why->starts_with(file)) why->erase(0, file.size());
  return row;
}

Json ToJson(const ZooRow& row) {
  Json json = Json().Set("model", row.name).Set("on_pictures", row.on_pictures);
  if (!row.macs) return json.Set("why_not_read", row.why_not_read);
  json.Set("macs", *row.macs);
  if (row.cpu)
    json.Set("cpu", Json()
                        .Set("runtime", row.cpu->runtime)
                        .Set("ms", row.cpu->ms)
                        .Set("runtime_ms", row.cpu->runtime_ms)
                        .Set("difference", row.cpu->difference)
                        .Set("differing", row.cpu->differing)
                        .Set("elements", row.cpu->elements));
  else if (!row.why_no_cpu.empty())
    json.Set("why_no_cpu", row.why_no_cpu);
  if (row.steps) json.Set("steps", ToJson(*row.steps));
  if (!row.vta) return row.why_no_vta.empty() ? json : json.Set("why_no_vta", row.why_no_vta);
  Json vta;
  if (row.vta->decibels) vta.Set("db", *row.vta->decibels);
  return json.Set("vta", vta.Set("on_vta", row.vta->on_vta)
                             .Set("layers", row.vta->layers)
                             .Set("host_steps_bound", row.vta->steps_bound)
                             .Set("host_bytes", row.vta->host_bytes)
                             .Set("host_bytes_bound", row.vta->host_bound)
                             .Set("cycles", row.vta->cycles));
}

ZooRow ReadZooRow(const Json& json, const std::string& where) {
  constexpr int64_t kMost = INT64_MAX;
  JsonReader reader(json, where);
  ZooRow row;
  row.name = reader.String("model");
  row.on_pictures = reader.Bool("on_pictures");
  const auto why = [&](const char* key) { return reader.Has(key) ? reader.String(key) : ""; };
  row.why_not_read = why("why_not_read");
  row.why_no_cpu = why("why_no_cpu");
  row.why_no_vta = why("why_no_vta");
  if (reader.Has("macs")) row.macs = reader.Int("macs", 0, kMost);
  if (reader.Has("cpu")) {
    JsonReader cpu = reader.Object("cpu");
    row.cpu = {cpu.String("runtime"),          cpu.Double("ms"),
               cpu.Double("runtime_ms"),       cpu.Double("difference"),
               cpu.Int("differing", 0, kMost), cpu.Int("elements", 0, kMost)};
  }
  if (reader.Has("steps")) row.steps = ReadNetworkSteps(reader.Object("steps"));
  if (reader.Has("vta")) {
    JsonReader vta = reader.Object("vta");
    row.vta.emplace();
    if (vta.Has("db")) row.vta->decibels = vta.Double("db");
    row.vta->on_vta = vta.Int("on_vta", 0, kMost);
    row.vta->layers = vta.Int("layers", 0, kMost);
    row.vta->steps_bound = vta.Int("host_steps_bound", 0, kMost);
    row.vta->host_bytes = vta.Int("host_bytes", 0, kMost);
    row.vta->host_bound = vta.Int("host_bytes_bound", 0, kMost);
    row.vta->cycles = vta.Int("cycles", 0, kMost);
  }
  return row;
}

}  // namespace vta::tools
