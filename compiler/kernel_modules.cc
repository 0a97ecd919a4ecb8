#include "compiler/kernel_modules.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "isa/spec/gpu.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

lower::Kernel Plan(const loop::Function& function, const isa::GpuRow* gpu) {
  return gpu ? lower::PlanGpuKernel(function, *gpu) : lower::PlanKernel(function);
}

/// Whether a GPU's kernels multiply on tensor cores: others are as in fp32.
bool HasTensorCalls(std::span<const lower::Kernel> kernels) {
  return std::ranges::any_of(kernels, [](const lower::Kernel& kernel) {
    return std::ranges::any_of(loop::Sites(kernel.function.body), [](const loop::Site& site) {
      return loop::As<loop::Call>(site.block->body) != nullptr;
    });
  });
}

}  // namespace

int64_t KernelModules::Add(std::vector<loop::Function> functions, bool for_gpu) {
  std::string text(for_gpu ? "for a GPU\n" : "");
  for (const loop::Function& function : functions) text += Print(function);
  const auto [entry, fresh] = kernel_of_.try_emplace(text, kernels_.size());
  if (!fresh) return entry->second;
  for (size_t i = 0; i < functions.size(); ++i) {
    functions[i].name = StrCat(functions[i].name, "_", kernels_.size());
    const std::string cpu = functions.size() > 1 ? StrCat("_cpu", i) : "";
    dumps_.Write(StrCat("kernel_", functions[i].name, cpu, ".txt"), Print(functions[i]));
  }
  kernels_.push_back({std::move(functions), for_gpu});
  return entry->second;
}

void KernelModules::AddTo(isa::Package* package, const CompileOptions& options,
                          const std::function<void(int64_t kernels)>& on_module) const {
  const isa::GpuRow* gpu = nullptr;
  for (const lower::CpuSpec& spec : options.cpus)
    if (const isa::GpuRow* const row = isa::FindGpuArch(spec.arch)) gpu = row;
  for (const auto& [functions, for_gpu] : kernels_) {
    VTA_CHECK(gpu || !for_gpu, functions.front().name);
    const lower::Kernel plan = Plan(functions.front(), for_gpu ? gpu : nullptr);
    isa::PackageKernel& out = package->kernels.emplace_back();
    out.name = functions.front().name;
    out.tasks = plan.blocks();
    out.threads = plan.threads;
    out.shared_bytes = plan.launch_shared_bytes();
    for (const loop::Buffer& param : functions.front().params)
      out.argument_bytes.push_back(param->SizeElems() * loop::SizeBytes(param->dtype));
  }
  size_t cpu = 0;  // which of a kernel's functions is for it
  for (const lower::CpuSpec& spec : options.cpus) {
    const isa::GpuRow* const on = isa::FindGpuArch(spec.arch);
    std::vector<lower::Kernel> kernels;
    for (size_t k = 0; k < kernels_.size(); ++k) {
      const auto& [functions, for_gpu] = kernels_[k];
      if (for_gpu != (on != nullptr)) continue;
      kernels.push_back(Plan(functions.size() > 1 ? functions.at(cpu) : functions[0], on));
      isa::PackageKernel& out = package->kernels[k];
      VTA_CHECK(kernels.back().blocks() == out.tasks, out.name);
      out.workspace_bytes = std::max(out.workspace_bytes, kernels.back().workspace_bytes);
    }
    if (!on) ++cpu;
    if (kernels.empty()) continue;
    on_module(std::ssize(kernels));
    ModuleCode module = options.build_module(kernels, spec, dumps_.on());
    for (const Dump& dump : module.dumps)
      dumps_.Write(StrCat("module", package->modules.size(), "_", dump.stage), dump.text);
    package->modules.push_back({std::string(on ? on->format : isa::kElfFormat), spec.arch,
                                spec.features, std::move(module.code),
                                HasTensorCalls(kernels) ? spec.precision : isa::Precision::kFp32});
  }
}

std::vector<loop::Function> KernelModules::Functions() && {
  std::vector<loop::Function> functions;
  for (OfKernel& kernel : kernels_) functions.push_back(std::move(kernel.functions.front()));
  return functions;
}

}  // namespace vta::compiler
