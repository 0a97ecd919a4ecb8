#include "tools/vta/hw/hls_launches.h"

#include <fmt/format.h>

#include <cstring>

#include "hw/hls/vta_state.h"
#include "isa/asm.h"
#include "isa/spec/registers.h"
#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "tools/vta/hw/random_bytes.h"

namespace vta::tools {
namespace {

// Rows that every scratchpad has.
constexpr int64_t kRows = 4;

// Every instruction, memory type, ALU operation and mode that the config has.
std::string WholeProgram(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  std::string text;
  if (arch.pad_value) text += "set pad_load=7\nset pad_compute=251\n";
  const std::string select = arch.pad_value ? " pad_select" : "";
  text += fmt::format("load.inp dram=input x=1 pad=1,0,0,1{}\n", select);
  text += "load.wgt dram=weights x=4 push_next\n";
  text += "load.uop dram=kernel x=3\n";
  text += fmt::format("load.acc dram=bias x=2 pad=0,0,1,1{}\n", select);
  if (arch.acc8) text += "load.acc8 sram=1 dram=input8 x=1\n";
  text += "gemm uop=0:1 in=2 dst=0,1 src=0,2 wgt=0,2 pop_prev push_prev\n";
  if (arch.overwrite) text += "gemm uop=1:2 in=2 dst=0,1 src=0,1 overwrite\n";
  text += "alu.min uop=0:1 in=4 dst=0,1 imm=9000\nalu.max uop=0:1 in=4 dst=0,1 imm=-9000\n";
  text += "alu.add uop=2:3 dst=0,0\nalu.shr uop=0:1 in=3 dst=0,1 imm=3\n";
  if (arch.mul) text += "alu.mul uop=0:1 in=2 dst=0,1 imm=-3\n";
  if (arch.lut) text += "load.lut sram=0 dram=table x=1\nalu.lut uop=2:3\n";
  if (arch.requant) text += "set rounding=1\nalu.requant uop=2:3\n";
  text += "gemm uop=2:3 dst=0,0 reset\n";
  text += fmt::format("alu.add uop=0:1 in={} dst=0,1 imm=1 push_next\n", kRows);
  text += fmt::format("store.out dram=output x=2 y=2 stride=2 pop_prev push_prev\n");
  text += "load.inp dram=input x=1 pop_next push_next\n";
  text += "finish pop_prev pop_next\n";
  return text + ".uop\nkernel: dst=0\ndst=0 src=1 wgt=1\ndst=0 src=1\n";
}

std::string Data(const isa::Config& config) {
  std::string text;
  uint64_t state = 1;
  const auto rows = [&](const std::string& name, int64_t count, int64_t bytes) {
    text += StrCat(".data\n", name, ":\n");
    for (int64_t row = 0; row < count; ++row) text += RandomBytes(state, bytes);
  };
  rows("input", kRows, config.inp_bytes());
  rows("weights", kRows, config.wgt_bytes());
  rows("bias", 2, config.acc_bytes());
  rows("input8", 1, config.out_bytes());
  if (config.arch.lut) rows("table", 1, isa::kLutBytes);
  return text + fmt::format(".data\noutput: .space {}\n", kRows * config.out_bytes());
}

std::string Hexes(std::span<const uint64_t> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{:x}{}", words[i], i % 8 == 7 || i + 1 == words.size() ? '\n' : ' ');
  return text;
}

std::vector<uint64_t> WordsOf(std::span<const uint8_t> bytes) {
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  return words;
}

std::vector<uint64_t> CountersOf(const isa::Config& config, const isa::Counters& counters) {
  std::vector<uint64_t> out(isa::kHardwareCounters);
  const auto set = [&](isa::HardwareCounter first, int64_t offset, int64_t value) {
    out[static_cast<size_t>(first) + static_cast<size_t>(offset)] = static_cast<uint64_t>(value);
  };
  for (const isa::InstructionSpec& row : isa::kInstructions)
    set(isa::HardwareCounter::kInstructions, static_cast<int64_t>(row.code),
        counters.instructions[static_cast<size_t>(row.code)]);
  set(isa::HardwareCounter::kGemmUops, 0, counters.gemm_uops);
  set(isa::HardwareCounter::kMacUops, 0, counters.macs / config.macs_per_cycle());
  set(isa::HardwareCounter::kAluUops, 0, counters.alu_uops);
  for (const isa::MemorySpec& row : isa::kCountedTypes)
    set(isa::HardwareCounter::kElements, static_cast<int64_t>(row.code),
        counters.bytes[static_cast<size_t>(row.code)] / row.dram_element_bytes(config));
  for (int queue = 0; queue < isa::kQueues; ++queue)
    set(isa::HardwareCounter::kTokens, queue, counters.tokens[static_cast<size_t>(queue)]);
  return out;
}

class Recorder {
 public:
  explicit Recorder(const isa::Config& config) : config_(config), machine_(config) {}

  /// Errors: aborts where the program ends otherwise.
  void Run(const std::string& name, const std::string& source, isa::Outcome outcome) {
    const isa::Program program = isa::Assemble(source, name, config_);
    std::vector<uint8_t> memory = program.Image();
    memory.resize((memory.size() + 7) / 8 * 8);
    const size_t bytes = memory.size();
    VTA_CHECK(bytes <= kBenchBytes, bytes);
    const std::vector<uint64_t> before = WordsOf(memory);
    memory.resize(kBenchBytes);
    const isa::Section& code = *program.code();
    const isa::LaunchRequest launch{
        .instruction_address = code.address,
        .instruction_count = std::ssize(code.bytes) / isa::kInstructionBytes};
    const isa::LaunchResult result = machine_.Run(launch, memory);
    VTA_CHECK(result.outcome == outcome, isa::Describe(result));
    text_ += fmt::format("{} {:x} {:x} {:x} {:x}\n", name, launch.instruction_address,
                         launch.instruction_count, static_cast<int>(outcome), before.size());
    text_ += Hexes(CountersOf(config_, result.counters)) + Hexes(before) +
             Hexes(WordsOf(std::span(memory).first(bytes)));
  }
  const std::string& text() const { return text_; }

 private:
  isa::Config config_;
  sim::Machine machine_;
  std::string text_;
};

}  // namespace

std::string HlsLaunches(const isa::Config& config) {
  Recorder recorder(config);
  recorder.Run("whole", WholeProgram(config) + Data(config), isa::Outcome::kFinished);
  recorder.Run("fault",
               fmt::format("load.inp sram={} x=2\nload.inp x=1 push_next\nfinish\n",
                           config.arch.inp_depth - 1),
               isa::Outcome::kFault);
  recorder.Run("deadlock", "load.inp x=1 pop_next\nfinish\n", isa::Outcome::kDeadlock);
  recorder.Run("again", WholeProgram(config) + Data(config), isa::Outcome::kFinished);
  return recorder.text();
}

}  // namespace vta::tools
