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

// From the first to the last of those that are no constants and lie in a GPU's memory, or outside.
int64_t Activations(const isa::Package& package, bool on_gpu) {
  int64_t begin = package.arena_bytes, end = 0;
  for (const isa::PackageTensor& tensor : package.tensors) {
    if (package.IsConstant(tensor) || package.IsOnGpu(tensor) != on_gpu) continue;
    begin = std::min(begin, tensor.offset_bytes);
    end = std::max(end, tensor.offset_bytes + tensor.bytes());
  }
  return std::max<int64_t>(0, end - (on_gpu ? begin : 0));
}

}  // namespace

int64_t HostActivations(const isa::Package& package) { return Activations(package, false); }

int64_t WorkspaceBytes(const isa::Package& package) {
  constexpr auto kLine = static_cast<int64_t>(kCacheLineBytes);
  int64_t bytes = 0;
  for (const isa::PackageKernel& kernel : package.kernels)
    if (!kernel.IsForGpu())
      bytes = std::max(bytes, (kernel.workspace_bytes + kLine - 1) / kLine * kLine);
  return bytes;
}

MemoryUse MemoryOf(const isa::Package& package, int64_t threads) {
  MemoryUse use;
  use.gpu = Activations(package, true);
  use.activations = HostActivations(package) + use.gpu;
  use.gpu += std::ssize(package.GpuConstants());
  use.constants = std::ssize(package.constants);
  use.threads = threads;
  use.workspace = WorkspaceBytes(package) * threads;
  int64_t of_cpus = 0, of_gpus = 0;
  for (const isa::PackageModule& module : package.modules) {
    int64_t& largest = module.Gpu() ? of_gpus : of_cpus;
    largest = std::max(largest, static_cast<int64_t>(module.code.size()));
  }
  use.code = of_cpus + of_gpus + static_cast<int64_t>(package.code.size());
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
