#include "compiler/targets/vta/space.h"

#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/interleave.h"
#include "isa/codec.h"

namespace vta::compiler::targets {

TaskProgram TasksOf(const isa::Config& config, const loop::Function& scheduled,
                    isa::Rounding rounding, const SparseConstants& sparse,
                    const std::optional<PhasePlaces>& phases) {
  TaskProgram program = LowerTasks(config, scheduled, rounding, sparse, phases);
  InterleaveTiles(config, &program);
  return program;
}

TaskProgram VtaSpace::Tasks(const tune::Point& point) const {
  return TasksOf(config_, steps_->Schedule(point).function(), rounding_, steps_->sparse(),
                 steps_->phases());
}

tune::Trial VtaSpace::Try(const tune::Point& point) const {
  TaskProgram program = Tasks(point);
  auto kept = std::make_shared<JoinableTasks>();
  kept->tasks = std::make_shared<const TaskProgram>(program);
  const int64_t end = PlaceTensors(config_, UopBytes(program), &program);
  ConnectTasks(config_, 0, &program);
  const isa::Layout layout(config_);
  ProgramCode out;
  out.code = CodeBytes(EncodeTasks(layout, program));
  out.constants = EncodeKernels(layout, program);
  out.joinable = std::move(kept);
  return {std::move(out), end};
}

}  // namespace vta::compiler::targets
