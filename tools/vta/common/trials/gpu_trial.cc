#include "tools/vta/common/trials/gpu_trial.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "compiler/lower/kernel.h"
#include "compiler/memory_planner.h"
#include "compiler/native_code.h"
#include "isa/support/error.h"
#include "runtime/modules/gpu_kernels.h"
#include "tools/shared/samples.h"
#include "tools/vta/common/trials/kernel_package.h"

namespace vta::tools {
namespace {

using std::chrono::nanoseconds;

constexpr int64_t kAlignment = 64;
constexpr nanoseconds kLeastRun{2'000'000};  // of a time that counts
constexpr nanoseconds kLongRun{100'000'000};
constexpr size_t kGpuTimes = 7;

}  // namespace

std::vector<compiler::lower::CpuSpec> GpuSpecs(const isa::GpuRow& gpu, isa::Precision precision) {
  static constexpr std::string_view kPtx[] = {"sm_80", "sm_70"};
  std::vector<compiler::lower::CpuSpec> specs;
  for (const std::string_view feature : gpu.format != isa::kPtxFormat ? gpu.features
                                        : precision == isa::Precision::kFp32
                                            ? std::span(kPtx)
                                            : std::span(kPtx).first(1))
    specs.push_back({std::string(gpu.arch), {std::string(feature)}, "", precision});
  return specs;
}

isa::Package PackageOf(const compiler::KernelCode& code, const isa::GpuRow& gpu,
                       std::span<const compiler::lower::CpuSpec> specs) {
  const std::vector<compiler::lower::Kernel> kernels = {
      compiler::lower::PlanGpuKernel(code.functions.at(0), gpu)};
  const compiler::lower::Kernel& kernel = kernels[0];
  isa::Package package;
  package.model = "trial";
  isa::PackageKernel& out = package.kernels.emplace_back();
  out.name = kernel.function.name;
  out.tasks = kernel.blocks();
  out.threads = kernel.threads;
  out.shared_bytes = kernel.launch_shared_bytes();
  out.workspace_bytes = kernel.workspace_bytes;
  isa::PackageStep& step = package.steps.emplace_back();
  step.name = out.name;
  step.kind = isa::PackageStep::Kind::kKernel;
  // What is written lies before what is not.
  const std::vector<compiler::loop::Buffer>& params = kernel.function.params;
  const auto constant = [&](size_t i) {
    return i < code.inputs.size() ? std::get_if<compiler::KernelConstant>(&code.inputs[i])
                                  : nullptr;
  };
  // Words of a product of 16-bit numbers are two of those; of one of codes they are codes.
  const bool in_halves = specs[0].precision == isa::Precision::kFp16 &&
                         std::ranges::none_of(code.inputs, [](const compiler::KernelInput& input) {
                           const auto* const own = std::get_if<compiler::KernelConstant>(&input);
                           return own && own->tensor.dtype() == compiler::DType::kInt8;
                         });
  package.tensors.resize(params.size());
  for (const bool is_constant : {false, true}) {
    if (is_constant) package.constants_offset_bytes = package.arena_bytes;
    for (size_t i = 0; i < params.size(); ++i) {
      if ((constant(i) != nullptr) != is_constant) continue;
      package.tensors[i] = {params[i]->name, ElementTypeOf(params[i]->dtype), params[i]->shape,
                            package.arena_bytes};
      if (in_halves && !is_constant && package.tensors[i].type == isa::ElementType::kInt32) {
        package.tensors[i].type = isa::ElementType::kInt16;
        package.tensors[i].shape.push_back(2);
      }
      package.arena_bytes =
          compiler::AlignUp(package.arena_bytes + package.tensors[i].bytes(), kAlignment);
    }
  }
  package.constants.resize(package.arena_bytes - package.constants_offset_bytes);
  for (size_t i = 0; i < params.size(); ++i) {
    const isa::PackageTensor& tensor = package.tensors[i];
    out.argument_bytes.push_back(tensor.bytes());
    const bool is_input = i < code.inputs.size();
    (is_input ? step.inputs : step.outputs).push_back(static_cast<int64_t>(i));
    if (const compiler::KernelConstant* const own = constant(i))
      std::ranges::copy(own->tensor.bytes(), package.constants.data() + tensor.offset_bytes -
                                                 package.constants_offset_bytes);
    else
      (is_input ? package.inputs : package.outputs).push_back(static_cast<int64_t>(i));
  }
  for (const compiler::lower::CpuSpec& spec : specs)
    package.modules.push_back({std::string(gpu.format), spec.arch, spec.features,
                               compiler::BuildModule(kernels, spec, false).code, spec.precision});
  return package;
}

GpuTime TimeOnGpu(driver::Gpu& gpu, const isa::Package& package, const std::string& file) {
  if (!package.Gpu()) throw Error(file, "modules", "", "are not for a GPU");
  const auto other = std::ranges::find_if(
      package.steps, [&](const isa::PackageStep& step) { return !package.IsOnGpu(step); });
  if (other != package.steps.end())
    throw Error(file, "step", other->name, "is not for a GPU, and all that is measured is");
  runtime::GpuKernels kernels(gpu, package, file);
  for (size_t i = 0; i < package.inputs.size(); ++i) {
    const isa::PackageTensor& tensor = package.tensors[package.inputs[i]];
    std::vector<uint8_t> sample = RandomSample(tensor, 1 + i);
    // As bits of 16-bit numbers: smaller than two.
    constexpr uint8_t kNotLarge = 0xBF;
    if (tensor.type == isa::ElementType::kInt16)
      for (size_t at = 1; at < sample.size(); at += 2) sample[at] &= kNotLarge;
    kernels.CopyIn(tensor, sample);
  }
  const auto wait = [&] { gpu.Wait(driver::kForever); };
  if (!package.steps.empty()) kernels.StartFrom(0);
  wait();
  GpuTime result;
  for (const int64_t output : package.outputs) {
    const isa::PackageTensor& tensor = package.tensors[output];
    std::vector<uint8_t> bytes(tensor.bytes());
    kernels.CopyOut(tensor, bytes);
    result.outputs.insert(result.outputs.end(), bytes.begin(), bytes.end());
  }
  // More of them in one graph until that takes long enough to be told.
  for (int64_t count = 1;; count *= 2) {
    const auto graph = gpu.Record([&] {
      for (int64_t run = 0; run < count; ++run)
        for (int64_t i = 0; i < std::ssize(package.steps); ++i) kernels.Start(i);
    });
    const auto time = [&] {
      const auto start = std::chrono::steady_clock::now();
      graph->Start();
      wait();
      return nanoseconds(std::chrono::steady_clock::now() - start);
    };
    const nanoseconds first = time();
    if (first < kLeastRun && count < (1 << 14)) continue;
    // One that takes long is as long each time.
    std::vector<int64_t> times(first > kLongRun ? 1 : kGpuTimes);
    for (int64_t& one : times) one = time().count() / count;
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::ranges::nth_element(times, middle);
    result.ns = std::max<int64_t>(*middle, 1);
    return result;
  }
}

}  // namespace vta::tools
