#include "tests/support/reference_machine.h"

#include <algorithm>
#include <cstring>

#include "isa/spec/requant.h"
#include "isa/support/hash.h"

namespace vta::test {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;
using isa::Queue;

namespace {
bool Is(const Instruction& insn, Opcode opcode) {
  return insn.opcode == static_cast<int64_t>(opcode);
}
int64_t& Of(std::array<int64_t, isa::kQueues>& tokens, Queue queue) {
  return tokens[static_cast<int>(queue)];
}
}  // namespace

ModuleLists Distribute(const TestProgram& program) {
  ModuleLists lists;
  for (int64_t i = 0; i < std::ssize(program.instructions); ++i) {
    const Instruction& insn = program.instructions[i];
    lists[static_cast<int>(Route(program.config, insn))].push_back(i);
    if (Is(insn, Opcode::kFinish)) break;
  }
  return lists;
}

ReferenceMachine::ReferenceMachine(const TestProgram* program)
    : program_(program),
      lists_(std::make_shared<const ModuleLists>(Distribute(*program))),
      layout_(std::make_shared<const isa::Layout>(program->config)) {
  const isa::Config& c = program->config;
  state_.dram = program->memory;
  state_.inp.resize(c.arch.inp_depth * c.inp_bytes());
  state_.wgt.resize(c.arch.wgt_depth * c.wgt_bytes());
  state_.out.resize(c.arch.acc_depth * c.out_bytes());
  state_.acc.resize(c.arch.acc_depth * c.arch.batch * c.arch.block_out);
  state_.uop.resize(c.arch.uop_depth);
  state_.lut.resize(isa::kLutBytes);
}

bool ReferenceMachine::CanRun(Module module) const {
  const int m = static_cast<int>(module);
  if (halted_[m] || finished_ || positions_[m] == std::ssize((*lists_)[m])) return false;
  const int64_t index = (*lists_)[m][positions_[m]];
  const Instruction& insn = program_->instructions[index];
  if (DecodeFault(program_->config, insn) != isa::Fault::kNone) return true;
  if (insn.pop_prev && tokens_[static_cast<int>(PopQueue(module, false))] == 0) return false;
  if (insn.pop_next && tokens_[static_cast<int>(PopQueue(module, true))] == 0) return false;
  const int64_t done = positions_[0] + positions_[1] + positions_[2];
  return !Is(insn, Opcode::kFinish) || done == index;
}

void ReferenceMachine::Run(Module module) {
  const int m = static_cast<int>(module);
  const Instruction& insn = program_->instructions[(*lists_)[m][positions_[m]]];
  if (DecodeFault(program_->config, insn) != isa::Fault::kNone) {
    halted_[m] = true;
    return;
  }
  if (insn.pop_prev) --Of(tokens_, PopQueue(module, false));
  if (insn.pop_next) --Of(tokens_, PopQueue(module, true));
  if (!Execute(insn)) {
    halted_[m] = true;
    return;
  }
  if (insn.push_prev) ++Of(tokens_, PushQueue(module, false));
  if (insn.push_next) ++Of(tokens_, PushQueue(module, true));
  ++positions_[m];
}

uint64_t ReferenceMachine::StateHash() const {
  Hasher hash;
  auto add = [&](const auto& values) {
    hash.Bytes(
        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(values[0])});
  };
  add(state_.dram), add(state_.inp), add(state_.wgt), add(state_.out), add(state_.acc);
  add(state_.uop), add(state_.lut), add(state_.modes), add(halted_);
  return hash.value();
}

bool ReferenceMachine::Execute(const Instruction& insn) {
  if (Is(insn, Opcode::kLoad)) return Load(insn);
  if (Is(insn, Opcode::kStore)) return Store(insn);
  if (Is(insn, Opcode::kFinish)) return finished_ = true;
  if (Is(insn, Opcode::kSet)) {
    state_.modes[insn.mode] = insn.value;
    return true;
  }
  return Loops(insn);
}

bool ReferenceMachine::Load(const Instruction& insn) {
  if (insn.x_size == 0 || insn.y_size == 0) return true;
  const isa::Config& c = program_->config;
  const isa::MemorySpec& memory = *FindMemory(c.arch, insn.memory_type);
  const bool wide = memory.code == MemoryType::kAcc, narrow = memory.code == MemoryType::kAcc8;
  const int64_t bytes = memory.dram_element_bytes(c);
  const bool table = memory.code == MemoryType::kLut;
  const int64_t base = program_->bases[narrow ? 3 : table ? 0 : insn.memory_type];
  const int64_t mode =
      static_cast<int64_t>(wide || narrow ? isa::Mode::kPadCompute : isa::Mode::kPadLoad);
  const auto pad =
      static_cast<uint8_t>(insn.pad_select && c.arch.pad_value ? state_.modes[mode] : 0);
  const int64_t lanes = c.arch.batch * c.arch.block_out;
  int64_t row = insn.sram_base;
  for (int64_t y = -insn.y_pad_top; y < insn.y_size + insn.y_pad_bottom; ++y)
    for (int64_t x = -insn.x_pad_left; x < insn.x_size + insn.x_pad_right; ++x, ++row) {
      if (row >= (table ? 1 : c.arch.*memory.depth)) return false;
      const bool inside = y >= 0 && y < insn.y_size && x >= 0 && x < insn.x_size;
      const int64_t address = base + (insn.dram_base + y * insn.x_stride + x) * bytes;
      if (inside && (address < 0 || address + bytes > std::ssize(state_.dram))) return false;
      std::vector<uint8_t> element(bytes, pad);
      if (inside) std::copy_n(state_.dram.begin() + address, bytes, element.begin());
      if (wide || narrow) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int32_t value = static_cast<int8_t>(narrow || !inside ? element[narrow ? lane : 0] : 0);
          if (wide && inside) std::memcpy(&value, element.data() + 4 * lane, 4);
          state_.acc[row * lanes + lane] = value;
        }
      } else if (memory.code == MemoryType::kUop) {
        std::memcpy(&state_.uop[row], element.data(), 4);
      } else if (table) {
        state_.lut = element;
      } else {
        auto& pad_memory = memory.code == MemoryType::kInp ? state_.inp : state_.wgt;
        std::ranges::copy(element, pad_memory.begin() + row * bytes);
      }
    }
  return true;
}

bool ReferenceMachine::Store(const Instruction& insn) {
  const isa::Config& c = program_->config;
  const int64_t bytes = c.out_bytes();
  for (int64_t y = 0; y < insn.y_size; ++y)
    for (int64_t x = 0; x < insn.x_size; ++x) {
      const int64_t row = insn.sram_base + y * insn.x_size + x;
      const int64_t address = program_->bases[4] + (insn.dram_base + y * insn.x_stride + x) * bytes;
      if (row >= c.arch.acc_depth || address + bytes > std::ssize(state_.dram)) return false;
      std::copy_n(state_.out.begin() + row * bytes, bytes, state_.dram.begin() + address);
    }
  return true;
}

bool ReferenceMachine::Loops(const Instruction& insn) {
  state_.block_row = -1;
  for (int64_t o = 0; o < insn.iter_out; ++o)
    for (int64_t i = 0; i < insn.iter_in; ++i)
      for (int64_t u = insn.uop_begin; u < insn.uop_end; ++u) {
        if (u >= program_->config.arch.uop_depth) return false;
        const isa::Uop uop = DecodeUop(*layout_, state_.uop[u]);
        if (!MicroOp(insn, uop.dst + o * insn.dst_factor_out + i * insn.dst_factor_in,
                     uop.src + o * insn.src_factor_out + i * insn.src_factor_in,
                     uop.wgt + o * insn.wgt_factor_out + i * insn.wgt_factor_in))
          return false;
      }
  return true;
}

bool ReferenceMachine::MicroOp(const Instruction& insn, int64_t dst, int64_t src, int64_t wgt) {
  const isa::Arch& arch = program_->config.arch;
  const int64_t lanes = arch.batch * arch.block_out;
  const bool gemm = Is(insn, Opcode::kGemm);
  if (dst >= arch.acc_depth) return false;
  if (gemm && insn.reset) {
    for (int64_t lane = 0; lane < lanes; ++lane) WriteLane(dst, lane, 0);
    return true;
  }
  if (gemm) {
    if (src >= arch.inp_depth || wgt >= arch.wgt_depth) return false;
    Gemm(insn, dst, src, wgt);
    return true;
  }
  const bool requant = !FindAluOp(arch, insn.alu_opcode)->apply;
  if (!insn.use_imm && src + (requant ? isa::kRequantRows - 1 : 0) >= arch.acc_depth) return false;
  if (requant && state_.block_row != src) {
    state_.block_row = src;
    const auto first = state_.acc.begin() + src * lanes;
    state_.block.assign(first, first + isa::kRequantRows * lanes);
  }
  std::vector<int32_t> result(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane) result[lane] = Alu(insn, dst, src, lane);
  for (int64_t lane = 0; lane < lanes; ++lane) WriteLane(dst, lane, result[lane]);
  return true;
}

void ReferenceMachine::Gemm(const Instruction& insn, int64_t dst, int64_t src, int64_t wgt) {
  const isa::Arch& arch = program_->config.arch;
  for (int64_t b = 0; b < arch.batch; ++b)
    for (int64_t k = 0; k < arch.block_out; ++k) {
      const int64_t lane = b * arch.block_out + k;
      int32_t sum = insn.overwrite ? 0 : state_.acc[dst * arch.batch * arch.block_out + lane];
      for (int64_t c = 0; c < arch.block_in; ++c) {
        const auto x = static_cast<int8_t>(state_.inp[(src * arch.batch + b) * arch.block_in + c]);
        const auto w =
            static_cast<int8_t>(state_.wgt[(wgt * arch.block_out + k) * arch.block_in + c]);
        sum = isa::WrapAdd(sum, x * w);
      }
      WriteLane(dst, lane, sum);
    }
}

int32_t ReferenceMachine::Alu(const Instruction& insn, int64_t dst, int64_t src,
                              int64_t lane) const {
  const isa::Arch& arch = program_->config.arch;
  const int64_t lanes = arch.batch * arch.block_out;
  auto acc = [&](int64_t row) { return state_.acc[row * lanes + lane]; };
  const isa::AluOpSpec& op = *FindAluOp(arch, insn.alu_opcode);
  if (op.apply) return op.apply(acc(dst), insn.use_imm ? static_cast<int32_t>(insn.imm) : acc(src));
  const int64_t mode = state_.modes[static_cast<int>(isa::Mode::kRounding)];
  const std::vector<int32_t>& block = state_.block;
  const int32_t code = isa::Requant(
      acc(dst), isa::UnpackRequant(block[lane], block[lanes + lane], block[2 * lanes + lane]),
      static_cast<isa::Rounding>(mode), arch.requant_multiplier_bits);
  if (op.code != isa::AluOp::kLut) return code;
  return static_cast<int8_t>(state_.lut[code < 0 ? 256 + code : code]);
}

void ReferenceMachine::WriteLane(int64_t row, int64_t lane, int32_t value) {
  const int64_t lanes = program_->config.arch.batch * program_->config.arch.block_out;
  state_.acc[row * lanes + lane] = value;
  state_.out[row * lanes + lane] = static_cast<uint8_t>(value);
}

}  // namespace vta::test
