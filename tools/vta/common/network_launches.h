// The launches of a network on a DRAM of their own, for what looks at time alone: no kernel
// runs, tensors are 0, and each launch finds the memory as it is before an inference.
#pragma once

#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/tune/chooser.h"
#include "isa/config.h"
#include "isa/launch.h"
#include "isa/package.h"

namespace vta::tools {

struct NetworkLaunches {
  struct Layer {
    std::string name;
    isa::LayerFacts facts;
  };
  struct Launch {
    std::string layer;           // or the first and the last
    isa::LaunchRequest request;  // its parts are the layers, where they are several
    std::vector<Layer> layers = {};
  };
  std::vector<uint8_t> dram;
  std::vector<Launch> launches;
};

/// As a session launches a package's layers, or each alone.
enum class Launches : uint8_t { kOfSeveral, kApart };

/// Those of a package's programs, laid out as a device lays them out.
NetworkLaunches LaunchesOf(const isa::Package& package, Launches launches);

/// Compiles an ONNX file or, by its name, a network of `vta model`, for no CPU: the package has no
/// code for its other steps, among which are convolutions that cannot hide latency so. `chooser` as
/// ModelOptions has it. Errors: as OpenModel.
isa::Package PackageOf(const std::string& network, const isa::Config& config,
                       compiler::targets::Hiding hiding = compiler::targets::Hiding::kAny,
                       compiler::tune::Chooser* chooser = nullptr);

/// The same one's launches.
NetworkLaunches LaunchesOf(const std::string& network, const isa::Config& config,
                           Launches launches);

}  // namespace vta::tools
