#include "compiler/targets/vta/target.h"

#include <map>
#include <mutex>
#include <optional>

#include "compiler/loop/verify.h"
#include "compiler/targets/vta/bounds.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/workload.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/plan.h"
#include "compiler/targets/vta/space.h"
#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/join.h"
#include "compiler/targets/vta/tasks/prefetch.h"
#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

/// The element size of every memory type is a power of two, so the largest serves all.
int64_t ConstantAlignment(const isa::Config& config) {
  int64_t most = 1;
  for (const isa::MemorySpec& memory : isa::kMemories)
    if (isa::FindMemory(config.arch, static_cast<int64_t>(memory.code)))
      most = std::max(most, memory.dram_element_bytes(config));
  return most;
}

}  // namespace

/// What a step's plan makes, wherever its tensors lie.
struct VtaTarget::StepProgram {
  loop::Schedule schedule;
  std::shared_ptr<const TaskProgram> tasks;  // to be joined
  std::shared_ptr<const TaskProgram> alone;  // with its tokens, where it is a launch by itself
};

/// Programs of steps before, which those alike share. May be used by several threads at once.
class VtaTarget::KnownPrograms {
 public:
  std::optional<StepProgram> Find(const std::string& plan) const {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(plan);
    return found == programs_.end() ? std::nullopt : std::optional(found->second);
  }
  void Keep(const std::string& plan, const StepProgram& program) {
    const std::lock_guard lock(mutex_);
    programs_.emplace(plan, program);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, StepProgram> programs_;
};

VtaTarget::VtaTarget(isa::Config config, Hiding hiding, Use use,
                     std::shared_ptr<loop::StepMemos> memos)
    : config_(std::move(config)),
      hiding_(hiding),
      use_(use),
      known_(std::make_shared<KnownTilings>()),
      programs_(std::make_shared<KnownPrograms>()),
      memos_(memos ? std::move(memos) : std::make_shared<loop::StepMemos>()) {}

std::optional<ActivationBlocks> VtaTarget::Layout() const {
  return ActivationBlocks{config_.arch.batch, ChannelBlocks(config_).channels};
}

std::optional<ProductBlocks> VtaTarget::BlocksOfProduct(const Node& node) const {
  return MatrixBlocks(config_, node);
}

bool VtaTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  try {
    RequireStep(config_, graph, group, searching());
  } catch (const Error& error) {
    if (why) *why = Error("", error.subject(), error.value(), error.rule()).what();
    return false;
  }
  return true;
}

std::unique_ptr<tune::Space> VtaTarget::SpaceOf(const Graph& graph,
                                                const compiler::Step& step) const {
  std::unique_ptr<StepSpace> steps = targets::SpaceOf(config_, graph, step.nodes, searching());
  if (!steps) return nullptr;
  const int64_t bound = BoundsOf(config_, graph, step).machine;
  return std::make_unique<VtaSpace>(config_, graph.rounding(), bound, std::move(steps));
}

StepCode VtaTarget::Compile(const Graph& graph, const compiler::Step& step,
                            const StepAddresses& addresses, const tune::Decision& decision) const {
  StepPlan plan = PlanStep(config_, graph, step.nodes, searching(), decision);
  // Those whose lowering depends on values, or on other steps, are like none.
  const bool has_likes = plan.sparse.empty() && !plan.phases && !decision.trace;
  const std::string definition = StrCat(loop::Print(plan.definition), "# ",
                                        DescribeIntrinsics(config_, graph.rounding()), "\n"),
                    key = StrCat(definition, "# ", plan.decisions);
  std::optional<StepProgram> made = has_likes ? programs_->Find(key) : std::nullopt;
  if (!made) {
    made = Program(graph, plan, definition);
    if (has_likes) programs_->Keep(key, *made);
  }
  const TaskProgram& program = *made->alone;
  for (auto& [name, bytes] : plan.constants)
    if (const auto found = plan.sparse.find(name); found != plan.sparse.end())
      bytes = found->second.Pack(bytes);
  const auto joinable = std::make_shared<JoinableTasks>();
  joinable->tasks = made->tasks;
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
  out.dumps = [definition = plan.definition, decisions = plan.decisions, made = *made] {
    const std::string first = decisions.empty() ? "" : StrCat("# ", decisions, "\n");
    return std::vector<Dump>{{"definition", loop::Print(definition)},
                             {"schedule", first + made.schedule.TraceText()},
                             {"scheduled", loop::Print(made.schedule.function())},
                             {"tasks", PrintTasks(*made.alone)}};
  };
  out.bounds = BoundsOf(config_, graph, step);
  if (use_ == Use::kRun) out.off_by = OffBy(config_, graph, step.nodes);
  for (const DramTensor& tensor : joinable->tasks->tensors)
    joinable->offsets.push_back(offsets.at(tensor.name));
  out.joinable = joinable;
  return out;
}

VtaTarget::StepProgram VtaTarget::Program(const Graph& graph, const StepPlan& plan,
                                          const std::string& definition) const {
  StepProgram made{plan.schedule(memos_->Of(definition)), nullptr, nullptr};
  if (use_ == Use::kRun) loop::Verify(made.schedule.function());
  TaskProgram program =
      TasksOf(config_, made.schedule.function(), graph.rounding(), plan.sparse, plan.phases);
  made.tasks = std::make_shared<const TaskProgram>(program);
  ConnectAlone(config_, &program);
  if (use_ == Use::kRun) VerifyTasks(config_, program);
  made.alone = std::make_shared<const TaskProgram>(std::move(program));
  return made;
}

std::shared_ptr<const Joinable> VtaTarget::Draft(const Graph& graph, const compiler::Step& step,
                                                 const tune::Space* space, const tune::Point* point,
                                                 const Joinable* made,
                                                 const StepAddresses& addresses) const {
  auto draft = std::make_shared<JoinableTasks>();
  std::vector<std::pair<std::string, ValueId>> tensors;
  if (const auto* own = dynamic_cast<const VtaSpace*>(space)) {
    draft->tasks = made ? dynamic_cast<const JoinableTasks&>(*made).tasks
                        : std::make_shared<const TaskProgram>(own->Tasks(*point));
    tensors = own->steps().Tensors();
  } else {
    const StepPlan plan = PlanStep(config_, graph, step.nodes, searching());
    draft->tasks = std::make_shared<const TaskProgram>(TasksOf(
        config_, plan.schedule(nullptr).function(), graph.rounding(), plan.sparse, plan.phases));
    tensors = plan.tensors;
  }
  draft->offsets = OffsetsOf(config_, addresses.constants, *draft->tasks);
  for (size_t i = 0; i < draft->offsets.size(); ++i)
    for (const auto& [name, value] : tensors)
      if (draft->tasks->tensors[i].name == name) draft->offsets[i] = addresses.tensor(value);
  return draft;
}

std::optional<JoinedCode> VtaTarget::Join(std::span<const Joinable* const> programs,
                                          int64_t constants, bool is_trial) const {
  std::vector<PlacedTasks> parts;
  for (const Joinable* program : programs) {
    const auto& own = dynamic_cast<const JoinableTasks&>(*program);
    parts.push_back({own.tasks.get(), own.offsets});
  }
  JoinedTasks all = JoinTasks(parts);
  PrefetchWeights(config_, &all);
  TaskProgram& joined = all.program;
  ConnectTasks(config_, constants, &joined);
  if (!is_trial && use_ == Use::kRun) VerifyTasks(config_, joined);
  const isa::Layout layout(config_);
  JoinedCode out{.code = CodeBytes(EncodeTasks(layout, joined)),
                 .constants = EncodeKernels(layout, joined),
                 .starts = PartStarts(all.counts, joined),
                 .end_bytes = EndOf(config_, joined)};
  out.dumps = [joined = std::move(joined)] {
    return std::vector<Dump>{{"tasks", PrintTasks(joined)}};
  };
  return out;
}

}  // namespace vta::compiler::targets
