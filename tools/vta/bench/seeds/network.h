// A known network, compiled for a table of vta bench seeds.
#pragma once

#include <string>

#include "compiler/models/models.h"
#include "compiler/tune/chooser.h"
#include "isa/config.h"
#include "isa/package.h"

namespace vta::tools {

struct SeedsNetwork {
  std::string name;
  compiler::ModelType type = compiler::ModelType::kFloat;
  std::string targets = "cpu";
  isa::Config config = {};                     // of the accelerator's, if it is among the targets
  std::string cpus = "";                       // that kernels have code for, as --cpu has it
  std::string precision = "fp32";              // of a GPU's products
  std::string places = "";                     // as --place has it
  bool exact = false;                          // no Winograd on the CPU
  compiler::tune::Chooser* chooser = nullptr;  // of the first target's schedules; borrowed
};

/// Without a chooser schedules are what the targets estimate to be the best. Errors: as OpenModel.
isa::Package PackageOf(const SeedsNetwork& network);

/// A network in float on one thread of the CPU, and what ONNX Runtime takes in turn with it. Units:
/// ns, the median.
struct NetworkBesidePeer {
  double ours_ns = 0, peer_ns = 0;  // 0 where it is not here
  std::string why_no_peer;
};
/// Errors: as OurNetwork and CompareWithPeer.
NetworkBesidePeer TimeBesideRuntime(const std::string& network, compiler::tune::Chooser* chooser,
                                    int64_t runs);

/// Operators of the network as its file has them.
int64_t OperatorsOf(const std::string& network, compiler::ModelType type);

}  // namespace vta::tools
