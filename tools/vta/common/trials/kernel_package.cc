#include "tools/vta/common/trials/kernel_package.h"

#include <algorithm>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/kernel.h"
#include "compiler/memory_planner.h"
#include "compiler/native_code.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

namespace loop = compiler::loop;

constexpr int64_t kLine = 64;  // where a tensor begins

void RequireInMemory(const loop::Function& function) {
  for (const loop::Buffer& param : function.params) {
    const auto refuse = [&](const std::string& value, const char* rule) {
      throw Error(function.name, StrCat("parameter ", param->name), value, rule);
    };
    if (param->scope != "global") refuse(param->scope, "must be in the scope global");
    if (!param->strides.empty()) refuse("strides", "must lie row by row");
  }
}

}  // namespace

isa::ElementType ElementTypeOf(loop::DType dtype) {
  for (auto type = isa::ElementType::kInt8; type < isa::ElementType::kBool;
       type = static_cast<isa::ElementType>(static_cast<int>(type) + 1))
    if (isa::ElementTypeName(type) == loop::Row(dtype).name) return type;
  return isa::ElementType::kBool;
}

isa::Package PackageOfKernel(loop::Function function,
                             std::span<const compiler::lower::CpuSpec> cpus) {
  loop::Verify(function);
  RequireInMemory(function);
  const std::vector<loop::Site> sites = loop::Sites(function.body);
  const auto is_input = [&](const loop::Buffer& param) {
    return std::ranges::none_of(
        sites, [&](const loop::Site& site) { return loop::Writes(*site.block, param); });
  };
  std::ranges::stable_partition(function.params, is_input);
  const std::vector<compiler::lower::Kernel> kernels = {compiler::lower::PlanKernel(function)};
  isa::Package package;
  package.model = function.name;
  isa::PackageKernel& kernel = package.kernels.emplace_back();
  kernel.name = function.name;
  kernel.tasks = kernels[0].blocks();
  kernel.workspace_bytes = kernels[0].workspace_bytes;
  isa::PackageStep& step = package.steps.emplace_back();
  step.name = function.name;
  step.kind = isa::PackageStep::Kind::kKernel;
  step.facts.op = "kernel";
  for (const loop::Buffer& param : function.params) {
    const isa::PackageTensor& tensor = package.tensors.emplace_back(isa::PackageTensor{
        param->name, ElementTypeOf(param->dtype), param->shape, package.arena_bytes});
    package.arena_bytes = compiler::AlignUp(package.arena_bytes + tensor.bytes(), kLine);
    kernel.argument_bytes.push_back(tensor.bytes());
    const int64_t index = std::ssize(package.tensors) - 1;
    (is_input(param) ? step.inputs : step.outputs).push_back(index);
  }
  if (step.outputs.empty()) throw Error(function.name, "outputs", "0", "must be one at least");
  package.inputs = step.inputs, package.outputs = step.outputs;
  package.constants_offset_bytes = package.arena_bytes;
  for (const compiler::lower::CpuSpec& cpu : cpus)
    package.modules.push_back({std::string(isa::kElfFormat), cpu.arch, cpu.features,
                               compiler::BuildModule(kernels, cpu, false).code});
  isa::ValidatePackage(package, function.name);
  return package;
}

}  // namespace vta::tools
