#include "driver/device.h"

#include "isa/support/error.h"

namespace vta::driver {
namespace {

// "block_in 16 there, 32 here; ..." over every parameter that programs depend on.
std::string Differences(const isa::Config& program, const isa::Config& device) {
  std::string text;
  const auto differ = [&](std::string_view name, const auto& there, const auto& here) {
    if (there != here)
      text += StrCat(text.empty() ? "" : "; ", name, " ", there, " in the program, ", here,
                     " in the device");
  };
  differ("isa", isa::VersionName(program.version), isa::VersionName(device.version));
  for (const auto& row : isa::kArchParameters)
    differ(row.key, program.arch.*row.member, device.arch.*row.member);
  return text;
}

}  // namespace

void RequireSameArch(const isa::Config& program, const DeviceId& device, const std::string& where) {
  const uint64_t hash = isa::ArchHash(program);
  if (hash == device.arch_hash) return;
  std::string rule = StrCat("the device \"", device.name, "\" is ", Hex(device.arch_hash, 16));
  if (device.config)
    rule +=
        StrCat(" (config \"", device.config->name, "\"): ", Differences(program, *device.config));
  throw Error(where, "arch hash", StrCat(Hex(hash, 16), " (config \"", program.name, "\")"), rule);
}

}  // namespace vta::driver
