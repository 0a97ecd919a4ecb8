#include "runtime/modules/select_module.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/support/error.h"

namespace vta::runtime {
namespace {

std::string NameFor(const Cpu& cpu) {
  for (const isa::CpuRow& row : isa::kCpus)
    if (cpu.Runs(row)) return StrCat("--cpu ", row.name);
  return "--cpu native on it";
}

template <typename Names>
std::string Join(const Names& names, std::string_view separator) {
  std::string text;
  for (const auto& name : names) text += StrCat(text.empty() ? "" : separator, name);
  return text;
}

// "x86_64 with avx2, fma"
template <typename Names>
std::string Describe(std::string_view arch, const Names& features) {
  return features.empty() ? std::string(arch) : StrCat(arch, " with ", Join(features, ", "));
}

std::string Describe(const isa::PackageModule& module) {
  const std::string cpu = Describe(module.arch, module.features);
  return module.format == "elf" ? cpu : StrCat(module.format, " for ", cpu);
}

/// The features that the CPU lacks; none at all where it is another kind of machine.
std::optional<std::vector<std::string_view>> Missing(const isa::PackageModule& module,
                                                     const Cpu& cpu) {
  if (module.format != "elf" || module.arch != cpu.arch) return std::nullopt;
  std::vector<std::string_view> missing;
  for (const std::string& feature : module.features)
    if (!cpu.Has(feature)) missing.push_back(feature);
  return missing;
}

[[noreturn]] void Refuse(std::span<const isa::PackageModule> modules, const Cpu& cpu,
                         const std::string& file) {
  if (cpu.arch.empty())
    throw Error(file, "modules", "", "packages hold no code for this machine's CPU");
  std::vector<std::string> have;
  std::optional<std::vector<std::string_view>> nearest;
  for (const isa::PackageModule& module : modules) {
    if (module.Gpu()) continue;
    have.push_back(Describe(module));
    const auto missing = Missing(module, cpu);
    if (missing && (!nearest || missing->size() < nearest->size())) nearest = missing;
  }
  const std::string lacks =
      nearest ? StrCat(", lacks ", Join(*nearest, ", "), " for the nearest of them")
              : StrCat(", runs ", cpu.arch, " alone, in ELF");
  throw Error(file, "modules", have.empty() ? "none" : Join(have, "; "),
              StrCat("this machine, ", Describe(cpu.arch, cpu.features), lacks,
                     ": compile the network with ", NameFor(cpu)));
}

}  // namespace

int64_t SelectModule(std::span<const isa::PackageModule> modules, const Cpu& cpu,
                     const std::string& file) {
  const auto fits = [&](const isa::PackageModule& module) {
    const auto missing = Missing(module, cpu);
    return missing && missing->empty();
  };
  const auto found = std::ranges::find_if(modules, fits);
  if (cpu.arch.empty() || found == modules.end()) Refuse(modules, cpu, file);
  return found - modules.begin();
}

}  // namespace vta::runtime
