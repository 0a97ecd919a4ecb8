#include "compiler/lower/cpu.h"

#include "isa/support/error.h"

namespace vta::compiler::lower {

CpuSpec FindCpu(const std::string& name) {
  std::string names;
  for (const isa::CpuRow& row : isa::kCpus) {
    names += StrCat(names.empty() ? "" : ", ", std::string(row.name));
    if (row.name != name) continue;
    CpuSpec cpu{std::string(row.arch), {}, std::string(row.tune)};
    for (std::string_view rest = row.features; !rest.empty();)
      cpu.features.emplace_back(isa::TakeCpuFeature(rest));
    return cpu;
  }
  throw Error("", "cpu", name, StrCat("must be one of ", names));
}

}  // namespace vta::compiler::lower
