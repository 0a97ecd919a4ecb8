#include "tests/rtl/trial.h"

#include <algorithm>

#include "isa/support/error.h"
#include "sim/trace/lockstep.h"

namespace vta::test {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kCycleLimit = 5'000'000;

std::string CompareCounters(const isa::Counters& golden, const isa::Counters& rtl) {
  std::string text;
  const auto differ = [&](const std::string& what, int64_t g, int64_t r) {
    if (g != r) text += StrCat(what, ": golden ", g, ", RTL ", r, "\n");
  };
  for (size_t i = 0; i < golden.instructions.size(); ++i)
    differ(StrCat("instructions of opcode ", i), golden.instructions[i], rtl.instructions[i]);
  for (size_t i = 0; i < golden.bytes.size(); ++i)
    differ(StrCat("bytes of memory type ", i), golden.bytes[i], rtl.bytes[i]);
  for (size_t i = 0; i < golden.tokens.size(); ++i)
    differ(StrCat("tokens of queue ", i), golden.tokens[i], rtl.tokens[i]);
  differ("GEMM micro-ops", golden.gemm_uops, rtl.gemm_uops);
  differ("ALU micro-ops", golden.alu_uops, rtl.alu_uops);
  differ("MACs", golden.macs, rtl.macs);
  return text;
}

// Where a fault or a deadlock leaves a module in front of its queue, the golden model knows all of
// the stream; what the RTL's fetch got to is its own affair.
std::string CompareResults(const isa::LaunchResult& golden, const isa::LaunchResult& rtl) {
  if (golden.outcome != rtl.outcome || golden.modules != rtl.modules ||
      golden.fetch.fault != rtl.fetch.fault || golden.fetch.address != rtl.fetch.address)
    return StrCat("golden: ", Describe(golden), "\nRTL: ", Describe(rtl), "\n");
  return CompareCounters(golden.counters, rtl.counters);
}

std::string CompareMemory(const std::vector<uint8_t>& golden, const std::vector<uint8_t>& rtl) {
  const auto [g, r] = std::ranges::mismatch(golden, rtl);
  if (g == golden.end()) return "";
  return StrCat("memory at ", Hex(static_cast<uint64_t>(g - golden.begin())), ": golden ", Hex(*g),
                ", RTL ", Hex(*r), "\n");
}

}  // namespace

Image ImageOf(const TestProgram& program) {
  Image image;
  const auto round_up = [](size_t bytes) {
    return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  };
  const size_t code = round_up(program.instructions.size() * isa::kInstructionBytes);
  image.dram.resize(round_up(code + program.memory.size()));
  const isa::Layout layout(program.config);
  for (size_t i = 0; i < program.instructions.size(); ++i)
    isa::StoreWord(isa::Encode(layout, program.instructions[i]),
                   image.dram.data() + i * isa::kInstructionBytes);
  std::ranges::copy(program.memory, image.dram.begin() + static_cast<int64_t>(code));
  image.launch.instruction_count = static_cast<int64_t>(program.instructions.size());
  for (int i = 0; i < isa::kBaseRegisters; ++i)
    image.launch.base[i] = code + static_cast<uint64_t>(program.bases[i]);
  return image;
}

Trial::Trial(const isa::Config& config, const sim::ModelOptions& model)
    : config_(config),
      golden_(std::make_unique<sim::Machine>(config)),
      rtl_(config, {.cycle_limit = kCycleLimit}, model) {}

void Trial::PowerOn() {
  golden_ = std::make_unique<sim::Machine>(config_);
  rtl_.PowerOn();
}

std::string Trial::Run(const TestProgram& program, std::optional<uint64_t> random_seed) {
  Image image = ImageOf(program);
  std::vector<uint8_t> rtl_dram = image.dram;
  sim::Lockstep lockstep;
  golden_->options().trace = &lockstep.left();
  rtl_.options().trace = &lockstep.right();
  rtl_.options().random_seed = random_seed;
  const isa::LaunchResult golden = golden_->Run(image.launch, image.dram);
  result_ = rtl_.Run(image.launch, rtl_dram);
  lockstep.Finish();
  events_ += lockstep.compared();
  std::string text;
  if (lockstep.found()) text += lockstep.difference()->text + " (left is golden)\n";
  text += CompareResults(golden, result_);
  text += CompareMemory(image.dram, rtl_dram);
  return text;
}

}  // namespace vta::test
