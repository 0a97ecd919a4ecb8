#include "sim/rtl/machine.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "isa/support/stop.h"

namespace vta::sim {

using isa::HardwareCounter;
using isa::Register;

namespace {

// The part of the stream that lies in memory.
std::vector<isa::Word> ProgramOf(const isa::LaunchRequest& launch, std::span<const uint8_t> dram) {
  if (launch.instruction_address > dram.size()) return {};
  const auto bytes = dram.subspan(launch.instruction_address);
  const int64_t count = std::min<int64_t>(
      launch.instruction_count, static_cast<int64_t>(bytes.size()) / isa::kInstructionBytes);
  return isa::WordsOf(bytes.first(static_cast<size_t>(count * isa::kInstructionBytes)));
}

// From the cycle in which CONTROL.start is accepted to that in which its write has been answered.
constexpr int64_t kStartCycles = 1;

uint16_t AddressOf(Register first, int64_t word) {
  return static_cast<uint16_t>(static_cast<int64_t>(first) + 4 * word);
}

// Errors: throws Error when the port refuses an access.
void CheckAnswer(const char* what, uint16_t address, AxiResponse response) {
  if (response == AxiResponse::kOkay) return;
  throw Error("RTL", StrCat(what, " of register ", Hex(address, 3)),
              std::string(kAxiResponses[static_cast<int>(response)]), "must be OKAY");
}

class MachinePort : public isa::RegisterPort {
 public:
  explicit MachinePort(RtlMachine& machine) : machine_(machine) {}
  uint32_t ReadWord(uint32_t offset) override {
    return machine_.ReadRegister(static_cast<Register>(offset));
  }
  void WriteWord(uint32_t offset, uint32_t value) override {
    machine_.WriteRegister(static_cast<Register>(offset), value);
  }

 private:
  RtlMachine& machine_;
};

}  // namespace

RtlMachine::RtlMachine(const isa::Config& config, const RtlOptions& options,
                       const ModelOptions& model_options)
    : layout_(config), options_(options) {
  ModelOptions build = model_options;
  build.waves |= !options.wave_path.empty();
  model_path_ = BuildModel(config, build);
  PowerOn();
}

void RtlMachine::PowerOn() {
  observer_.reset();
  tracer_.reset();
  host_.reset();
  bus_.reset();
  model_.reset();
  model_ = std::make_unique<Model>(model_path_);
  isa::Config config = layout_.config();
  if (options_.memory) config.memory = *options_.memory;
  bus_ = std::make_unique<Bus>(model_->ports(), config);
  host_ = std::make_unique<HostPort>(model_->ports(), [this] { Step(); });
  tracer_ = std::make_unique<Tracer>(model_->ports(), layout_);
  observer_ = std::make_unique<Observer>(model_->ports());
  tracing_ = observing_ = false;
  bus_->set_on_write([this](uint64_t address, int64_t bytes) {
    if (tracing_) tracer_->Wrote(address, bytes);
  });
  *model_->ports().rst_ni = 0;
  Step();
  Step();
  *model_->ports().rst_ni = 1;
  Step();  // AXI: no VALID at the first edge after a reset
}

void RtlMachine::Step() {
  const int64_t cycle = model_->cycle();
  if (!options_.wave_path.empty()) {
    if (cycle == options_.wave_begin) model_->OpenWaves(options_.wave_path);
    if (cycle == options_.wave_end) model_->CloseWaves();
  }
  bus_->Drive(cycle);
  const bool looks = tracing_ || observing_ || options_.on_cycle || !options_.wave_path.empty();
  *model_->ports().trace_i = looks;
  if (looks) model_->Settle();
  if (tracing_) tracer_->Observe();
  if (options_.on_cycle) options_.on_cycle(model_->ports());
  if (observing_) observer_->Observe(cycle, bus_->read_bytes(), bus_->written_bytes());
  bus_->Take(cycle);
  model_->Edge();
}

uint32_t RtlMachine::ReadRegister(Register first, int64_t word) {
  const uint16_t address = AddressOf(first, word);
  const HostPort::Answer answer = host_->Read(address);
  CheckAnswer("read", address, answer.response);
  return answer.data;
}

void RtlMachine::WriteRegister(Register first, uint32_t value, int64_t word) {
  const uint16_t address = AddressOf(first, word);
  CheckAnswer("write", address, host_->Write(address, value));
}

int64_t RtlMachine::ReadCounter(HardwareCounter first, int64_t offset) {
  const int64_t index = static_cast<int64_t>(first) + offset;
  const uint64_t low = ReadRegister(Register::kCounter, 2 * index);
  const uint64_t high = ReadRegister(Register::kCounter, 2 * index + 1);
  return static_cast<int64_t>(high << 32 | low);
}

void RtlMachine::CheckLaunch(const isa::LaunchRequest& launch) const {
  isa::CheckAlignment(layout_.config(), launch);
}

void RtlMachine::WriteLaunch(const isa::LaunchRequest& launch) {
  bus_->BeginLaunch();
  isa::LaunchRequest on_bus = launch;
  isa::Move(on_bus, options_.memory_base);
  MachinePort port(*this);
  isa::WriteLaunch(port, on_bus);
}

// Looks at the clock, and lets others look, once every 4096 cycles.
bool RtlMachine::Stops(int64_t cycles, std::chrono::steady_clock::time_point begin) const {
  if (cycles % 4096 == 0 && options_.cycles_seen) *options_.cycles_seen = cycle();
  return cycles >= options_.cycle_limit || (tracing_ && options_.trace->done()) ||
         (cycles % 4096 == 0 && IsOver(DeadlineOf(begin, options_.time_limit)));
}

isa::LaunchResult RtlMachine::Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram) {
  CheckLaunch(launch);
  const std::vector<isa::Word> program = ProgramOf(launch, dram);
  bus_->set_memory(dram, options_.memory_base);
  bus_->set_random(options_.random_seed);
  tracer_->Begin(options_.trace, launch, program, dram);
  const std::shared_ptr<void> looks_away(nullptr, [&](void*) { tracing_ = observing_ = false; });
  tracing_ = options_.trace != nullptr;
  observing_ = options_.timeline != nullptr;
  if (observing_) observer_->Begin(options_.timeline, launch.instruction_address, program);
  WriteLaunch(launch);
  if (options_.traffic_seed)
    bus_->BeginTraffic({*options_.traffic_seed, dram.size(), layout_.config().uarch.bus_bits / 8},
                       cycle() - kStartCycles);
  const int64_t begin = cycle();
  const auto begin_time = std::chrono::steady_clock::now();
  while (!*model_->ports().interrupt_o) {
    if (Stops(cycle() - begin, begin_time)) {
      options_.wave_path.clear();  // the cycles count from 0 again: the wave ends here
      PowerOn();
      isa::LaunchResult stopped;
      stopped.outcome = isa::Outcome::kStopped;
      return stopped;
    }
    Step();
  }
  if (tracing_) tracer_->End();
  const bool observed = observing_;
  tracing_ = observing_ = false;
  isa::LaunchResult result = ReadResult(program);
  if (observed) observer_->End(result.counters.time->cycles);
  return result;
}

isa::LaunchResult RtlMachine::ReadResult(std::span<const isa::Word> program) {
  MachinePort port(*this);
  isa::LaunchResult result = isa::ReadResult(port, layout_.config());
  isa::Move(result, -options_.memory_base);
  for (isa::ModuleState& state : result.modules) {
    if (state.kind == isa::ModuleState::Kind::kDone) continue;
    VTA_CHECK(state.index < static_cast<int64_t>(program.size()), state.index);
    state.word = program[static_cast<size_t>(state.index)];
  }
  return result;
}

}  // namespace vta::sim
