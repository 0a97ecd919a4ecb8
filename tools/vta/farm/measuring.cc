#include "tools/vta/farm/measuring.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>

#include "isa/support/error.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/served_model.h"
#include "tools/vta/common/trials/cycle_measurer.h"
#include "tools/vta/common/trials/device_measurer.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/gpu_trial.h"
#include "tools/vta/common/trials/native_cpu.h"
#include "tools/vta/common/trials/native_measurer.h"

namespace vta::tools {
namespace {

// Of the network's name space that the process is in, which the machine's processes share.
constexpr std::string_view kLockName("\0vta measures", 13);

std::unique_ptr<NativeMeasurer> OnCpu() {
  return std::make_unique<NativeMeasurer>(NativeCpu(), AllowedCores().back());
}

/// Nothing where it names no GPU.
const isa::GpuRow* GpuOf(const EngineOptions& engine) {
  return isa::FindGpu(engine.name.substr(0, engine.name.find(':')));
}

isa::Config ConfigOf(const EngineOptions& engine, const std::string& config) {
  if (!config.empty()) return FindConfig(config);
  ModelOptions model;
  TakeFromServer(engine, &model);
  return model.own_config ? *model.own_config : FindConfig(model.config);
}

}  // namespace

std::string HostName() {
  std::string name(256, '\0');
  gethostname(name.data(), name.size() - 1);
  name.resize(name.find('\0'));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  return name;
}

farm::Machine MachineOf(const EngineOptions& engine, const std::string& config) {
  farm::Machine machine;
  machine.name = HostName();
  if (engine.name == kNativeCpu) {
    const compiler::lower::CpuSpec cpu = NativeCpu();
    machine.model = ThisCpu().name;
    machine.target = "cpu", machine.measurer = NativeMeasurer::kName;
    machine.measured_on = NativeMeasurer::HashOfMachine(), machine.arch = HashOf(cpu);
    machine.cpu = cpu.arch, machine.tune = cpu.tune, machine.features = cpu.features;
    return machine;
  }
  machine.name += StrCat("/", engine.name);
  if (const isa::GpuRow* const kind = GpuOf(engine)) {
    const GpuMeasurer gpu(*kind, engine.name);
    machine.model = gpu.gpu();
    machine.target = kind->name, machine.measurer = GpuMeasurer::kName;
    machine.measured_on = gpu.Hash(), machine.arch = HashOf(GpuSpecs(*kind).back());
    return machine;
  }
  if (engine.IsRemote())
    machine.name = driver::remote::ParseAddress(engine.name, "--measure").Name();
  const isa::Config own = ConfigOf(engine, config);
  const DeviceMeasurer device(engine, own);
  machine.model = StrCat(own.name, " on ", device.model());
  machine.target = "vta", machine.measurer = DeviceMeasurer::kMeasurerName;
  machine.measured_on = device.Hash(), machine.arch = device.arch();
  return machine;
}

bool IsHere(const EngineOptions& engine) { return engine.is_named() && !engine.IsRemote(); }

std::unique_ptr<compiler::tune::Measurer> MeasurerOn(const EngineOptions& engine,
                                                     const ModelOptions& model) {
  if (!engine.is_named()) return std::make_unique<CycleMeasurer>(*model.own_config);
  if (engine.name == kNativeCpu) return OnCpu();
  if (const isa::GpuRow* const kind = GpuOf(engine))
    return std::make_unique<GpuMeasurer>(*kind, engine.name, GpuMeasurer::kLimitS,
                                         *isa::FindPrecision(model.precision));
  return std::make_unique<DeviceMeasurer>(engine, *model.own_config);
}

MachineLock::MachineLock() : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kLockName.data(), kLockName.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + kLockName.size());
  while (bind(socket_, reinterpret_cast<const sockaddr*>(&address), bytes) != 0) {
    if (errno != EADDRINUSE) throw Error("machine", "lock", "", std::strerror(errno));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

MachineLock::~MachineLock() { close(socket_); }

}  // namespace vta::tools
