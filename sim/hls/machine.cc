#include "sim/hls/machine.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/hls/model/abi.h"

namespace vta::sim {

using isa::ModuleState;
using isa::Wait;

// One machine. Its state is that of the shared object, as a kernel's is static; so each has a copy.
class HlsMachine::Kernels {
 public:
  Kernels(const std::string& path, const HlsOptions& options, const isa::Memory& memory) {
    const std::vector<uint8_t> object = ReadFile(path);
    file_ = memfd_create("hls", MFD_CLOEXEC);
    if (file_ < 0) throw Error(path, "", "", StrCat("cannot be copied: ", std::strerror(errno)));
    for (size_t at = 0; at < object.size();) {
      const ssize_t written = write(file_, object.data() + at, object.size() - at);
      if (written <= 0)
        throw Error(path, "", "", StrCat("cannot be copied: ", std::strerror(errno)));
      at += static_cast<size_t>(written);
    }
    library_ = dlopen(StrCat("/proc/self/fd/", file_).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw Error(path, "", "", StrCat("cannot be loaded: ", dlerror()));
    const auto find = [&]<typename Function>(Function& function, const char* name) {
      function = reinterpret_cast<Function>(dlsym(library_, name));
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
  ~Kernels() {
    if (library_) dlclose(library_);
    if (file_ >= 0) close(file_);
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
  int file_ = -1;
  void* library_ = nullptr;
};

namespace {

constexpr uint32_t kCallsBetweenLooks = 4096;

ModuleState ModuleOf(isa::Module module, const vta_state& state, uint64_t instructions) {
  ModuleState out;
  if (state.stage == VTA_STAGE_IDLE) return out;
  out.index = state.command.index;
  out.address = instructions + static_cast<uint64_t>(out.index) * isa::kInstructionBytes;
  out.word = {state.command.word.low, state.command.word.high};
  out.kind = ModuleState::Kind::kWaiting;
  switch (state.stage) {
    case VTA_STAGE_POP_PREV:
    case VTA_STAGE_POP_NEXT:
      out.wait = Wait::kToken;
      out.queue = isa::PopQueue(module, state.stage == VTA_STAGE_POP_NEXT);
      break;
    case VTA_STAGE_PUSH_PREV:
    case VTA_STAGE_PUSH_NEXT:
      out.wait = Wait::kSpace;
      out.queue = isa::PushQueue(module, state.stage == VTA_STAGE_PUSH_NEXT);
      break;
    case VTA_STAGE_HALTED:
      out.kind = ModuleState::Kind::kHalted;
      out.fault = static_cast<isa::Fault>(state.fault);
      break;
    default:
      out.wait = Wait::kBarrier;
      break;
  }
  return out;
}

isa::Counters CountersOf(const isa::Config& config, const vta_result& result) {
  isa::Counters counters;
  for (const vta_state& m : result.modules) {
    for (size_t i = 0; i < counters.instructions.size(); ++i)
      counters.instructions[i] += m.instructions[i];
    counters.gemm_uops += static_cast<int64_t>(m.gemm_uops);
    counters.alu_uops += static_cast<int64_t>(m.alu_uops);
    counters.macs += static_cast<int64_t>(m.gemm_products) * config.macs_per_cycle();
    for (const isa::MemorySpec& memory : isa::kMemories) {
      const auto type = static_cast<size_t>(memory.code);
      counters.bytes[type] +=
          static_cast<int64_t>(m.elements[type]) * memory.dram_element_bytes(config);
    }
  }
  for (int m = 0; m < isa::kModules; ++m) {
    const isa::ModuleSpec& module = isa::kModuleTable[m];
    const auto pushed = [&](bool next) -> int64_t& {
      return counters.tokens[static_cast<size_t>(isa::PushQueue(module.code, next))];
    };
    if (module.has_prev) pushed(false) += result.modules[m].pushed_prev;
    if (module.has_next) pushed(true) += result.modules[m].pushed_next;
  }
  return counters;
}

isa::Outcome OutcomeOf(const vta_result& result) {
  switch (result.outcome) {
    case VTA_OUTCOME_FINISHED:
      return isa::Outcome::kFinished;
    case VTA_OUTCOME_FAULT:
      return isa::Outcome::kFault;
    case VTA_OUTCOME_DEADLOCK:
      return isa::Outcome::kDeadlock;
    case VTA_OUTCOME_NO_FINISH:
      return isa::Outcome::kNoFinish;
    default:
      return isa::Outcome::kStopped;
  }
}

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
    stop = options_.time_limit != std::chrono::nanoseconds::max() &&
           std::chrono::steady_clock::now() - begin >= options_.time_limit;
  if (kernels_->overfull())
    throw Error("HLS kernels", "channels", "", "held more than the config says");
  if (kernels_->leftovers()) throw Error("HLS kernels", "channels", "", "are not empty at the end");
  const vta_result& ended = *kernels_->result();
  isa::LaunchResult result;
  result.outcome = OutcomeOf(ended);
  result.counters = CountersOf(config, ended);
  result.counters.estimated_cycles = static_cast<int64_t>(kernels_->cycles());
  result.fetch.fetched = ended.fetch.fetched;
  if (result.outcome == isa::Outcome::kStopped) return result;
  for (int m = 0; m < isa::kModules; ++m)
    result.modules[m] =
        ModuleOf(static_cast<isa::Module>(m), ended.modules[m], launch.instruction_address);
  isa::FetchState& fetch = result.fetch;
  fetch.fault = static_cast<isa::Fault>(ended.fetch.fault);
  if (ended.fetch.full) fetch.full = static_cast<isa::Module>(ended.fetch.full - 1);
  if (fetch.full || fetch.fault != isa::Fault::kNone)
    fetch.address =
        launch.instruction_address + static_cast<uint64_t>(fetch.fetched) * isa::kInstructionBytes;
  return result;
}

}  // namespace vta::sim
