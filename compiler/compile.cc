#include "compiler/compile.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/choose_schedules.h"
#include "compiler/graph/facts.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/own_memory.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/graph/work.h"
#include "compiler/kernel_modules.h"
#include "compiler/output_facts.h"

namespace vta::compiler {
namespace {

constexpr int64_t kConstantAlignment = 4096;

isa::ElementType ElementTypeOf(const std::string& name, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return isa::ElementType::kBool;
    case DType::kInt8:
      return isa::ElementType::kInt8;
    case DType::kUint8:
      return isa::ElementType::kUint8;
    case DType::kInt16:
      return isa::ElementType::kInt16;
    case DType::kInt32:
      return isa::ElementType::kInt32;
    case DType::kInt64:
      return isa::ElementType::kInt64;
    case DType::kFloat32:
      return isa::ElementType::kFloat32;
    default:
      throw Error(name, "element type", std::string(Name(dtype)), "no target computes with it");
  }
}

// The alignment of every tensor: a line of a CPU's cache; and each element that a program may load
// there, of weights where some are made when it runs, starts at a multiple of its size.
int64_t TensorAlignment(const std::optional<isa::Config>& config, const Graph& graph) {
  constexpr int64_t kLine = 64;
  if (!config) return kLine;
  const bool makes_weights =
      std::ranges::find(graph.nodes(), Op::kMatMulI8, &Node::op) != graph.nodes().end();
  return std::max({kLine, config->inp_bytes(), config->out_bytes(), config->acc_bytes(),
                   makes_weights ? config->wgt_bytes() : kLine});
}

/// Activations in blocks that programs alone make and read, but for one concatenation, which may be
/// none: elements are all that they want whole.
LooseValues LooseBlocks(const CompileOptions& options, const Graph& graph,
                        std::span<const Step> steps) {
  if (!options.config) return {};
  constexpr size_t kBlocked = 6;
  LooseValues loose{std::vector<bool>(graph.values().size()),
                    std::max(options.config->inp_bytes(), options.config->out_bytes())};
  const auto has_programs = [&](const Step& step) {
    const auto target = std::ranges::find(options.targets, step.target, &CodeTarget::Name);
    return target != options.targets.end() && (*target)->Layout().has_value();
  };
  const auto is_concat = [&](const Step& step) {
    return step.nodes.size() == 1 && graph.nodes()[step.nodes[0]].op == Op::kConcat;
  };
  for (const Step& step : steps) {
    const ValueId made = graph.nodes()[step.nodes.back()].output;
    loose.are[made] =
        graph.shape(made).size() == kBlocked && (has_programs(step) || is_concat(step));
  }
  std::vector<bool> joined(graph.values().size());
  for (const Step& step : steps)
    for (const NodeId node : step.nodes)
      for (const ValueId input : graph.nodes()[node].inputs) {
        if (has_programs(step)) continue;
        if (!is_concat(step) || joined[input]) loose.are[input] = false;
        joined[input] = true;
      }
  for (const GraphOutput& output : graph.outputs()) loose.are[output.value] = false;
  return loose;
}

std::set<std::string> WithOwnMemory(std::span<const CodeTarget* const> targets) {
  std::set<std::string> names;
  for (const CodeTarget* target : targets)
    if (target->HasOwnMemory()) names.insert(target->Name());
  return names;
}

/// What lies in a GPU's memory, while the package grows.
struct GpuPart {
  AlignedBytes constants;
  /// Tensors: those among the constants, by offsets from the first of these, and those by offsets
  /// of the plan.
  std::vector<int64_t> constant, made;
};

class PackageBuilder {
 public:
  PackageBuilder(const Graph& graph, const CompileOptions& options, DumpFolder& dumps)
      : graph_(graph),
        options_(options),
        dumps_(dumps),
        steps_(Steps(graph)),
        own_memory_(WithOwnMemory(options.targets)),
        on_gpu_(LieInOwnMemory(graph, own_memory_)),
        alignment_(TensorAlignment(options.config, graph)),
        in_place_(FindInPlace(graph, steps_, alignment_, LooseBlocks(options, graph, steps_))),
        plan_(PlanMemory(graph, steps_, alignment_, in_place_, on_gpu_)) {
    package_.model = graph.name();
    package_.config = options.config;
    package_.constants_offset_bytes = AlignUp(plan_.first_bytes, kConstantAlignment);
    size_t constants = 0;
    for (const Value& value : graph.values())
      if (value.constant) constants += value.constant->bytes().size();
    package_.constants.reserve(2 * constants);  // about those of steps and of launches
  }

  CompileResult Build() && {
    dumps_.Write("memory_plan.txt", Print(graph_, plan_));
    const std::vector<StepInterface> interfaces = Interfaces(graph_, steps_);
    RequireTraced();
    const std::vector<std::optional<tune::Point>> points = ChoosePoints(interfaces);
    for (size_t i = 0; i < steps_.size(); ++i) {
      SayPhase(StrCat("compiling ", NameOf(steps_[i])));
      if (!in_place_.Covers(graph_, steps_[i])) AddStep(steps_[i], interfaces[i], points[i]);
    }
    AddLaunches();
    for (ValueId input : graph_.inputs()) package_.inputs.push_back(TensorIndex(input));
    for (const GraphOutput& output : graph_.outputs())
      package_.outputs.push_back(OutputIndex(output));
    package_.arena_bytes = ConstantsEnd();
    AddGpuPart();
    kernels_.AddTo(&package_, options_, [this](int64_t kernels) {
      SayPhase(StrCat("generating ", kernels, " kernels"));
    });
    isa::ValidatePackage(package_, graph_.name());
    return {std::move(package_), std::move(kernels_).Functions()};
  }

 private:
  int64_t ConstantsEnd() const {
    return package_.constants_offset_bytes + static_cast<int64_t>(package_.constants.size());
  }

  // Of the passes, the steps and the modules the next.
  void SayPhase(const std::string& what) {
    if (options_.on_phase)
      options_.on_phase(
          what, ++phase_,
          std::ssize(steps_) * (options_.choosers.empty() ? 1 : 2) + std::ssize(options_.cpus) + 1);
  }

  // Appends constants at an aligned offset of the arena and returns that offset.
  int64_t AddConstants(std::span<const uint8_t> bytes, int64_t alignment) {
    const int64_t begin = AlignUp(std::ssize(package_.constants), alignment);
    package_.constants.resize(begin + std::ssize(bytes));
    std::copy_n(bytes.data(), bytes.size(), package_.constants.data() + begin);
    return package_.constants_offset_bytes + begin;
  }

  // Of a constant the one in the memory of who reads it.
  int64_t TensorIndex(ValueId value, bool for_gpu = false) {
    const Tensor* constant = graph_.constant(value);
    const auto [it, fresh] = index_.try_emplace({value, constant && for_gpu},
                                                static_cast<int64_t>(package_.tensors.size()));
    if (!fresh) return it->second;
    const std::string& name = graph_.value(value).name;
    if (constant) return AddConstant(name, *constant, graph_.value(value).stored().shape, for_gpu);
    const PlannedTensor* planned = plan_.Find(value);
    VTA_CHECK(planned, name);
    const TensorType stored = graph_.value(value).stored();
    package_.tensors.push_back(
        {name, ElementTypeOf(name, stored.dtype), stored.shape, planned->offset_bytes});
    if (on_gpu_[value]) gpu_.made.push_back(it->second);
    return it->second;
  }

  int64_t InputIndex(const KernelInput& input, bool for_gpu) {
    if (const ValueId* value = std::get_if<ValueId>(&input)) return TensorIndex(*value, for_gpu);
    const auto& [name, tensor] = std::get<KernelConstant>(input);
    return AddConstant(name, tensor, tensor.shape(), for_gpu);
  }

  int64_t AddConstant(const std::string& name, const Tensor& tensor, const Shape& shape,
                      bool for_gpu) {
    const auto index = static_cast<int64_t>(package_.tensors.size());
    int64_t offset = 0;
    if (for_gpu) {
      gpu_.constants.resize(AlignUp(std::ssize(gpu_.constants), alignment_));
      offset = std::ssize(gpu_.constants);
      gpu_.constants.insert(gpu_.constants.end(), tensor.bytes().begin(), tensor.bytes().end());
      gpu_.constant.push_back(index);
    } else {
      offset = AddConstants(tensor.bytes(), alignment_);
    }
    package_.tensors.push_back({name, ElementTypeOf(name, tensor.dtype()), shape, offset});
    return index;
  }

  // Behind all else, its constants first.
  void AddGpuPart() {
    if (gpu_.made.empty() && gpu_.constant.empty()) return;
    // A tensor without bytes may lie where the host's part ends.
    const bool has_host = package_.tensors.size() > gpu_.made.size() + gpu_.constant.size();
    const int64_t begin = AlignUp(ConstantsEnd() + (has_host ? 1 : 0), kConstantAlignment);
    package_.gpu_offset_bytes = begin;
    package_.constants.resize(begin - package_.constants_offset_bytes);
    package_.constants.insert(package_.constants.end(), gpu_.constants.begin(),
                              gpu_.constants.end());
    for (const int64_t tensor : gpu_.constant) package_.tensors[tensor].offset_bytes += begin;
    const int64_t made = AlignUp(ConstantsEnd(), kConstantAlignment);
    for (const int64_t tensor : gpu_.made)
      package_.tensors[tensor].offset_bytes += made - plan_.first_bytes;
    package_.arena_bytes = made + plan_.arena_bytes - plan_.first_bytes;
  }

  // A tensor with the output's name: passes may have renamed its value, inputs keep theirs, and
  // outputs may share one value.
  int64_t OutputIndex(const GraphOutput& output) {
    const int64_t index = TensorIndex(output.value);
    isa::PackageTensor& tensor = package_.tensors[index];
    if (tensor.name == output.name) return index;
    const auto holds = [&](const std::vector<int64_t>& list) {
      return std::find(list.begin(), list.end(), index) != list.end();
    };
    if (!holds(package_.inputs) && !holds(package_.outputs)) {
      tensor.name = output.name;
      return index;
    }
    isa::PackageTensor twin = tensor;
    twin.name = output.name;
    package_.tensors.push_back(std::move(twin));
    const int64_t second = std::ssize(package_.tensors) - 1;
    for (std::vector<int64_t>* list : {&gpu_.made, &gpu_.constant})
      if (std::ranges::count(*list, index) > 0) list->push_back(second);
    return second;
  }

  // Of every step.
  std::vector<std::optional<tune::Point>> ChoosePoints(std::span<const StepInterface> interfaces) {
    std::vector<StepToChoose> to_choose;
    std::vector<size_t> places;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (in_place_.Covers(graph_, steps_[i])) continue;
      places.push_back(i);
      const auto chooser =
          IsCopy(steps_[i]) ? options_.choosers.end() : options_.choosers.find(steps_[i].target);
      to_choose.push_back({steps_[i], TargetOf(steps_[i]),
                           chooser == options_.choosers.end() ? nullptr : chooser->second,
                           NameOf(steps_[i]), FactsOf(graph_, steps_[i]).macs,
                           PlacesOf(interfaces[i]), TraceOf(steps_[i]) != nullptr});
    }
    StepAddresses addresses = Addresses();
    addresses.constants = package_.constants_offset_bytes;
    const auto chosen = ChooseSchedules(graph_, to_choose, addresses, [&](size_t i) {
      if (!options_.choosers.empty()) SayPhase(StrCat("scheduling ", to_choose[i].name));
    });
    std::vector<std::optional<tune::Point>> points(steps_.size());
    for (size_t i = 0; i < places.size(); ++i) points[places[i]] = chosen[i];
    return points;
  }

  // Of the tensors that a step shares with others.
  std::vector<int64_t> PlacesOf(const StepInterface& interface) const {
    std::vector<int64_t> places;
    for (const auto* values : {&interface.inputs, &interface.outputs})
      for (const ValueId value : *values)
        if (const PlannedTensor* const planned = plan_.Find(value))
          places.push_back(planned->offset_bytes);
    return places;
  }
  const ScheduleTrace* TraceOf(const Step& step) const {
    for (const NodeId node : step.nodes)
      if (const auto found = options_.traces.find(graph_.nodes()[node].name);
          found != options_.traces.end())
        return &found->second;
    return nullptr;
  }
  // Errors: throws Error at a trace of no step.
  void RequireTraced() const {
    for (const auto& [name, trace] : options_.traces) {
      const auto has = [&, wanted = &name](const Step& step) {
        return !in_place_.Covers(graph_, step) && std::ranges::any_of(step.nodes, [&](NodeId node) {
          return graph_.nodes()[node].name == *wanted;
        });
      };
      if (std::ranges::none_of(steps_, has))
        throw Error(trace.file, "node", name, "must be one of the network's steps");
    }
  }
  StepCode CompileStep(const Step& step, const StepAddresses& addresses,
                       const std::optional<tune::Point>& point) const {
    const CodeTarget& target = TargetOf(step);
    if (const ScheduleTrace* const trace = TraceOf(step)) {
      try {
        return target.Compile(graph_, step, addresses, {.trace = &trace->text});
      } catch (const Error& error) {
        const Error at = error.In(StrCat(trace->file, ": ", NameOf(step)));
        if (!options_.on_unusable_trace) throw at;
        options_.on_unusable_trace(at.what());
      }
    }
    return target.Compile(graph_, step, addresses, {.point = point ? &*point : nullptr});
  }

  const std::string& NameOf(const Step& step) const {
    return graph_.nodes()[step.nodes.front()].name;
  }
  /// Why the step's target has it: of its first node that computes, or of the first of all.
  const std::string& ReasonOf(const Step& step) const {
    constexpr Op kConversions[] = {Op::kCast,     Op::kQuantize, Op::kDequantize,
                                   Op::kFlipSign, Op::kPack,     Op::kUnpack};
    const auto computes = std::ranges::find_if(step.nodes, [&](NodeId id) {
      const Op op = graph_.nodes()[id].op;
      return !MovesData(op) && std::ranges::find(kConversions, op) == std::end(kConversions);
    });
    return graph_.nodes()[computes == step.nodes.end() ? step.nodes.front() : *computes].why;
  }
  StepAddresses Addresses() const {
    StepAddresses addresses;
    addresses.tensor = [this](ValueId value) {
      const PlannedTensor* planned = plan_.Find(value);
      VTA_CHECK(planned, graph_.value(value).name);
      return planned->offset_bytes;
    };
    return addresses;
  }

  void AddStep(const Step& step, const StepInterface& interface,
               const std::optional<tune::Point>& point) {
    const Node& first = graph_.nodes()[step.nodes.front()];
    isa::PackageStep out;
    out.name = first.name;
    out.facts = FactsOf(graph_, step);
    out.facts.why = ReasonOf(step);
    StepAddresses addresses = Addresses();
    addresses.constants = AlignUp(ConstantsEnd(), kConstantAlignment);
    for (ValueId value : interface.outputs) out.outputs.push_back(TensorIndex(value));
    if (IsCopy(step)) {
      out.kind = isa::PackageStep::Kind::kCopy;
      out.inputs.push_back(TensorIndex(first.inputs[0]));
      package_.steps.push_back(std::move(out));
      return;
    }
    const StepCode code = CompileStep(step, addresses, point);
    if (const ProgramCode* program = std::get_if<ProgramCode>(&code)) {
      out.kind = isa::PackageStep::Kind::kProgram;
      out.program = AddProgram(program->code, program->constants, program->dumps);
      joinable_.resize(package_.steps.size() + 1);
      joinable_.back() = {&TargetOf(step), program->joinable};
      out.facts.bounds = program->bounds;
      out.facts.off_by = program->off_by;
      for (ValueId value : interface.inputs)
        if (!graph_.constant(value)) out.inputs.push_back(TensorIndex(value));
    } else {
      const KernelCode& kernel = std::get<KernelCode>(code);
      out.kind = isa::PackageStep::Kind::kKernel;
      out.facts.work = WorkOf(graph_, step);
      const bool for_gpu = own_memory_.contains(step.target);
      out.kernel = kernels_.Add(kernel.functions, for_gpu);
      if (!kernel.method.empty())
        out.facts.why += StrCat(out.facts.why.empty() ? "" : "; ", kernel.method);
      for (const KernelInput& input : kernel.inputs)
        out.inputs.push_back(InputIndex(input, for_gpu));
    }
    package_.steps.push_back(std::move(out));
  }

  bool IsCopy(const Step& step) const { return graph_.nodes()[step.nodes.front()].op == Op::kCopy; }

  const CodeTarget& TargetOf(const Step& step) const {
    for (const CodeTarget* target : options_.targets)
      if (target->Name() == step.target) return *target;
    CheckFailed(__FILE__, __LINE__, "a target", step.target);
  }

  int64_t AddProgram(std::span<const uint8_t> code, std::span<const uint8_t> constants,
                     const Dumps& dumps) {
    AddConstants(constants, kConstantAlignment);
    const auto program = static_cast<int64_t>(package_.programs.size());
    if (dumps_.on() && dumps)
      for (const Dump& dump : dumps())
        dumps_.Write(StrCat("program", program, "_", dump.stage, ".txt"), dump.text);
    package_.programs.push_back({std::ssize(package_.code) / isa::kInstructionBytes,
                                 std::ssize(code) / isa::kInstructionBytes});
    package_.code.insert(package_.code.end(), code.begin(), code.end());
    return program;
  }

  // Steps of one target that follow each other run in one launch.
  void AddLaunches() {
    joinable_.resize(package_.steps.size());
    for (size_t begin = 0, end; begin < joinable_.size(); begin = end) {
      end = begin + 1;
      if (!joinable_[begin].program) continue;
      std::vector<const Joinable*> programs = {joinable_[begin].program.get()};
      for (; end < joinable_.size() && joinable_[end].program &&
             joinable_[end].target == joinable_[begin].target;
           ++end)
        programs.push_back(joinable_[end].program.get());
      if (programs.size() < 2) continue;
      const int64_t constants = AlignUp(ConstantsEnd(), kConstantAlignment);
      const std::optional<JoinedCode> joined =
          joinable_[begin].target->Join(programs, constants, false);
      if (joined)
        package_.launches.push_back({static_cast<int64_t>(begin),
                                     AddProgram(joined->code, joined->constants, joined->dumps),
                                     joined->starts});
    }
  }

  const Graph& graph_;
  const CompileOptions& options_;
  DumpFolder& dumps_;
  std::vector<Step> steps_;
  const std::set<std::string> own_memory_;  // targets
  const std::vector<bool> on_gpu_;          // values
  const int64_t alignment_;                 // of tensors
  InPlace in_place_;
  MemoryPlan plan_;
  isa::Package package_;
  GpuPart gpu_;
  std::map<std::pair<ValueId, bool>, int64_t> index_;  // of a constant for a GPU the second
  KernelModules kernels_{dumps_};
  struct OfTarget {
    const CodeTarget* target = nullptr;
    std::shared_ptr<const Joinable> program;  // null of a step that no launch can share
  };
  std::vector<OfTarget> joinable_;  // of each step
  int64_t phase_ = 1;               // the passes are done
};

std::function<void(std::string_view, const Graph&)> Dumping(DumpFolder& dumps) {
  return [&dumps](std::string_view pass, const Graph& after) {
    if (dumps.on()) dumps.Write(StrCat(pass, ".txt"), Print(after));
  };
}

/// From the integer normal form on.
CompileResult Build(Graph normalized, const CompileOptions& options, DumpFolder& dumps) {
  std::vector<const Target*> targets(options.targets.begin(), options.targets.end());
  PassContext context;
  if (!targets.empty() && targets.back()->TakesRest()) {
    context.rest = targets.back();
    targets.pop_back();
  }
  context.targets = targets;
  context.places = options.places;
  const Graph placed =
      RunPasses(std::move(normalized), PlacementPipeline(), context, Dumping(dumps));
  return PackageBuilder(placed, options, dumps).Build();
}

}  // namespace

CompileResult Compile(const Graph& imported, const CompileOptions& options) {
  DumpFolder dumps(options.dump_dir);
  Graph graph = imported;
  if (options.rounding) graph.set_rounding(*options.rounding);
  if (dumps.on()) dumps.Write("import.txt", Print(graph));
  if (options.on_phase) options.on_phase("passes over the graph", 1, 1);
  graph = RunPasses(std::move(graph), NormalizePipeline(), {}, Dumping(dumps));
  CompileResult result = Build(std::move(graph), options, dumps);
  result.package.output_facts = OutputFactsOf(imported);  // which passes may make tables of
  return result;
}

Graph Normalize(const Graph& imported) { return RunPasses(imported, NormalizePipeline(), {}); }

CompileResult CompileNormalized(Graph normalized, const CompileOptions& options) {
  DumpFolder none("");
  return Build(std::move(normalized), options, none);
}

}  // namespace vta::compiler
