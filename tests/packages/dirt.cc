#include "tests/packages/dirt.h"

#include <algorithm>

#include "driver/buffer.h"
#include "isa/codec.h"
#include "isa/spec/memories.h"
#include "tests/network/random_network.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

Instruction Fill(MemoryType type, int64_t rows) {
  return {.opcode = static_cast<int64_t>(Opcode::kLoad),
          .memory_type = static_cast<int64_t>(type),
          .y_size = 1,
          .x_size = rows};
}

/// Noise from address 0 on; OUT gets the low bytes of the accumulators.
std::vector<Instruction> Program(const isa::Config& config, int64_t zero_uop) {
  const isa::Arch& arch = config.arch;
  Instruction uop = Fill(MemoryType::kUop, 1);
  uop.dram_base = zero_uop;
  const Instruction add{.opcode = static_cast<int64_t>(Opcode::kAlu),
                        .uop_end = 1,
                        .iter_out = 1,
                        .iter_in = arch.acc_depth,
                        .dst_factor_in = 1,
                        .alu_opcode = static_cast<int64_t>(isa::AluOp::kAdd),
                        .use_imm = 1,
                        .imm = 1};
  return {Fill(MemoryType::kInp, arch.inp_depth),
          Fill(MemoryType::kWgt, arch.wgt_depth),
          Fill(MemoryType::kAcc, arch.acc_depth),
          uop,
          add,
          Fill(MemoryType::kUop, arch.uop_depth),
          {.opcode = static_cast<int64_t>(Opcode::kFinish)}};
}

}  // namespace

void MakeDirty(driver::Device& device, const isa::Config& config, int64_t bytes, uint64_t seed) {
  driver::Buffer memory(device, bytes);
  Draws draw(seed);
  std::vector<uint8_t> noise(static_cast<size_t>(bytes));
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(draw.Int(0, 255));
  const isa::Layout layout(config);
  // At the end a micro-op of zeros, and the program.
  const int64_t zero = bytes / 4096 * 4096 - 4096;
  std::fill_n(noise.begin() + zero, 4, uint8_t{0});
  const std::vector<Instruction> program = Program(config, zero / 4);
  for (size_t i = 0; i < program.size(); ++i)
    isa::StoreWord(Encode(layout, program[i]),
                   noise.data() + zero + 16 + i * isa::kInstructionBytes);
  memory.CopyIn(0, noise);
  isa::LaunchRequest request{.instruction_address = memory.address() + zero + 16,
                             .instruction_count = std::ssize(program)};
  request.base.fill(memory.address());
  device.Launch(request);
  const isa::LaunchResult result = device.Wait(driver::kForever);
  VTA_CHECK(result.outcome == isa::Outcome::kFinished, isa::Describe(result));
}

}  // namespace vta::test
