#include "tools/vta/bench/seeds_network.h"

#include "compiler/frontend/model.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
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

int64_t OperatorsOf(const std::string& network, compiler::ModelType type) {
  const Temporary folder(NewTemporaryFolder("vta-seeds"));
  const std::string file = StrCat(folder.path(), "/", network, ".onnx");
  compiler::BuildModel(network, 1, file, type);
  return std::ssize(compiler::ImportModelFile(file, {}).nodes());
}

}  // namespace vta::tools
