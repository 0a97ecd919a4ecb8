#include "runtime/proof.h"

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::runtime {

isa::Report ProveProgram(const isa::Package& package, const isa::PackageProgram& program) {
  const std::vector<isa::Word> words = isa::WordsOf(package.ProgramCode(program));
  const isa::ImagePart constants{package.constants_offset_bytes, package.constants, true};
  isa::Launch launch;
  launch.instructions = words;
  launch.memory_bytes = package.arena_bytes;
  launch.image = {&constants, 1};
  return isa::Check(package.config, launch);
}

void ProvePrograms(const isa::Package& package, const std::string& file) {
  for (size_t i = 0; i < package.programs.size(); ++i) {
    const isa::Report report = ProveProgram(package, package.programs[i]);
    if (report.ok()) continue;
    const isa::Finding& finding = report.findings.front();
    throw Error(StrCat(file, ": program ", i, ", instruction ", finding.instruction),
                std::string(isa::Spec(finding.kind).name), finding.message,
                std::string(isa::Spec(finding.kind).rule));
  }
}

}  // namespace vta::runtime
