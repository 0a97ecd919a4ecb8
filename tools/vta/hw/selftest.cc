#include "tools/vta/hw/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "isa/asm.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/common/flat_launch.h"
#include "tools/vta/hw/random_bytes.h"

namespace vta::tools {
namespace {

constexpr int64_t kMostRows = 8, kWgtRows = 4;
// Of "rows" inputs and outputs; "half" as many meet the same weights. Three micro-ops: two products
// of each row of inputs, and the row that the ALU works on.
constexpr char kProgram[] = R"(load.uop dram=kernel x=3
load.inp dram=input x={rows}
load.wgt dram=weights x={weights} push_next
gemm uop=2:3 in={rows} dst=0,1 reset pop_prev
gemm uop=0:2 out=2 in={half} dst={half},1 src={half},1 wgt=2,0
alu.add uop=2:3 in={rows} dst=0,1 imm=37
alu.max uop=2:3 in={rows} dst=0,1 imm=-9000
alu.shr uop=2:3 in={rows} dst=0,1 imm=3 push_next
store.out dram=output x={rows} pop_prev push_prev
finish pop_next
.uop
kernel: dst=0 src=0 wgt=0
dst=0 src=0 wgt=1
dst=0
)";

std::string ProgramText(const isa::Config& config) {
  const int64_t rows = std::min({kMostRows, config.arch.inp_depth, config.arch.acc_depth});
  uint64_t state = 1;
  std::string text = fmt::format(kProgram, fmt::arg("rows", rows), fmt::arg("half", rows / 2),
                                 fmt::arg("weights", kWgtRows));
  text += ".data\ninput:\n";
  for (int64_t row = 0; row < rows; ++row) text += RandomBytes(state, config.inp_bytes());
  text += ".data\nweights:\n";
  for (int64_t row = 0; row < kWgtRows; ++row) text += RandomBytes(state, config.wgt_bytes());
  return text + fmt::format(".data\noutput: .space {}\n", rows * config.out_bytes());
}

// A bus word a line, its lowest byte last.
std::string HexLines(std::span<const uint8_t> image, int64_t word_bytes) {
  std::string text;
  for (size_t at = 0; at < image.size(); at += word_bytes) {
    for (int64_t byte = word_bytes - 1; byte >= 0; --byte)
      text += fmt::format("{:02x}", image[at + byte]);
    text += '\n';
  }
  return text;
}

}  // namespace

Selftest MakeSelftest(const isa::Config& config, int64_t bit_cycles) {
  const isa::Program program = isa::Assemble(ProgramText(config), "self-test", config);
  const int64_t word_bytes = config.uarch.bus_bits / 8;
  std::vector<uint8_t> image = program.Image();
  image.resize(std::bit_ceil(image.size()));
  const std::string before = HexLines(image, word_bytes);
  const isa::Section& code = *program.code();
  constexpr int64_t kInstructionBytes = 16;
  const int64_t count = static_cast<int64_t>(code.bytes.size()) / kInstructionBytes;
  const FlatLaunch launch{code.address, count};
  const auto results = RunFlat({}, config, {&launch, 1}, image);
  if (results.at(0).outcome != isa::Outcome::kFinished)
    throw Error(StrCat("config ", config.name), "self-test", "", "does not finish");
  return {fmt::format("// Made by `vta hw selftest` for config {}.\n"
                      "package vta_selftest_pkg;\n"
                      "  localparam int Words = {};\n"
                      "  localparam int First = {};\n"
                      "  localparam int Count = {};\n"
                      "  localparam int BitCycles = {};\n"
                      "endpackage\n",
                      config.name, static_cast<int64_t>(image.size()) / word_bytes, code.address,
                      count, bit_cycles),
          before, HexLines(image, word_bytes)};
}

void WriteSelftest(const isa::Config& config, int64_t bit_cycles, const std::string& folder) {
  const Selftest test = MakeSelftest(config, bit_cycles);
  WriteFileAtomically(folder + "/vta_pkg.sv", isa::SystemVerilogPackage(config));
  WriteFileAtomically(folder + "/vta_selftest_pkg.sv", test.package);
  WriteFileAtomically(folder + "/image.hex", test.image);
  WriteFileAtomically(folder + "/expected.hex", test.expected);
}

}  // namespace vta::tools
