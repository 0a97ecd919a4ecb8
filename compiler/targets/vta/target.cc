#include "compiler/targets/vta/target.h"

#include <map>

#include "compiler/targets/vta/bounds.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/plan.h"
#include "compiler/targets/vta/space.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/join.h"
#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

/// The element size of every memory type is a power of two, so the largest serves all.
int64_t ConstantAlignment(const isa::Config& config) {
  int64_t most = 1;
  for (const isa::MemorySpec& memory : isa::kMemories)
    most = std::max(most, memory.dram_element_bytes(config));
  return most;
}

/// A step's tasks in their order, each of its tensors where it is linked.
struct JoinableTasks : Joinable {
  explicit JoinableTasks(TaskProgram tasks) : program(std::move(tasks)) {}
  TaskProgram program;
};

}  // namespace

std::optional<ActivationBlocks> VtaTarget::Layout() const {
  return ActivationBlocks{config_.arch.batch, ChannelBlocks(config_).channels};
}

bool VtaTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  try {
    RequireStep(config_, graph, group, hiding_);
  } catch (const Error& error) {
    if (why) *why = Error("", error.subject(), error.value(), error.rule()).what();
    return false;
  }
  return true;
}

std::unique_ptr<tune::Space> VtaTarget::SpaceOf(const Graph& graph,
                                                const compiler::Step& step) const {
  std::unique_ptr<StepSpace> steps = targets::SpaceOf(config_, graph, step.nodes, hiding_);
  if (!steps) return nullptr;
  const int64_t bound = BoundsOf(config_, graph, step).machine;
  return std::make_unique<VtaSpace>(config_, graph.rounding(), bound, std::move(steps));
}

StepCode VtaTarget::Compile(const Graph& graph, const compiler::Step& step,
                            const StepAddresses& addresses, const tune::Decision& decision) const {
  StepPlan plan = PlanStep(config_, graph, step.nodes, hiding_, decision);
  TaskProgram program =
      TasksOf(config_, plan.schedule.function(), graph.rounding(), plan.sparse, plan.phases);
  for (auto& [name, bytes] : plan.constants)
    if (const auto found = plan.sparse.find(name); found != plan.sparse.end())
      bytes = found->second.Pack(bytes);
  TaskProgram ordered = program;
  ConnectAlone(config_, &program);
  const isa::Layout layout(config_);
  plan.constants.emplace_back(kUopTensor, EncodeKernels(layout, program));

  ProgramCode out;
  std::map<std::string, int64_t> offsets;
  for (const auto& [name, value] : plan.tensors) offsets[name] = addresses.tensor(value);
  const int64_t alignment = ConstantAlignment(config_);
  for (const auto& [name, bytes] : plan.constants) {
    const int64_t end = static_cast<int64_t>(out.constants.size());
    out.constants.resize((end + alignment - 1) / alignment * alignment);
    offsets[name] = addresses.constants + static_cast<int64_t>(out.constants.size());
    out.constants.insert(out.constants.end(), bytes.begin(), bytes.end());
  }
  out.code = CodeBytes(LinkTasks(layout, program, offsets));
  out.dumps = {{"definition", loop::Print(plan.definition)},
               {"schedule", StrCat(plan.decisions.empty() ? "" : StrCat("# ", plan.decisions, "\n"),
                                   plan.schedule.TraceText())},
               {"scheduled", loop::Print(plan.schedule.function())},
               {"tasks", PrintTasks(program)}};
  out.bounds = BoundsOf(config_, graph, step);
  for (DramTensor& tensor : ordered.tensors) tensor.offset_bytes = offsets.at(tensor.name);
  out.joinable = std::make_shared<JoinableTasks>(std::move(ordered));
  return out;
}

std::shared_ptr<const Joinable> VtaTarget::Draft(const Graph& graph, const compiler::Step& step,
                                                 const tune::Space* space, const tune::Point* point,
                                                 const StepAddresses& addresses) const {
  TaskProgram program;
  std::vector<std::pair<std::string, ValueId>> tensors;
  if (const auto* own = dynamic_cast<const VtaSpace*>(space)) {
    program = own->Tasks(*point);
    tensors = own->steps().Tensors();
  } else {
    const StepPlan plan = PlanStep(config_, graph, step.nodes, hiding_);
    program =
        TasksOf(config_, plan.schedule.function(), graph.rounding(), plan.sparse, plan.phases);
    tensors = plan.tensors;
  }
  PlaceTensors(config_, addresses.constants, &program);
  for (DramTensor& tensor : program.tensors)
    for (const auto& [name, value] : tensors)
      if (tensor.name == name) tensor.offset_bytes = addresses.tensor(value);
  return std::make_shared<JoinableTasks>(std::move(program));
}

std::optional<JoinedCode> VtaTarget::Join(std::span<const Joinable* const> programs,
                                          int64_t constants) const {
  std::vector<const TaskProgram*> parts;
  for (const Joinable* program : programs)
    parts.push_back(&dynamic_cast<const JoinableTasks&>(*program).program);
  TaskProgram joined = JoinTasks(parts);
  ConnectTasks(config_, constants, &joined);
  const isa::Layout layout(config_);
  return JoinedCode{.code = CodeBytes(EncodeTasks(layout, joined)),
                    .constants = EncodeKernels(layout, joined),
                    .starts = PartStarts(parts, joined),
                    .end_bytes = EndOf(config_, joined),
                    .dumps = {{"tasks", PrintTasks(joined)}}};
}

}  // namespace vta::compiler::targets
