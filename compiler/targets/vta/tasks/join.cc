#include "compiler/targets/vta/tasks/join.h"

#include <algorithm>

#include "compiler/targets/vta/tasks/emit.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

namespace {

/// Up to its first GEMM or ALU task.
std::vector<Task> InputsLast(const TaskProgram& program) {
  std::vector<Task> tasks = program.tasks;
  const auto first = std::ranges::find_if(tasks, [](const Task& task) { return NestOf(task); });
  std::stable_partition(tasks.begin(), first, [&](const Task& task) {
    const Dma* const dma = std::get_if<Dma>(&task.op);
    return !dma || program.tensors[dma->tensor].element != isa::MemoryType::kInp;
  });
  return tasks;
}

}  // namespace

JoinedTasks JoinTasks(std::span<const PlacedTasks> programs) {
  TaskBuilder joined(programs.front().program->name);
  std::vector<int64_t> counts;
  for (size_t part = 0; part < programs.size(); ++part) {
    const auto& [own, offsets] = programs[part];
    const TaskProgram& program = *own;
    std::vector<int64_t> tensors, kernels;
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      DramTensor tensor = program.tensors[i];
      tensor.name = StrCat("layer", part, "_", tensor.name);
      tensor.offset_bytes = offsets[i];
      tensors.push_back(joined.AddTensor(std::move(tensor)));
    }
    for (const UopKernel& kernel : program.kernels) kernels.push_back(joined.Intern(kernel));
    for (Task task : InputsLast(program)) {
      if (std::holds_alternative<Finish>(task.op)) continue;
      if (Dma* dma = std::get_if<Dma>(&task.op)) dma->tensor = tensors[dma->tensor];
      if (LoopNest* nest = NestOf(task)) nest->kernel = kernels[nest->kernel];
      std::visit([&](auto& op) { joined.Add(std::move(op)); }, task.op);
    }
    counts.push_back(std::ssize(program.tasks) - 1);
  }
  joined.Add(Finish{});
  return {std::move(joined).Take(), std::move(counts)};
}

std::vector<int64_t> PartStarts(std::span<const int64_t> counts, const TaskProgram& finished) {
  const auto is_inserted = [&](const Task& task) {
    const Dma* const dma = std::get_if<Dma>(&task.op);
    return std::holds_alternative<Nop>(task.op) ||
           (dma && finished.tensors[dma->tensor].name == kUopTensor);
  };
  std::vector<int64_t> starts = {0};
  int64_t left = counts[0];  // of the part
  for (int64_t i = 0; i < std::ssize(finished.tasks); ++i) {
    if (left == 0 && starts.size() < counts.size()) {
      left = counts[starts.size()];
      starts.push_back(i);
    }
    left -= is_inserted(finished.tasks[i]) ? 0 : 1;
  }
  VTA_CHECK(starts.size() == counts.size() && left == -1, starts.size(), " ", left);
  return starts;
}

}  // namespace vta::compiler::targets
