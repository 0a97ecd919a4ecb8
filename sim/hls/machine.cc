#include "sim/hls/machine.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/codec.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/stop.h"
#include "sim/hls/model/abi.h"

namespace vta::sim {

// One machine. Its state is that of the shared object, as a kernel's is static; so each has a copy.
class HlsMachine::Kernels {
 public:
  Kernels(const std::string& path, const HlsOptions& options, const isa::Memory& memory) {
    const std::vector<uint8_t> object = ReadFile(path);
    if (file_.descriptor < 0)
      throw Error(path, "", "", StrCat("cannot be copied: ", std::strerror(errno)));
    for (size_t at = 0; at < object.size();) {
      const ssize_t written = write(file_.descriptor, object.data() + at, object.size() - at);
      if (written <= 0)
        throw Error(path, "", "", StrCat("cannot be copied: ", std::strerror(errno)));
      at += static_cast<size_t>(written);
    }
    library_.reset(
        dlopen(StrCat("/proc/self/fd/", file_.descriptor).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library_) throw Error(path, "", "", StrCat("cannot be loaded: ", dlerror()));
    const auto find = [&]<typename Function>(Function& function, const char* name) {
      function = reinterpret_cast<Function>(dlsym(library_.get(), name));
      if (!function) throw Error(path, name, "", "is not in these kernels");
    };
    VtaHlsPowerOn power_on;
    find(power_on, "vta_hls_power_on");
    find(start, "vta_hls_start");
    find(run, "vta_hls_run");
    find(result, "vta_hls_result");
    find(cycles, "vta_hls_cycles");
    find(leftovers, "vta_hls_leftovers");
    find(overfull, "vta_hls_overfull");
    const vta_memory seen = {static_cast<uint64_t>(memory.read_latency_cycles),
                             static_cast<uint64_t>(memory.write_latency_cycles),
                             static_cast<uint64_t>(memory.bytes_per_cycle),
                             static_cast<uint64_t>(memory.outstanding)};
    power_on(static_cast<uint32_t>(options.channel_depth), options.schedule, &seen);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  VtaHlsStart start;
  VtaHlsRun run;
  VtaHlsResult result;
  VtaHlsCycles cycles;
  VtaHlsLeftovers leftovers;
  VtaHlsOverfull overfull;

 private:
  struct File {
    int descriptor = memfd_create("hls", MFD_CLOEXEC);
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
      if (descriptor >= 0) close(descriptor);
    }
  };
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  File file_;
  std::unique_ptr<void, Close> library_;
};

namespace {

constexpr uint32_t kCallsBetweenLooks = 4096;
static_assert(std::size(vta_result().counter) == isa::kHardwareCounters);
static_assert(std::size(vta_result().state) == isa::kHardwareUnits);

/// What the monitor says, as a host reads it of hardware.
class ResultPort : public isa::RegisterPort {
 public:
  ResultPort(const vta_result& result, uint64_t instructions)
      : result_(result), instructions_(instructions) {}
  uint32_t ReadWord(uint32_t offset) override {
    const auto at = [&](isa::Register first) {
      return (offset - static_cast<uint32_t>(first)) / sizeof(uint32_t);
    };
    if (offset == static_cast<uint32_t>(isa::Register::kStatus))
      return result_.outcome << isa::kStatusOutcomeLsb;
    if (offset >= static_cast<uint32_t>(isa::Register::kCounter)) {
      const uint64_t value = result_.counter[at(isa::Register::kCounter) / 2];
      return static_cast<uint32_t>(value >> 32 * (at(isa::Register::kCounter) % 2));
    }
    const size_t unit = at(isa::Register::kModule) / isa::kModuleRegisters;
    const uint64_t index = result_.index[unit],
                   address = instructions_ + index * isa::kInstructionBytes;
    switch (at(isa::Register::kModule) % isa::kModuleRegisters) {
      case 0:
        return result_.state[unit];
      case 1:
        return static_cast<uint32_t>(index);
      case 2:
        return static_cast<uint32_t>(address);
      default:
        return static_cast<uint32_t>(address >> 32);
    }
  }
  void WriteWord(uint32_t, uint32_t) override {}

 private:
  const vta_result& result_;
  uint64_t instructions_;
};

}  // namespace

HlsMachine::HlsMachine(const isa::Config& config, const HlsOptions& options, const HlsBuild& build)
    : layout_(config),
      options_(options),
      kernels_(std::make_unique<Kernels>(BuildHls(config, build), options, config.memory)) {}
HlsMachine::~HlsMachine() = default;
HlsMachine::HlsMachine(HlsMachine&&) noexcept = default;
HlsMachine& HlsMachine::operator=(HlsMachine&&) noexcept = default;

isa::LaunchResult HlsMachine::Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram) {
  const isa::Config& config = layout_.config();
  isa::CheckAlignment(config, launch);
  VTA_CHECK(dram.size() % (config.uarch.bus_bits / 8) == 0, "a memory of ", dram.size(), " bytes");
  vta_launch request = {};
  request.instructions = launch.instruction_address;
  request.count = static_cast<uint32_t>(launch.instruction_count);
  for (int i = 0; i < isa::kBaseRegisters; ++i) request.base[i] = launch.base[i];
  request.limit = dram.size();
  kernels_->start(&request, dram.data());
  const auto begin = std::chrono::steady_clock::now();
  bool stop = false;
  while (!kernels_->run(kCallsBetweenLooks, stop))
    stop = IsOver(DeadlineOf(begin, options_.time_limit));
  if (kernels_->overfull())
    throw Error("HLS kernels", "channels", "", "held more than the config says");
  if (kernels_->leftovers()) throw Error("HLS kernels", "channels", "", "are not empty at the end");
  ResultPort port(*kernels_->result(), launch.instruction_address);
  isa::LaunchResult result = isa::ReadResult(port, config);
  result.counters.time.reset();
  result.counters.estimated_cycles = static_cast<int64_t>(kernels_->cycles());
  if (result.outcome == isa::Outcome::kStopped) {
    result.modules = {};
    result.fetch = {.fetched = result.fetch.fetched};
  }
  for (isa::ModuleState& state : result.modules) {
    if (state.kind == isa::ModuleState::Kind::kDone) continue;
    state.word = isa::LoadWord(dram.data() + launch.instruction_address +
                               static_cast<uint64_t>(state.index) * isa::kInstructionBytes);
  }
  return result;
}

}  // namespace vta::sim
