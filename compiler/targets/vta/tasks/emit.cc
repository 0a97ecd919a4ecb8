#include "compiler/targets/vta/tasks/emit.h"

#include <algorithm>

#include "compiler/targets/vta/tasks/interleave.h"
#include "compiler/targets/vta/tasks/uop_memory.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::compiler::targets {
namespace {

int64_t BaseElement(const isa::Config& config, const TaskProgram& program, const Dma& dma) {
  const DramTensor& tensor = program.tensors[dma.tensor];
  const int64_t size = MemoryOf(program, dma).dram_element_bytes(config);
  if (tensor.offset_bytes % size != 0)
    throw Error(program.name, StrCat("offset of ", tensor.name),
                std::to_string(tensor.offset_bytes),
                StrCat("must be a multiple of its element size, ", Counted(size, "byte")));
  return tensor.offset_bytes / size + dma.dram;
}

struct ToFields {
  const isa::Config& config;
  const TaskProgram& program;

  static isa::Instruction Make(isa::Opcode opcode) {
    isa::Instruction out;
    out.opcode = static_cast<int64_t>(opcode);
    return out;
  }
  isa::Instruction operator()(const Dma& dma) const {
    isa::Instruction out = Make(dma.store ? isa::Opcode::kStore : isa::Opcode::kLoad);
    out.memory_type = static_cast<int64_t>(program.tensors[dma.tensor].element);
    out.sram_base = dma.sram;
    out.dram_base = BaseElement(config, program, dma);
    out.pad_select = dma.pad_value;
    out.y_size = dma.y_size, out.x_size = dma.x_size, out.x_stride = dma.x_stride;
    out.y_pad_top = dma.y_pad_top, out.y_pad_bottom = dma.y_pad_bottom;
    out.x_pad_left = dma.x_pad_left, out.x_pad_right = dma.x_pad_right;
    return out;
  }
  void Fill(const LoopNest& nest, isa::Instruction* out) const {
    VTA_CHECK(nest.uop_begin >= 0, program.name, ": kernel k", nest.kernel, " has no place");
    out->uop_begin = nest.uop_begin;
    out->uop_end = nest.uop_begin + static_cast<int64_t>(program.kernels[nest.kernel].size());
    out->iter_out = nest.iter_out, out->iter_in = nest.iter_in;
    out->dst_factor_out = nest.dst_out, out->dst_factor_in = nest.dst_in;
    out->src_factor_out = nest.src_out, out->src_factor_in = nest.src_in;
    out->wgt_factor_out = nest.wgt_out, out->wgt_factor_in = nest.wgt_in;
  }
  isa::Instruction operator()(const Gemm& gemm) const {
    isa::Instruction out = Make(isa::Opcode::kGemm);
    Fill(gemm.nest, &out);
    out.reset = gemm.writes == GemmWrites::kZero;
    out.overwrite = gemm.writes == GemmWrites::kProduct;
    return out;
  }
  isa::Instruction operator()(const Alu& alu) const {
    isa::Instruction out = Make(isa::Opcode::kAlu);
    Fill(alu.nest, &out);
    out.alu_opcode = static_cast<int64_t>(alu.op);
    out.use_imm = alu.use_imm, out.imm = alu.imm;
    return out;
  }
  isa::Instruction operator()(const SetMode& set) const {
    isa::Instruction out = Make(isa::Opcode::kSet);
    out.mode = static_cast<int64_t>(set.mode), out.value = set.value;
    return out;
  }
  isa::Instruction operator()(const Nop&) const {
    isa::Instruction out = Make(isa::Opcode::kLoad);
    out.memory_type = static_cast<int64_t>(isa::MemoryType::kUop);
    return out;
  }
  isa::Instruction operator()(const Finish&) const { return Make(isa::Opcode::kFinish); }
};

int64_t Trips(const TaskProgram& program, const LoopNest& nest) {
  return nest.iter_out * nest.iter_in * static_cast<int64_t>(program.kernels[nest.kernel].size());
}

}  // namespace

isa::Instruction ToInstruction(const isa::Config& config, const TaskProgram& program,
                               const Task& task) {
  isa::Instruction out = std::visit(ToFields{config, program}, task.op);
  out.pop_prev = task.tokens.pop_prev, out.pop_next = task.tokens.pop_next;
  out.push_prev = task.tokens.push_prev, out.push_next = task.tokens.push_next;
  return out;
}

std::vector<isa::Word> EncodeTasks(const isa::Layout& layout, const TaskProgram& program) {
  std::vector<isa::Word> words;
  for (const Task& task : program.tasks)
    words.push_back(isa::Encode(layout, ToInstruction(layout.config(), program, task)));
  return words;
}

std::vector<isa::Word> LinkTasks(const isa::Layout& layout, TaskProgram program,
                                 const std::map<std::string, int64_t>& offsets) {
  for (DramTensor& tensor : program.tensors) {
    const auto found = offsets.find(tensor.name);
    if (found == offsets.end())
      throw Error(program.name, "tensor", tensor.name, "has no offset in the arena");
    tensor.offset_bytes = found->second;
  }
  return EncodeTasks(layout, program);
}

TokenStats ConnectTasks(const isa::Config& config, int64_t uops_offset_bytes,
                        TaskProgram* program) {
  PlaceUops(config, kUopTensor, program);
  for (DramTensor& tensor : program->tensors)
    if (tensor.name == kUopTensor) tensor.offset_bytes = uops_offset_bytes;
  return InsertTokens(config, program);
}

int64_t UopBytes(const TaskProgram& program) {
  int64_t uops = 0;
  for (const UopKernel& kernel : program.kernels) uops += std::ssize(kernel);
  return uops * isa::kUopBits / 8;
}

int64_t EndOf(const isa::Config& config, const TaskProgram& program) {
  int64_t end = 0;
  for (const DramTensor& tensor : program.tensors)
    end = std::max(end, tensor.offset_bytes + tensor.elems * ElementBytes(config, tensor));
  return end;
}

std::vector<int64_t> OffsetsOf(const isa::Config& config, int64_t begin_bytes,
                               const TaskProgram& program) {
  std::vector<int64_t> offsets;
  int64_t end = begin_bytes;
  for (const DramTensor& tensor : program.tensors) {
    const int64_t size = ElementBytes(config, tensor);
    offsets.push_back((end + size - 1) / size * size);
    end = offsets.back() + tensor.elems * size;
  }
  return offsets;
}

int64_t PlaceTensors(const isa::Config& config, int64_t begin_bytes, TaskProgram* program) {
  const std::vector<int64_t> offsets = OffsetsOf(config, begin_bytes, *program);
  for (size_t i = 0; i < offsets.size(); ++i) program->tensors[i].offset_bytes = offsets[i];
  return std::max(begin_bytes, EndOf(config, *program));
}

TokenStats ConnectAlone(const isa::Config& config, TaskProgram* program) {
  const int64_t end = PlaceTensors(config, 0, program);
  constexpr int64_t kUopBytes = isa::kUopBits / 8;
  return ConnectTasks(config, (end + kUopBytes - 1) / kUopBytes * kUopBytes, program);
}

ProgramStats FinishTasks(const isa::Config& config, TaskProgram* program) {
  InterleaveTiles(config, program);
  const TokenStats tokens = ConnectAlone(config, program);
  VerifyTasks(config, *program);
  ProgramStats stats = CountStats(config, *program);
  stats.tokens = tokens;
  return stats;
}

std::vector<uint8_t> CodeBytes(std::span<const isa::Word> words) {
  std::vector<uint8_t> bytes(words.size() * isa::kInstructionBytes);
  for (size_t i = 0; i < words.size(); ++i)
    isa::StoreWord(words[i], &bytes[i * isa::kInstructionBytes]);
  return bytes;
}

std::vector<uint8_t> EncodeKernels(const isa::Layout& layout, const TaskProgram& program) {
  std::vector<uint8_t> bytes;
  for (const UopKernel& kernel : program.kernels)
    for (const isa::Uop& uop : kernel) {
      const uint32_t word = isa::EncodeUop(layout, uop);
      for (int shift = 0; shift < isa::kUopBits; shift += 8)
        bytes.push_back(static_cast<uint8_t>(word >> shift));
    }
  return bytes;
}

ProgramStats CountStats(const isa::Config& config, const TaskProgram& program) {
  ProgramStats stats;
  for (const Task& task : program.tasks) {
    ++stats.instructions[static_cast<int>(ModuleOf(program, task))];
    if (const Dma* dma = std::get_if<Dma>(&task.op)) {
      const isa::MemorySpec& memory = MemoryOf(program, *dma);
      stats.dram_bytes[static_cast<int>(memory.code)] +=
          dma->y_size * dma->x_size * memory.dram_element_bytes(config);
    }
    const LoopNest* nest = NestOf(task);
    if (!nest) continue;
    stats.uops += Trips(program, *nest);
    const Gemm* gemm = std::get_if<Gemm>(&task.op);
    if (gemm && gemm->writes != GemmWrites::kZero)
      stats.macs += Trips(program, *nest) * config.macs_per_cycle();
  }
  return stats;
}

}  // namespace vta::compiler::targets
