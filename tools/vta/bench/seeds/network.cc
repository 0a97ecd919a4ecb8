#include "tools/vta/bench/seeds/network.h"

#include <optional>

#include "compiler/frontend/model.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "tools/vta/bench/compare.h"
#include "tools/vta/bench/our_network.h"
#include "tools/vta/bench/peer.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

isa::Package PackageOf(const SeedsNetwork& network) {
  const Temporary folder(NewTemporaryFolder("vta-seeds"));
  ModelOptions options;
  options.model = StrCat(folder.path(), "/", network.name, ".onnx");
  options.targets = network.targets;
  options.cpus = network.cpus;
  options.precision = network.precision;
  options.places = network.places;
  options.exact = network.exact;
  options.own_config = network.config;
  options.tune.effort = 0;
  if (network.chooser)
    options.choosers[network.targets.substr(0, network.targets.find(','))] = network.chooser;
  compiler::BuildModel(network.name, 1, options.model, network.type);
  return OpenModel(options).package;
}

NetworkBesidePeer TimeBesideRuntime(const std::string& network, compiler::tune::Chooser* chooser,
                                    int64_t runs) {
  const Temporary folder(NewTemporaryFolder("vta-seeds"));
  ModelOptions options;
  options.model = StrCat(folder.path(), "/", network, ".onnx");
  options.targets = "cpu";
  options.tune.effort = 0;
  if (chooser) options.choosers["cpu"] = chooser;
  compiler::BuildModel(network, 1, options.model, compiler::ModelType::kFloat);
  EngineOptions engine;
  engine.threads = 1;
  OurNetwork ours(options, engine);
  NetworkBesidePeer result;
  std::optional<Peer> peer;
  try {
    peer.emplace(OnnxRuntimePeer({AllowedCores().back()}, 1));
    peer->Load(options.model, ours.Inputs());
  } catch (const Error& error) {
    result.why_no_peer = error.what();
    result.ours_ns = ours.Time({.number = 1, .repeat = runs}).mean();
    return result;
  }
  const Comparison comparison = CompareWithPeer(ours.Side(), *peer, {.runs = runs});
  result.ours_ns = comparison.ours.median, result.peer_ns = comparison.peer.median;
  return result;
}

int64_t OperatorsOf(const std::string& network, compiler::ModelType type) {
  const Temporary folder(NewTemporaryFolder("vta-seeds"));
  const std::string file = StrCat(folder.path(), "/", network, ".onnx");
  compiler::BuildModel(network, 1, file, type);
  return std::ssize(compiler::ImportModelFile(file, {}).nodes());
}

}  // namespace vta::tools
