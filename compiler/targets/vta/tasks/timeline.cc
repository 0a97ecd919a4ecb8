#include "compiler/targets/vta/tasks/timeline.h"

#include <algorithm>
#include <array>

#include "compiler/targets/vta/tasks/hazards.h"
#include "isa/spec/timing.h"

namespace vta::compiler::targets {
namespace {

int64_t NestCycles(const TaskProgram& program, const LoopNest& nest, bool requantises) {
  const UopKernel& kernel = program.kernels[nest.kernel];
  const int64_t uops = nest.iter_out * nest.iter_in * std::ssize(kernel);
  if (!requantises) return uops;
  const bool one = std::ranges::all_of(
      kernel, [&](const isa::Uop& uop) { return uop.src == kernel.front().src; });
  const int64_t blocks = !one || nest.src_in ? uops : nest.src_out ? nest.iter_out : 1;
  return uops + blocks * (isa::timing::kRequantBlockCycles + isa::timing::kRequantDrainCycles);
}

}  // namespace

int64_t CyclesOf(const isa::Config& config, const TaskProgram& program, const Task& task) {
  if (const LoopNest* nest = NestOf(task)) {
    const Alu* alu = std::get_if<Alu>(&task.op);
    return NestCycles(program, *nest, alu && Requantises(alu->op));
  }
  const Dma* dma = std::get_if<Dma>(&task.op);
  if (!dma) return 0;
  return dma->y_size * dma->x_size * MemoryOf(program, *dma).dram_element_bytes(config) /
         std::min(config.memory.bytes_per_cycle, config.uarch.bus_bits / 8);
}

Timeline TimelineOf(const isa::Config& config, const TaskProgram& program, RowSets* rows) {
  const std::vector<Need> needs = FindHazards(config, program, rows);
  std::array<int64_t, isa::kModules> free = {};
  Timeline line;
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    int64_t& own = free[static_cast<size_t>(ModuleOf(program, program.tasks[i]))];
    int64_t begin = own;
    for (const int64_t need : needs[i])
      if (need >= 0) begin = std::max(begin, line.end[need]);
    own = begin + CyclesOf(config, program, program.tasks[i]);
    line.begin.push_back(begin);
    line.end.push_back(own);
  }
  return line;
}

}  // namespace vta::compiler::targets
