#include <algorithm>

#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/task.h"
#include "isa/codec.h"
#include "isa/spec/requant.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::compiler::targets {
namespace {

class Verifier {
 public:
  Verifier(const isa::Config& config, const TaskProgram& program)
      : layout_(config), program_(program) {}

  void Check(const Task& task, const std::string& where) {
    where_ = where;
    if (const Dma* dma = std::get_if<Dma>(&task.op)) CheckDma(*dma);
    Task placed = task;
    if (LoopNest* nest = NestOf(placed)) {
      CheckNest(placed, *nest);
      if (nest->uop_begin < 0) nest->uop_begin = 0;
    }
    const isa::Instruction instruction = ToInstruction(layout_.config(), program_, placed);
    const isa::Fault fault = isa::DecodeFault(layout_.config(), instruction);
    if (fault != isa::Fault::kNone)
      throw Error(where_, "", PrintTask(program_, task), std::string(isa::Spec(fault).meaning));
    try {
      isa::Encode(layout_, instruction);
    } catch (const Error& error) {
      throw error.In(where_);
    }
  }

 private:
  const isa::Arch& arch() const { return layout_.config().arch; }

  void Require(bool holds, const std::string& what, int64_t value, const std::string& rule) const {
    if (!holds) throw Error(where_, what, std::to_string(value), rule);
  }

  void CheckDma(const Dma& dma) const {
    const DramTensor& tensor = program_.tensors[dma.tensor];
    const isa::MemorySpec* memory = isa::FindMemory(arch(), static_cast<int64_t>(tensor.element));
    Require(memory && (dma.store ? memory->storable : memory->loadable), "memory type",
            static_cast<int64_t>(tensor.element), "this config cannot move it that way");
    Require(dma.x_size > 0 && dma.y_size > 0, "size", dma.y_size * dma.x_size,
            "must be positive: a task that moves nothing is a nop");
    Require(dma.dram >= 0, "first element", dma.dram, "must not be negative");
    const int64_t end = dma.dram + (dma.y_size - 1) * dma.x_stride + dma.x_size;
    Require(end <= tensor.elems, "end in " + tensor.name, end,
            StrCat("the tensor has ", Counted(tensor.elems, "element")));
    const int64_t depth = isa::DepthOf(arch(), *memory);
    Require(dma.sram >= 0 && dma.sram + dma.SramRows() <= depth, "end in scratchpad",
            dma.sram + dma.SramRows(), StrCat(memory->name, " holds ", depth));
  }

  void CheckIndex(const char* what, int64_t index, int64_t depth) const {
    Require(index < depth, what, index, StrCat("must be below ", depth));
  }

  void CheckNest(const Task& task, const LoopNest& nest) const {
    const UopKernel& kernel = program_.kernels[nest.kernel];
    Require(!kernel.empty() && nest.iter_out > 0 && nest.iter_in > 0, "trips",
            nest.iter_out * nest.iter_in, "a loop nest must not be empty");
    Require(nest.uop_begin + static_cast<int64_t>(kernel.size()) <= arch().uop_depth, "micro-ops",
            static_cast<int64_t>(kernel.size()),
            StrCat("micro-op memory holds ", arch().uop_depth));
    const int64_t o = nest.iter_out - 1, i = nest.iter_in - 1;
    const Gemm* gemm = std::get_if<Gemm>(&task.op);
    const Alu* alu = std::get_if<Alu>(&task.op);
    for (const isa::Uop& uop : kernel) {
      CheckIndex("dst", uop.dst + o * nest.dst_out + i * nest.dst_in, arch().acc_depth);
      const int64_t src = uop.src + o * nest.src_out + i * nest.src_in;
      if (gemm && gemm->writes != GemmWrites::kZero) {
        CheckIndex("src", src, arch().inp_depth);
        CheckIndex("wgt", uop.wgt + o * nest.wgt_out + i * nest.wgt_in, arch().wgt_depth);
      }
      if (alu && !alu->use_imm)
        CheckIndex("src", src + (Requantises(alu->op) ? isa::kRequantRows - 1 : 0),
                   arch().acc_depth);
    }
  }

  isa::Layout layout_;
  const TaskProgram& program_;
  std::string where_;
};

}  // namespace

void VerifyTasks(const isa::Config& config, const TaskProgram& program) {
  Verifier verifier(config, program);
  for (size_t i = 0; i < program.tasks.size(); ++i)
    verifier.Check(program.tasks[i], StrCat(program.name, ": task ", i));
}

}  // namespace vta::compiler::targets
