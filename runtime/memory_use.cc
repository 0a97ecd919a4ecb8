#include "runtime/memory_use.h"

#include <algorithm>
#include <set>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

// What an inference writes, each once: an output may be a second name of a tensor.
std::set<int64_t> Written(const isa::Package& package) {
  std::set<int64_t> tensors(package.inputs.begin(), package.inputs.end());
  for (const isa::PackageStep& step : package.steps)
    tensors.insert(step.outputs.begin(), step.outputs.end());
  return tensors;
}

}  // namespace

int64_t WorkspaceBytes(const isa::Package& package) {
  constexpr auto kLine = static_cast<int64_t>(kCacheLineBytes);
  int64_t bytes = 0;
  for (const isa::PackageKernel& kernel : package.kernels)
    bytes = std::max(bytes, (kernel.workspace_bytes + kLine - 1) / kLine * kLine);
  return bytes;
}

MemoryUse MemoryOf(const isa::Package& package, int64_t threads) {
  MemoryUse use;
  for (const isa::PackageTensor& tensor : package.tensors)
    if (!package.IsConstant(tensor))
      use.activations = std::max(use.activations, tensor.offset_bytes + tensor.bytes());
  use.constants = std::ssize(package.constants);
  use.threads = threads;
  use.workspace = WorkspaceBytes(package) * threads;
  for (const isa::PackageModule& module : package.modules)
    use.code = std::max(use.code, static_cast<int64_t>(module.code.size()));
  use.code += static_cast<int64_t>(package.code.size());
  for (const int64_t tensor : Written(package)) use.tensors += package.tensors[tensor].bytes();
  return use;
}

void RequireMemory(const isa::Package& package, const std::string& file, int64_t threads,
                   int64_t limit_bytes) {
  const MemoryUse use = MemoryOf(package, threads);
  if (use.peak() <= limit_bytes) return;
  std::string largest;
  int64_t most = 0;
  for (const int64_t tensor : Written(package)) {
    const isa::PackageTensor& t = package.tensors[tensor];
    if (t.bytes() <= most) continue;
    most = t.bytes();
    largest = StrCat(" (the largest tensor, ", t.name, ", has ", most, ")");
  }
  const std::string workspace =
      use.workspace > 0
          ? StrCat(", ", use.workspace, " of workspace for ", Counted(threads, "thread"))
          : "";
  throw Error(
      file, "memory", Counted(use.peak(), "byte"),
      StrCat("must be at most the limit, ", limit_bytes, ": ", use.activations, " of activations",
             largest, ", ", use.constants, " of constants", workspace, ", ", use.code, " of code"));
}

}  // namespace vta::runtime
