#include "tests/unit/compiler/llvm/native.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/lower/cpu.h"
#include "isa/support/error.h"
#include "runtime/cpu_features.h"
#include "tests/support/interpreter/interpret.h"

namespace vta::compiler::llvm {

Machine BaselineMachine() {
#if defined(__x86_64__)
  return {"x86_64-unknown-linux-gnu", "", {}, 128};
#else
  return {"aarch64-unknown-linux-gnu", "", {}, 128};
#endif
}

Machine HostMachine() {
  Machine machine = BaselineMachine();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    machine.features = {"sse4.1", "avx", "avx2", "fma"};
    machine.vector_bits = 256;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    machine.features.insert(machine.features.end(),
                            {"avx512f", "avx512bw", "avx512dq", "avx512vl"});
    machine.vector_bits = 512;
    if (__builtin_cpu_supports("avx512vnni")) machine.features.push_back("avx512vnni");
    if (__builtin_cpu_supports("avx512vbmi")) machine.features.push_back("avx512vbmi");
  }
#endif
  return machine;
}

std::vector<Machine> RunnableMachines() {
  const Machine host = HostMachine();
  std::vector<Machine> machines;
  for (const isa::CpuRow& row : isa::kCpus) {
    const lower::CpuSpec cpu = lower::FindCpu(std::string(row.name));
    const bool here = host.triple.starts_with(cpu.arch + "-");
    Machine machine{host.triple, cpu.tune, cpu.features, 128};
    if (!here || !std::all_of(cpu.features.begin(), cpu.features.end(),
                              [&](const std::string& f) { return host.Has(f); }))
      continue;
    // Of CPUs that differ in timing alone, one.
    if (!machines.empty() && machines.back().features == machine.features) continue;
    machines.push_back(machine);
    for (const auto& [feature, bits] : {std::pair{"avx2", 256}, std::pair{"avx512f", 512}})
      if (machine.Has(feature)) machine.vector_bits = bits, machines.push_back(machine);
  }
  return machines;
}

std::vector<Machine> OtherMachines() {
  return {{"aarch64-unknown-linux-gnu", "cortex-a53", {}, 128},
          {"aarch64-unknown-linux-gnu", "cortex-a76", {"dotprod"}, 128},
          {"armv7-unknown-linux-gnueabihf", "cortex-a9", {}, 128},
          {"armv7-unknown-linux-gnueabihf", "cortex-a9", {"neon"}, 128},
          {"armv7-unknown-linux-gnueabihf", "cortex-a7", {"neon", "vfp4"}, 128},
          {"x86_64-unknown-linux-gnu", "haswell", {"sse4.1", "avx", "avx2", "fma"}, 256}};
}

NativeModule::NativeModule(const std::vector<loop::Function>& functions, const Machine& machine) {
  std::vector<isa::PackageKernel> names;
  for (const loop::Function& f : functions) {
    kernels_.push_back(lower::PlanKernel(f));
    names.push_back({.name = f.name});
  }
  const isa::PackageModule module{std::string(isa::kElfFormat),
                                  std::string(runtime::kBuildArch),
                                  {},
                                  BuildModule(kernels_, machine)};
  module_ = std::make_unique<runtime::ElfModule>(module, names, "module");
}

void NativeModule::Run(size_t index, std::span<const std::span<std::byte>> args) const {
  const lower::Kernel& kernel = kernels_[index];
  std::vector<void*> tensors;
  for (const std::span<std::byte>& arg : args) tensors.push_back(arg.data());
  const int64_t alignment = lower::kWorkspaceAlignment;
  std::vector<std::byte> memory(kernel.workspace_bytes + alignment, std::byte{0xCD});
  void* workspace = memory.data();
  size_t space = memory.size();
  workspace = std::align(alignment, kernel.workspace_bytes, workspace, space);
  const int64_t middle = kernel.tasks / 2;
  module_->Run(static_cast<int64_t>(index), tensors.data(), workspace, middle, kernel.tasks);
  module_->Run(static_cast<int64_t>(index), tensors.data(), workspace, 0, middle);
}

bool IsKernel(const loop::Function& function) {
  try {
    lower::PlanKernel(function);
  } catch (const Error&) {
    return false;
  }
  return true;
}

Arguments RandomArguments(const loop::Function& function, uint32_t seed) {
  std::mt19937 random(seed);
  Arguments out;
  for (const loop::Buffer& param : function.params) {
    const int64_t size = loop::SizeBytes(param->dtype);
    std::vector<std::byte> bytes(param->SizeElems() * size);
    for (int64_t i = 0; i < param->SizeElems(); ++i) {
      const int64_t high = random();
      int64_t value = high << 32 | random();
      constexpr int64_t kEdges[] = {0,         1,    -1,      2,         7,         -8,
                                    127,       -128, 1 << 15, INT32_MIN, INT32_MAX, INT64_MIN,
                                    INT64_MAX, 31,   -31,     -32};
      if (random() % 4 == 0) value = kEdges[random() % std::size(kEdges)];
      if (param->dtype == loop::DType::kBool) value &= 1;
      if (param->dtype == loop::DType::kFloat32) {
        const int exponent = static_cast<int>(random() % 12) - 36;
        float real = std::ldexp(static_cast<float>(static_cast<int32_t>(random())), exponent);
        constexpr float kReals[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1.5f, 2.5f, -2.5f, 126.7f, 300};
        if (random() % 4 == 0) real = kReals[random() % std::size(kReals)];
        std::memcpy(&value, &real, sizeof real);
      }
      std::memcpy(&bytes[i * size], &value, size);
    }
    out.push_back(std::move(bytes));
  }
  return out;
}

namespace {

bool Near(float a, float b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  if (tolerance == 0 || std::isinf(a) || std::isinf(b)) return false;
  return std::abs(double{a} - b) <= tolerance * std::max(1.0, std::abs(double{b}));
}

std::vector<std::span<std::byte>> Spans(Arguments& args) { return {args.begin(), args.end()}; }

}  // namespace

std::string FirstDifference(const loop::Function& function, const Arguments& wanted,
                            const Arguments& gotten, double tolerance) {
  for (size_t p = 0; p < wanted.size(); ++p) {
    const loop::BufferNode& param = *function.params[p];
    const int64_t size = loop::SizeBytes(param.dtype);
    for (int64_t i = 0; i < param.SizeElems(); ++i) {
      const std::byte *want = &wanted[p][i * size], *got = &gotten[p][i * size];
      bool same = std::memcmp(want, got, size) == 0;
      int64_t a = 0, b = 0;
      std::memcpy(&a, want, size);
      std::memcpy(&b, got, size);
      if (param.dtype == loop::DType::kFloat32) {
        float x, y;
        std::memcpy(&x, want, size);
        std::memcpy(&y, got, size);
        if (!Near(y, x, tolerance))
          return StrCat(param.name, "[", i, "] = ", double{y}, ", must be ", double{x});
        continue;
      }
      if (!same) return StrCat(param.name, "[", i, "] = ", b, ", must be ", a);
    }
  }
  return "";
}

std::vector<std::string> Differences(const std::vector<Trial>& trials, const Machine& machine) {
  std::vector<loop::Function> functions;
  for (const Trial& trial : trials) {
    functions.push_back(trial.function);
    functions.back().name = StrCat("k", functions.size());
  }
  const NativeModule module(functions, machine);
  std::vector<std::string> out;
  for (size_t i = 0; i < trials.size(); ++i) {
    Arguments want = trials[i].args, got = trials[i].args;
    loop::Interpreter(trials[i].function).Run(Spans(want));
    module.Run(i, Spans(got));
    out.push_back(FirstDifference(trials[i].function, want, got, trials[i].tolerance));
  }
  return out;
}

std::string Difference(const loop::Function& function, const Machine& machine, Arguments args,
                       double tolerance) {
  return Differences({{function, std::move(args), tolerance}}, machine)[0];
}

}  // namespace vta::compiler::llvm
