#include "compiler/targets/vta/tasks/task.h"

#include <algorithm>
#include <tuple>

#include "isa/support/error.h"

namespace vta::compiler::targets {

namespace {

const isa::MemorySpec& MemoryOf(const DramTensor& tensor) {
  for (const isa::MemorySpec& row : isa::kMemories)
    if (row.code == tensor.element) return row;
  VTA_CHECK(false, "memory type ", static_cast<int>(tensor.element));
}

}  // namespace

bool UopKernelLess::operator()(const UopKernel& a, const UopKernel& b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const isa::Uop& x, const isa::Uop& y) {
        return std::tie(x.dst, x.src, x.wgt) < std::tie(y.dst, y.src, y.wgt);
      });
}

int64_t TaskBuilder::AddTensor(DramTensor tensor) {
  program_.tensors.push_back(std::move(tensor));
  return static_cast<int64_t>(program_.tensors.size()) - 1;
}

int64_t TaskBuilder::Intern(const UopKernel& kernel) {
  const auto [it, fresh] = interned_.emplace(kernel, static_cast<int64_t>(program_.kernels.size()));
  if (fresh) program_.kernels.push_back(kernel);
  return it->second;
}

const isa::MemorySpec& MemoryOf(const TaskProgram& program, const Dma& dma) {
  return MemoryOf(program.tensors[dma.tensor]);
}

int64_t ElementBytes(const isa::Config& config, const DramTensor& tensor) {
  return MemoryOf(tensor).dram_element_bytes(config);
}

isa::Module ModuleOf(const TaskProgram& program, const Task& task) {
  if (const Dma* dma = std::get_if<Dma>(&task.op))
    return dma->store ? isa::Module::kStore : MemoryOf(program, *dma).load_module;
  if (const SetMode* set = std::get_if<SetMode>(&task.op))
    for (const isa::ModeSpec& row : isa::kModeTable)
      if (row.code == set->mode) return row.module;
  return isa::Module::kCompute;
}

const LoopNest* NestOf(const Task& task) {
  if (const Gemm* gemm = std::get_if<Gemm>(&task.op)) return &gemm->nest;
  if (const Alu* alu = std::get_if<Alu>(&task.op)) return &alu->nest;
  return nullptr;
}
LoopNest* NestOf(Task& task) {
  return const_cast<LoopNest*>(NestOf(static_cast<const Task&>(task)));
}

}  // namespace vta::compiler::targets
