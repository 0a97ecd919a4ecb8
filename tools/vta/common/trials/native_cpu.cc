#include "tools/vta/common/trials/native_cpu.h"

#include "isa/support/hash.h"
#include "runtime/cpu_features.h"

namespace vta::tools {

compiler::lower::CpuSpec NativeCpu() {
  const runtime::Cpu machine = runtime::ThisCpu();
  compiler::lower::CpuSpec native{std::string(machine.arch),
                                  {machine.features.begin(), machine.features.end()}};
  for (const isa::CpuRow& row : isa::kCpus)
    if (native.tune.empty() && machine.Runs(row)) native.tune = row.tune;
  return native;
}

uint64_t HashOf(const compiler::lower::CpuSpec& cpu) {
  Hasher hasher;
  hasher.Text(cpu.arch).Text(cpu.tune);
  for (const std::string& feature : cpu.features) hasher.Text(feature);
  return hasher.value();
}

}  // namespace vta::tools
