#include "runtime/proof.h"

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::runtime {

void WithLaunch(const isa::Package& package, const isa::PackageStep& step,
                const std::function<void(const isa::Launch&)>& use) {
  const auto ranges = [&](const std::vector<int64_t>& tensors) {
    std::vector<isa::ByteRange> out;
    for (int64_t index : tensors) {
      const isa::PackageTensor& tensor = package.tensors[index];
      out.push_back({tensor.offset_bytes, tensor.offset_bytes + tensor.bytes()});
    }
    return out;
  };
  const std::vector<isa::Word> words =
      isa::WordsOf(package.ProgramCode(package.programs[step.program]));
  const isa::ImagePart constants{package.constants_offset_bytes, package.constants, true};
  isa::Launch launch;
  launch.instructions = words;
  launch.memory_bytes = package.arena_bytes;
  launch.image = {&constants, 1};
  launch.interface = {ranges(step.inputs), ranges(step.outputs)};
  launch.any_command_queues = true;
  use(launch);
}

isa::Report ProveStep(const isa::Package& package, const isa::PackageStep& step) {
  isa::Report report;
  WithLaunch(package, step,
             [&](const isa::Launch& launch) { report = isa::Check(*package.config, launch); });
  return report;
}

void ProvePackage(const isa::Package& package, const std::string& file) {
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const isa::PackageStep& step = package.steps[i];
    if (step.kind != isa::PackageStep::Kind::kProgram) continue;
    const isa::Report report = ProveStep(package, step);
    if (report.ok()) continue;
    const isa::Finding& finding = report.findings.front();
    std::string place = StrCat(file, ": step ", i, " ", step.name);
    if (finding.instruction >= 0) place += StrCat(", instruction ", finding.instruction);
    throw Error(place, std::string(isa::Spec(finding.kind).name), finding.message,
                std::string(isa::Spec(finding.kind).rule));
  }
}

}  // namespace vta::runtime
