#include "compiler/llvm/module.h"

#include <algorithm>
#include <set>
#include <thread>

#include "compiler/llvm/check_module.h"
#include "compiler/llvm/link.h"
#include "compiler/llvm/object.h"
#include "compiler/tune/parallel.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {

namespace {

void RequireNames(std::span<const lower::Kernel> kernels) {
  std::set<std::string> names;
  for (const lower::Kernel& kernel : kernels)
    if (!names.insert(kernel.function.name).second)
      throw Error("", "kernel", kernel.function.name, "two kernels have this name");
}

/// One kernel after the other goes to the next of so many objects, the same ones on any machine.
std::vector<std::vector<lower::Kernel>> Parts(std::span<const lower::Kernel> kernels) {
  constexpr size_t kMost = 8;
  std::vector<std::vector<lower::Kernel>> parts(std::min(kernels.size(), kMost));
  for (size_t i = 0; i < kernels.size(); ++i) parts[i % parts.size()].push_back(kernels[i]);
  return parts;
}

}  // namespace

std::vector<uint8_t> BuildModule(std::span<const lower::Kernel> kernels, const Machine& machine) {
  RequireNames(kernels);
  if (TraitsOf(machine).arch == isa::kPtxArch) {
    Object object(kernels, machine);
    object.Optimize();
    const std::string text = object.Assembly();
    return {text.begin(), text.end()};
  }
  const auto parts = Parts(kernels);
  std::vector<std::vector<uint8_t>> objects(parts.size());
  tune::InParallel(std::thread::hardware_concurrency(), parts.size(), [&](size_t i) {
    Object object(parts[i], machine);
    object.Optimize();
    objects[i] = object.Code();
  });
  std::vector<uint8_t> module = Link(objects);
  CheckModule(module, kernels);
  return module;
}

ModuleText DumpModule(std::span<const lower::Kernel> kernels, const Machine& machine) {
  Object object(kernels, machine);
  ModuleText text{.ir = object.Ir()};
  object.Optimize();
  text.optimized = object.Ir();
  text.assembly = object.Assembly();
  return text;
}

}  // namespace vta::compiler::llvm
