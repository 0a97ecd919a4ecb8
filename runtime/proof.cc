#include "runtime/proof.h"

#include <algorithm>
#include <set>
#include <span>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::runtime {
namespace {

void WithProgram(const isa::Package& package, int64_t program,
                 std::span<const isa::PackageStep> steps,
                 const std::function<void(const isa::Launch&)>& use) {
  std::vector<isa::ByteRange> inputs, outputs;
  const auto add = [&](std::vector<isa::ByteRange>& ranges, const std::vector<int64_t>& tensors) {
    for (const int64_t index : tensors) {
      const isa::PackageTensor& tensor = package.tensors[index];
      ranges.push_back({tensor.offset_bytes, tensor.offset_bytes + tensor.bytes()});
    }
  };
  // What a step before it makes a step loads once that is stored.
  std::set<int64_t> made;
  for (const isa::PackageStep& step : steps) {
    std::vector<int64_t> taken = step.inputs;
    std::erase_if(taken, [&](int64_t tensor) { return made.contains(tensor); });
    add(inputs, taken), add(outputs, step.outputs);
    made.insert(step.outputs.begin(), step.outputs.end());
  }
  const std::vector<isa::Word> words = isa::WordsOf(package.ProgramCode(package.programs[program]));
  const isa::ImagePart constants{package.constants_offset_bytes, package.HostConstants(), true};
  isa::Launch launch;
  launch.instructions = words;
  launch.memory_bytes = package.host_bytes();
  launch.image = {&constants, 1};
  launch.interface = {std::move(inputs), std::move(outputs), steps.size() > 1};
  launch.any_command_queues = true;
  use(launch);
}

void Require(const isa::Report& report, const std::string& file, const isa::Package& package,
             int64_t step, std::span<const int64_t> starts) {
  if (report.ok()) return;
  const isa::Finding& finding = report.findings.front();
  step += std::ranges::upper_bound(starts, std::max<int64_t>(finding.instruction, 0)) -
          starts.begin() - 1;
  std::string place = StrCat(file, ": step ", step, " ", package.steps[step].name);
  if (starts.size() > 1) place += StrCat(", in a launch of ", starts.size(), " steps");
  if (finding.instruction >= 0) place += StrCat(", instruction ", finding.instruction);
  throw Error(place, std::string(isa::Spec(finding.kind).name), finding.message,
              std::string(isa::Spec(finding.kind).rule));
}

}  // namespace

void WithLaunch(const isa::Package& package, const isa::PackageStep& step,
                const std::function<void(const isa::Launch&)>& use) {
  WithProgram(package, step.program, {&step, 1}, use);
}

void WithLaunch(const isa::Package& package, const isa::PackageLaunch& launch,
                const std::function<void(const isa::Launch&)>& use) {
  WithProgram(package, launch.program,
              std::span(package.steps).subspan(launch.first, launch.starts.size()), use);
}

isa::Report ProveStep(const isa::Package& package, const isa::PackageStep& step) {
  isa::Report report;
  WithLaunch(package, step,
             [&](const isa::Launch& launch) { report = isa::Check(*package.config, launch); });
  return report;
}

isa::Report ProveLaunch(const isa::Package& package, const isa::PackageLaunch& launch) {
  isa::Report report;
  WithLaunch(package, launch,
             [&](const isa::Launch& known) { report = isa::Check(*package.config, known); });
  return report;
}

void ProvePackage(const isa::Package& package, const std::string& file) {
  const int64_t alone[] = {0};
  for (int64_t i = 0; i < std::ssize(package.steps); ++i)
    if (package.steps[i].kind == isa::PackageStep::Kind::kProgram)
      Require(ProveStep(package, package.steps[i]), file, package, i, alone);
  for (const isa::PackageLaunch& launch : package.launches)
    Require(ProveLaunch(package, launch), file, package, launch.first, launch.starts);
}

}  // namespace vta::runtime
