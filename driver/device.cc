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

DeviceId IdFromRegisters(const std::string& name, Device& device) {
  const auto read = [&](isa::Register first) {
    const std::optional<uint32_t> value = device.ReadRegister(first);
    if (!value) throw Error(StrCat("device ", name), "", "", "has no registers");
    return *value;
  };
  const auto pair = [&](isa::Register low, isa::Register high) {
    return read(low) | uint64_t{read(high)} << 32;
  };
  if (const uint32_t id = read(isa::Register::kId); id != isa::kHardwareId)
    throw Error(StrCat("device ", name), "register id", Hex(id, 8),
                StrCat("is not a VTA's, ", Hex(isa::kHardwareId, 8)));
  return {name, pair(isa::Register::kArchHashLow, isa::Register::kArchHashHigh),
          pair(isa::Register::kTimingHashLow, isa::Register::kTimingHashHigh), std::nullopt};
}

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
