#include "tests/rtl/trial.h"

#include <algorithm>

#include "isa/support/error.h"
#include "sim/trace/lockstep.h"

namespace vta::test {
namespace {

const sim::SideNames kNames = {"golden", "RTL"};
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kCycleLimit = 2'000'000;
constexpr int64_t kWriteCycles = 600, kBurstCycles = 40;
constexpr int64_t kResetCycles = 100'000;  // with the slowest memory

std::string CompareMemory(const std::vector<uint8_t>& golden, const std::vector<uint8_t>& rtl) {
  const auto [g, r] = std::ranges::mismatch(golden, rtl);
  if (g == golden.end()) return "";
  return StrCat("memory at ", Hex(static_cast<uint64_t>(g - golden.begin())), ": golden ", Hex(*g),
                ", RTL ", Hex(*r), "\n");
}

int64_t OnPages(int64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Modules that write a row, or a beat of memory, in this cycle.
int Writing(const VtaPorts& ports) {
  return (*ports.trace_load_o != 0) + (*ports.trace_acc_o != 0 || *ports.trace_uop_o) +
         (*ports.w_valid_o && *ports.w_ready_i);
}

}  // namespace

Image ImageOf(const RtlProgram& rtl_program) {
  const TestProgram& program = rtl_program.program;
  const int64_t code = std::ssize(program.instructions) * isa::kInstructionBytes;
  const int64_t data = std::ssize(program.memory);
  const bool at_end = rtl_program.fetch_past > 0;
  const int64_t size = OnPages(code + rtl_program.code_offset) + OnPages(data);
  const int64_t first = at_end ? size - code : rtl_program.code_offset;
  const int64_t base = at_end ? 0 : size - OnPages(data);
  Image image;
  image.dram.resize(static_cast<size_t>(size));
  const isa::Layout layout(program.config);
  for (size_t i = 0; i < program.instructions.size(); ++i)
    isa::StoreWord(isa::Encode(layout, program.instructions[i]),
                   image.dram.data() + first + i * isa::kInstructionBytes);
  std::ranges::copy(program.memory, image.dram.begin() + base);
  image.launch.instruction_address = static_cast<uint64_t>(first);
  image.launch.instruction_count = std::ssize(program.instructions) + rtl_program.fetch_past;
  for (int i = 0; i < isa::kBaseRegisters; ++i)
    image.launch.base[i] = static_cast<uint64_t>(base + program.bases[i]);
  return image;
}

Image ImageOf(const TestProgram& program) { return ImageOf(RtlProgram{.program = program}); }

Trial::Trial(const isa::Config& config, const sim::ModelOptions& model)
    : config_(config),
      golden_(std::make_unique<sim::Machine>(config)),
      rtl_(config, {.cycle_limit = kCycleLimit}, model) {
  rtl_.options().on_cycle = [this](const VtaPorts& ports) {
    overlapped_cycles_ += Writing(ports) > 1;
    const int beside = *ports.trace_beside_o;
    beside_.starts += beside & 1, beside_.held += beside >> 1 & 1;
    beside_.waits += beside >> 2 & 1, beside_.faults += beside >> 3 & 1;
    asks_to_write_ = *ports.aw_valid_o;
    offers_data_ = *ports.w_valid_o && !*ports.w_ready_i;
  };
}

void Trial::PowerOn() {
  golden_ = std::make_unique<sim::Machine>(config_);
  rtl_.PowerOn();
}

std::string Trial::SoftReset() {
  rtl_.WriteRegister(isa::Register::kControl, isa::kControlReset);
  return EndReset();
}

std::string Trial::EndReset() {
  for (int64_t i = 0; i < kResetCycles; ++i) {
    rtl_.Step();
    if (!(rtl_.ReadRegister(isa::Register::kStatus) & isa::kStatusBusy)) return "";
  }
  return "soft reset does not end\n";
}

std::string Trial::Interrupt(const RtlProgram& program, const TrialOptions& options,
                             int64_t cycles) {
  Image image = ImageOf(program);
  rtl_.options().memory_base = options.memory_base;
  rtl_.bus().set_memory(image.dram, options.memory_base);
  rtl_.bus().set_random(options.random_seed);
  rtl_.WriteLaunch(image.launch);
  for (int64_t i = 0; i < cycles; ++i) rtl_.Step();
  // A late reset meets a write under way, if one comes.
  if (cycles > kWriteCycles / 2) {
    for (int64_t i = 0; i < kWriteCycles && !asks_to_write_; ++i) rtl_.Step();
    for (int64_t i = 0; i < cycles / 2 % kBurstCycles; ++i) rtl_.Step();
  }
  rtl_.WriteRegister(isa::Register::kControl, isa::kControlReset);
  // What W offers in the first cycle that discards stays as it is, and is written.
  rtl_.Step();
  for (int64_t i = 0; i < kResetCycles && offers_data_; ++i) rtl_.Step();
  const std::vector<uint8_t> before = image.dram;
  if (std::string text = EndReset(); !text.empty()) return text;
  return image.dram == before ? "" : "a soft reset writes to memory\n";
}

std::string Trial::Run(const TestProgram& program, std::optional<uint64_t> random_seed) {
  return Run(RtlProgram{.program = program}, {.random_seed = random_seed});
}

std::string Trial::Run(const RtlProgram& program, const TrialOptions& options) {
  Image image = ImageOf(program);
  std::vector<uint8_t> rtl_dram = image.dram;
  sim::Lockstep lockstep(sim::TraceDetail::kValues, kNames);
  golden_->options().trace = options.values ? &lockstep.left() : nullptr;
  rtl_.options().trace = options.values ? &lockstep.right() : nullptr;
  rtl_.options().random_seed = options.random_seed;
  rtl_.options().memory_base = options.memory_base;
  overlapped_cycles_ = 0;
  beside_ = {};
  const isa::LaunchResult golden = golden_->Run(image.launch, image.dram);
  result_ = rtl_.Run(image.launch, rtl_dram);
  if (!options.values) return sim::CompareResults(golden, result_, kNames);
  lockstep.Finish();
  events_ += lockstep.compared();
  if (lockstep.found()) return lockstep.difference()->text() + "\n";  // the RTL was stopped there
  return sim::CompareResults(golden, result_, kNames) + CompareMemory(image.dram, rtl_dram);
}

}  // namespace vta::test
