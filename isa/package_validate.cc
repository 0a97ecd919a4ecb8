// What holds the parts of a package together.
#include <algorithm>
#include <set>

#include "isa/package.h"
#include "isa/package_memory.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

/// Of all steps, MACs or cycles: sums and products of it are to stay numbers.
constexpr int64_t kMostFact = int64_t{1} << 48;
/// What a caller has to hold at once.
constexpr int64_t kMostInterfaceBytes = int64_t{1} << 30;
constexpr size_t kMostSymbol = 200;

void CheckIndices(const std::string& file, const std::string& place,
                  const std::vector<int64_t>& indices, size_t count) {
  for (int64_t index : indices)
    if (index < 0 || index >= static_cast<int64_t>(count))
      throw Error(file, place, std::to_string(index),
                  StrCat("the package has ", Counted(count, "tensor")));
}

/// A name that a linker knows a function by.
bool IsSymbol(const std::string& name) {
  return !name.empty() && name.size() <= kMostSymbol && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void CheckForGpu(const GpuRow& gpu, const PackageModule& module, const std::string& file,
                 const std::string& place) {
  if (module.arch != gpu.arch)
    throw Error(file, place + ".arch", module.arch, StrCat("must be ", gpu.arch));
  if (module.features.size() != 1 ||
      std::ranges::count(gpu.features, std::string_view(module.features[0])) == 0)
    throw Error(file, place + ".features", module.features.empty() ? "none" : module.features[0],
                StrCat("must be ", gpu.kind));
  if (module.precision != Precision::kFp32 && gpu.format != kPtxFormat)
    throw Error(file, place + ".precision", std::string(NameOf(module.precision)),
                "must be fp32: tensor cores are NVIDIA's");
}

std::string FormatNames() {
  std::string names(kElfFormat);
  for (size_t i = 0; i < std::size(kGpus); ++i)
    names += StrCat(i + 1 < std::size(kGpus) ? ", " : " or ", kGpus[i].format);
  return names;
}

/// Who runs a kernel finds it in a module of theirs. Of a package without any something else may
/// run those for a CPU.
void CheckModules(const Package& package, const std::string& file) {
  const GpuRow* const gpu = package.Gpu();
  const bool has_cpus =
      package.modules.empty() ||
      std::ranges::any_of(package.modules, [](const PackageModule& m) { return !m.Gpu(); });
  if (package.gpu_offset_bytes && !gpu)
    throw Error(file, "gpu_offset", std::to_string(*package.gpu_offset_bytes),
                "must be absent: no module is for a GPU");
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    const PackageKernel& kernel = package.kernels[i];
    if (!(kernel.IsForGpu() ? gpu != nullptr : has_cpus))
      throw Error(file, StrCat("kernels[", i, "]"), kernel.name,
                  StrCat("has ", Counted(kernel.threads, "thread"),
                         kernel.IsForGpu() ? ", and no module is for a GPU"
                                           : ", as none of a GPU's, and no module is for a CPU"));
  }
}

void CheckKernels(const Package& package, const std::string& file) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    const std::string& name = package.kernels[i].name;
    if (!IsSymbol(name))
      throw Error(file, StrCat("kernels[", i, "].name"), name,
                  StrCat("must be 1 to ", kMostSymbol, " letters, digits and '_'"));
    if (!names.insert(name).second)
      throw Error(file, StrCat("kernels[", i, "].name"), name, "another kernel has the same");
  }
  for (size_t i = 0; i < package.modules.size(); ++i) {
    const PackageModule& module = package.modules[i];
    const std::string place = StrCat("modules[", i, "]");
    const GpuRow* const gpu = module.Gpu();
    if (gpu)
      CheckForGpu(*gpu, module, file, place);
    else if (module.format != kElfFormat)
      throw Error(file, place + ".format", module.format, StrCat("must be ", FormatNames()));
    if (gpu && gpu != package.Gpu())
      throw Error(file, place + ".format", module.format,
                  StrCat("must be ", package.Gpu()->format, ", as that of the first for a GPU"));
    if (gpu) continue;
    if (module.precision != Precision::kFp32)
      throw Error(file, place + ".precision", std::string(NameOf(module.precision)),
                  "is of a GPU's products, and the module is for a CPU");
    if (!FindCpuArch(module.arch)) throw Error(file, place + ".arch", module.arch, "is not known");
    std::set<std::string_view> features;
    for (const std::string& feature : module.features) {
      if (!FindCpuFeature(module.arch, feature))
        throw Error(file, place + ".features", feature, StrCat(module.arch, " has no such"));
      if (!features.insert(feature).second)
        throw Error(file, place + ".features", feature, "stands twice");
    }
  }
}

/// Tensors lie in the memory of who runs the step; a copy takes one from one memory to the other.
void CheckMemories(const Package& package, const PackageStep& step, const std::string& place) {
  const auto require = [&](int64_t tensor, bool on_gpu) {
    if (package.IsOnGpu(package.tensors[tensor]) != on_gpu)
      throw Error(place, StrCat("tensor ", package.tensors[tensor].name),
                  StrCat("byte ", package.tensors[tensor].offset_bytes),
                  StrCat("must lie ", on_gpu ? "in" : "outside", " the GPU's memory, which begins ",
                         "at byte ", package.host_bytes(), " of the arena"));
  };
  if (step.kind != PackageStep::Kind::kCopy) {
    for (const auto* list : {&step.inputs, &step.outputs})
      for (const int64_t tensor : *list) require(tensor, package.IsOnGpu(step));
    return;
  }
  if (step.inputs.size() != 1 || step.outputs.size() != 1)
    throw Error(place, "tensors", std::to_string(step.inputs.size() + step.outputs.size()),
                "a copy has an input and an output");
  const PackageTensor &from = package.tensors[step.inputs[0]],
                      &to = package.tensors[step.outputs[0]];
  if (from.bytes() != to.bytes())
    throw Error(place, StrCat("output ", to.name), Counted(to.bytes(), "byte"),
                StrCat("must be as many as its input's, ", from.bytes()));
  require(step.outputs[0], !package.IsOnGpu(from));
}

/// A kernel reads and writes as many bytes as it was made for, whatever the tensor has.
void CheckArguments(const Package& package, const PackageStep& step, const std::string& place) {
  const PackageKernel& kernel = package.kernels[step.kernel];
  const size_t count = step.inputs.size() + step.outputs.size();
  if (kernel.argument_bytes.size() != count)
    throw Error(place, "tensors", std::to_string(count),
                StrCat("kernel ", kernel.name, " takes ", kernel.argument_bytes.size()));
  for (size_t a = 0; a < count; ++a) {
    const bool input = a < step.inputs.size();
    const PackageTensor& tensor =
        package.tensors[input ? step.inputs[a] : step.outputs[a - step.inputs.size()]];
    if (tensor.bytes() != kernel.argument_bytes[a])
      throw Error(place, StrCat(input ? "input " : "output ", tensor.name),
                  Counted(tensor.bytes(), "byte"),
                  StrCat("kernel ", kernel.name, " takes ", kernel.argument_bytes[a]));
  }
}

/// A launch takes programs of steps that follow each other, and its parts are parts of its program.
void CheckLaunches(const Package& package, const std::string& file) {
  int64_t next = 0;  // step
  for (size_t i = 0; i < package.launches.size(); ++i) {
    const PackageLaunch& launch = package.launches[i];
    const std::string place = StrCat("launches[", i, "]");
    if (launch.program >= std::ssize(package.programs))
      throw Error(file, StrCat(place, ".program"), std::to_string(launch.program),
                  StrCat("the package has ", Counted(package.programs.size(), "program")));
    const int64_t steps = std::ssize(launch.starts), count = package.programs[launch.program].count;
    if (steps < 2)
      throw Error(file, StrCat(place, ".starts"), Counted(steps, "step"), "must be two at least");
    if (launch.first < next || launch.first > std::ssize(package.steps) - steps)
      throw Error(file, place, StrCat("steps ", launch.first, " to ", launch.first + steps - 1),
                  StrCat("must be in [", next, ", ", package.steps.size(),
                         "), behind those of the launch before"));
    next = launch.first + steps;
    for (int64_t step = launch.first; step < next; ++step)
      if (package.steps[step].kind != PackageStep::Kind::kProgram)
        throw Error(file, place, StrCat("step ", step, " ", package.steps[step].name),
                    "must be a program");
    for (int64_t part = 0; part < steps; ++part)
      if (part == 0 ? launch.starts[0] != 0
                    : launch.starts[part] < launch.starts[part - 1] || launch.starts[part] >= count)
        throw Error(file, StrCat(place, ".starts[", part, "]"), std::to_string(launch.starts[part]),
                    part == 0 ? "must be 0"
                              : StrCat("must be in [", launch.starts[part - 1], ", ", count,
                                       "), where its program's instructions are"));
  }
}

}  // namespace

void ValidatePackage(const Package& package, const std::string& file) {
  if (package.config) ValidateConfig(*package.config, StrCat(file, ": config"));
  if (!package.config && !(package.code.empty() && package.programs.empty()))
    throw Error(file, "config", "", "must be there: there are programs for an accelerator");
  CheckKernels(package, file);
  CheckModules(package, file);
  if (package.host_bytes() > package.arena_bytes)
    throw Error(file, "gpu_offset", std::to_string(package.host_bytes()),
                StrCat("must be inside the arena of ", package.arena_bytes));
  if (package.code.size() % kInstructionBytes != 0)
    throw Error(file, "code", Counted(package.code.size(), "byte"), "must be whole instructions");
  const int64_t constants = static_cast<int64_t>(package.constants.size());
  if (constants > package.arena_bytes - package.constants_offset_bytes)
    throw Error(file, "constants",
                StrCat(package.constants_offset_bytes, " + ", Counted(constants, "byte")),
                StrCat("must fit the arena of ", package.arena_bytes));
  for (size_t i = 0; i < package.tensors.size(); ++i) {
    const PackageTensor& tensor = package.tensors[i];
    if (tensor.bytes() > package.arena_bytes - tensor.offset_bytes)
      throw Error(
          file, StrCat("tensors[", i, "] ", tensor.name),
          StrCat("bytes ", tensor.offset_bytes, " to ", tensor.offset_bytes + tensor.bytes()),
          StrCat("must end inside the arena of ", package.arena_bytes));
    const int64_t host = package.host_bytes();
    if (!package.IsOnGpu(tensor) && tensor.offset_bytes + tensor.bytes() > host)
      throw Error(
          file, StrCat("tensors[", i, "] ", tensor.name),
          StrCat("bytes ", tensor.offset_bytes, " to ", tensor.offset_bytes + tensor.bytes()),
          StrCat("must end before the GPU's memory, which begins at byte ", host, " of the arena"));
    if (package.IsOnGpu(tensor) && (tensor.offset_bytes - host) % kGpuAccessBytes != 0)
      throw Error(file, StrCat("tensors[", i, "] ", tensor.name),
                  StrCat("byte ", tensor.offset_bytes),
                  StrCat("must begin at a multiple of ", kGpuAccessBytes, " behind byte ", host,
                         ", as kernels of a GPU take it to"));
  }
  const int64_t words = static_cast<int64_t>(package.code.size()) / kInstructionBytes;
  for (size_t i = 0; i < package.programs.size(); ++i)
    if (package.programs[i].first + package.programs[i].count > words)
      throw Error(file, StrCat("programs[", i, "]"),
                  StrCat(package.programs[i].first, " + ", package.programs[i].count),
                  StrCat("must end inside the code of ", Counted(words, "instruction")));
  int64_t macs = 0, ideal = 0, machine = 0;
  WorkCounts work = {};
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const PackageStep& step = package.steps[i];
    const std::string place = StrCat("steps[", i, "]");
    const auto add = [&](const std::string& fact, int64_t value, int64_t* sum) {
      if (value > kMostFact - *sum)
        throw Error(file, StrCat(place, ".", fact), std::to_string(value),
                    StrCat("those of all steps must be at most ", kMostFact, " together"));
      *sum += value;
    };
    add("macs", step.facts.macs, &macs);
    if (const auto& bounds = step.facts.bounds) {
      add("bound_ideal", bounds->ideal, &ideal);
      add("bound_machine", bounds->machine, &machine);
    }
    if (step.facts.work)
      for (const WorkSpec& kind : kWorkTable) {
        const auto at = static_cast<size_t>(kind.code);
        add(StrCat("work.", kind.name), (*step.facts.work)[at], &work[at]);
      }
    if (step.kind == PackageStep::Kind::kProgram &&
        step.program >= static_cast<int64_t>(package.programs.size()))
      throw Error(file, StrCat(place, ".program"), std::to_string(step.program),
                  StrCat("the package has ", Counted(package.programs.size(), "program")));
    if (step.kind == PackageStep::Kind::kKernel &&
        step.kernel >= static_cast<int64_t>(package.kernels.size()))
      throw Error(file, StrCat(place, ".kernel"), std::to_string(step.kernel),
                  StrCat("the package has ", Counted(package.kernels.size(), "kernel")));
    CheckIndices(file, StrCat(place, ".inputs"), step.inputs, package.tensors.size());
    CheckIndices(file, StrCat(place, ".outputs"), step.outputs, package.tensors.size());
    CheckMemories(package, step, StrCat(file, ": ", place));
    if (step.kind == PackageStep::Kind::kKernel)
      CheckArguments(package, step, StrCat(file, ": ", place));
  }
  CheckLaunches(package, file);
  CheckIndices(file, "inputs", package.inputs, package.tensors.size());
  CheckIndices(file, "outputs", package.outputs, package.tensors.size());
  if (!package.output_facts.empty() && package.output_facts.size() != package.outputs.size())
    throw Error(file, "output_facts", std::to_string(package.output_facts.size()),
                StrCat("the package has ", Counted(package.outputs.size(), "output")));
  int64_t interface_bytes = 0;
  for (const std::vector<int64_t>* list : {&package.inputs, &package.outputs})
    for (int64_t tensor : *list) {
      interface_bytes += package.tensors[tensor].bytes();
      if (interface_bytes > kMostInterfaceBytes)
        throw Error(file, "inputs and outputs", StrCat("more than ", kMostInterfaceBytes, " bytes"),
                    StrCat("must be at most ", kMostInterfaceBytes, " bytes together"));
    }
  CheckPackageMemory(package, file);
}

}  // namespace vta::isa
