#include "tools/vta/bench/peer.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tools/vta/common/python_tools.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {
namespace {

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Whatever is neither: a node that a new version of the peer has counts as float.
bool OnlyMovesData(std::string_view op) {
  return IsOneOf(op, {"QuantizeLinear", "DequantizeLinear", "Cast", "Flatten", "Reshape", "Squeeze",
                      "Unsqueeze", "Transpose", "Identity", "MaxPool", "NhwcMaxPool",
                      "ReorderInput", "ReorderOutput"});
}
bool IsInt8(std::string_view op) {
  return op.starts_with("QLinear") || IsOneOf(op, {"QGemm", "ConvInteger", "MatMulInteger"});
}
bool IsProduct(std::string_view op) {
  return op.find("Conv") != op.npos || op.find("Gemm") != op.npos || op.find("MatMul") != op.npos;
}

std::vector<std::string> WordsOf(const PeerOptions& options) {
  VTA_CHECK(!options.cores.empty());
  std::string cores;
  for (int64_t core : options.cores) cores += StrCat(cores.empty() ? "" : ",", core);
  std::vector<std::string> words = options.command;
  words.push_back(cores);
  words.push_back(StrCat(options.threads));
  return words;
}

/// One that a Python of a group runs.
PeerOptions PythonPeer(const char* name, const PythonTools& tools, const char* script,
                       std::vector<int64_t> cores, int64_t threads) {
  PeerOptions options;
  options.name = name;
  // Isolated: nothing of the user's own packages and settings.
  options.command = {tools.folder + "/bin/python", "-I", "-B", ShippedPath(script)};
  options.cores = std::move(cores);
  options.threads = threads;
  return options;
}

}  // namespace

PeerOptions OnnxRuntimePeer(std::vector<int64_t> cores, int64_t threads) {
  return PythonPeer("ONNX Runtime", FindPythonTools("bench", "vta bench cpu"),
                    "tools/bench/onnxruntime_peer.py", std::move(cores), threads);
}

PeerOptions LiteRtPeer(bool is_micro, std::vector<int64_t> cores, int64_t threads) {
  PeerOptions options = PythonPeer(is_micro ? "TensorFlow Lite Micro" : "LiteRT",
                                   FindPythonTools("zoo", "vta bench zoo"),
                                   "tools/bench/litert_peer.py", std::move(cores), threads);
  options.command.emplace_back(is_micro ? "micro" : "litert");
  return options;
}

PeerPrecision PrecisionOf(const PeerModel& model) {
  PeerPrecision precision;
  for (const auto& [name, count] : model.nodes) {
    const std::string_view op = std::string_view(name).substr(name.rfind('.') + 1);
    if (OnlyMovesData(op)) continue;
    (IsInt8(op) ? precision.in_int8 : precision.in_float) += count;
    if (IsProduct(op))
      (IsInt8(op) ? precision.products_in_int8 : precision.products_in_float) += count;
  }
  return precision;
}

Peer::Peer(PeerOptions options)
    : options_(std::move(options)),
      folder_(NewTemporaryFolder("vta-peer")),
      process_(options_.name, WordsOf(options_), options_.limit_s) {}

PeerModel Peer::Load(const std::string& model, const NamedTensors& inputs) {
  Json files = Json(Json::Object());
  for (const auto& [name, tensor] : inputs) {
    const std::string path = StrCat(folder_.path(), "/input", files.as_object()->size(), ".npy");
    WriteFileAtomically(path, SerializeTensorFile(tensor, path));
    files.Set(name, path);
  }
  const Json answer = process_.Ask(Json()
                                       .Set("do", "load")
                                       .Set("model", model)
                                       .Set("inputs", std::move(files))
                                       .Set("folder", folder_.path()));
  JsonReader reader(answer, options_.name + ": load");
  PeerModel loaded;
  loaded.runtime = reader.String("runtime");
  loaded.version = reader.String("version");
  for (const Json& provider : reader.Array("providers"))
    if (provider.as_string()) loaded.providers.push_back(*provider.as_string());
  const Json::Object* nodes = reader.Any("nodes").as_object();
  if (!nodes) throw reader.Fail("nodes", "must be an object");
  JsonReader counts(reader.Any("nodes"), reader.file(), "nodes");
  for (const auto& [op, count] : *nodes)
    loaded.nodes.emplace_back(op, counts.Int(op, 0, INT64_MAX));
  std::vector<int64_t> cores;
  for (const Json& core : reader.Array("cores"))
    if (core.as_int()) cores.push_back(*core.as_int());
  if (cores != options_.cores || reader.Int("threads", 1, INT64_MAX) != options_.threads)
    throw process_.Fail("cores", "are not those that it was told to stay on");
  reader.Finish();
  return loaded;
}

std::vector<int64_t> Peer::Run(int64_t count) {
  VTA_CHECK(count >= 0 && count <= kMostRuns, count);
  const Json answer = process_.Ask(Json().Set("do", "run").Set("count", count));
  JsonReader reader(answer, options_.name + ": run");
  std::vector<int64_t> times;
  for (const Json& time : reader.Array("ns"))
    if (time.as_int() && *time.as_int() > 0) times.push_back(*time.as_int());
  if (static_cast<int64_t>(times.size()) != count)
    throw reader.Fail("ns", StrCat("must hold ", count, " times above 0"));
  return times;
}

NamedTensors Peer::Outputs() {
  const Json answer = process_.Ask(Json().Set("do", "output"));
  JsonReader reader(answer, options_.name + ": output");
  const Json::Object* files = reader.Any("files").as_object();
  if (!files) throw reader.Fail("files", "must be an object");
  JsonReader paths(reader.Any("files"), reader.file(), "files");
  NamedTensors outputs;
  for (const auto& [name, unused] : *files) {
    const std::string path = paths.String(name);
    outputs.emplace(name, ParseTensorFile(ReadFile(path), path));
  }
  return outputs;
}

}  // namespace vta::tools
