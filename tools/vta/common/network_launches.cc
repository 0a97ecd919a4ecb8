#include "tools/vta/common/network_launches.h"

#include <algorithm>

#include "compiler/models/models.h"
#include "driver/device.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

int64_t OnPages(int64_t bytes) {
  constexpr int64_t kPage = driver::kAllocationAlignment;
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

NetworkLaunches LaunchesOf(const isa::Package& package, Launches launches) {
  // An unused page, the tensors, the code.
  const int64_t arena = driver::kAllocationAlignment, code = arena + OnPages(package.arena_bytes);
  NetworkLaunches network;
  network.dram.resize(static_cast<size_t>(code + OnPages(std::ssize(package.code))));
  std::copy_n(package.constants.data(), package.constants.size(),
              network.dram.data() + arena + package.constants_offset_bytes);
  std::copy_n(package.code.data(), package.code.size(), network.dram.data() + code);
  const auto add = [&](int64_t number, std::span<const isa::PackageStep> steps,
                       const std::vector<int64_t>& starts) {
    const isa::PackageProgram& program = package.programs[static_cast<size_t>(number)];
    NetworkLaunches::Launch& launch = network.launches.emplace_back(isa::NameOf(steps));
    for (const isa::PackageStep& step : steps) launch.layers.push_back({step.name, step.facts});
    isa::LaunchRequest& request = launch.request;
    request.instruction_address =
        static_cast<uint64_t>(code + program.first * isa::kInstructionBytes);
    request.instruction_count = program.count;
    request.base.fill(static_cast<uint64_t>(arena));
    request.parts = starts;
  };
  for (int64_t i = 0; i < std::ssize(package.steps);) {
    const isa::PackageLaunch* const launch =
        launches == Launches::kOfSeveral ? package.LaunchAt(i) : nullptr;
    const auto steps =
        launch ? package.StepsOf(*launch) : std::span(&package.steps[static_cast<size_t>(i)], 1);
    if (launch)
      add(launch->program, steps, launch->starts);
    else if (steps[0].kind == isa::PackageStep::Kind::kProgram)
      add(steps[0].program, steps, {});
    i += std::ssize(steps);
  }
  return network;
}

isa::Package PackageOf(const std::string& network, const isa::Config& config,
                       compiler::targets::Hiding hiding, compiler::tune::Chooser* chooser) {
  // Both are read from files.
  const Temporary folder(NewTemporaryFolder("vta-network"));
  ModelOptions options;
  options.config = folder.path() + "/config.json";
  WriteFileAtomically(options.config, isa::ConfigToJson(config));
  options.model = network;
  options.hiding = hiding;
  if (chooser) options.choosers["vta"] = chooser;
  options.cpus.clear();  // only the programs are of interest
  const auto known = compiler::KnownModels();
  if (std::ranges::any_of(known, [&](const auto& model) { return model.name == network; })) {
    options.model = folder.path() + "/model.onnx";
    compiler::BuildModel(network, 1, options.model);
  }
  return OpenModel(options).package;
}

NetworkLaunches LaunchesOf(const std::string& network, const isa::Config& config,
                           Launches launches) {
  return LaunchesOf(PackageOf(network, config), launches);
}

}  // namespace vta::tools
