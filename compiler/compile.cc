#include "compiler/compile.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "compiler/graph/facts.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/targets/host/host.h"
#include "isa/support/file.h"

namespace vta::compiler {
namespace {

constexpr int64_t kConstantAlignment = 4096;

// Numbers the dumps in the order in which they come.
class Dumps {
 public:
  explicit Dumps(const std::string& folder) : folder_(folder) {
    if (folder_.empty()) return;
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    if (failed) throw Error(folder_, "cannot create", "", failed.message());
  }
  void Write(std::string name, std::string_view text) {
    if (folder_.empty()) return;
    for (char& c : name)
      if (!isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') c = '_';
    std::string number = std::to_string(count_++);
    number.insert(0, 3 - std::min<size_t>(number.size(), 3), '0');
    WriteFileAtomically(StrCat(folder_, "/", number, "_", name), text);
  }
  bool on() const { return !folder_.empty(); }

 private:
  std::string folder_;
  int count_ = 0;
};

isa::ElementType ElementTypeOf(const Graph& graph, ValueId value) {
  switch (graph.type(value).dtype) {
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
      throw Error(graph.value(value).name, "element type",
                  std::string(Name(graph.type(value).dtype)), "no target computes with it");
  }
}

// The alignment of every tensor: each element that a program may load there starts at a multiple of
// its size.
int64_t TensorAlignment(const isa::Config& config) {
  return std::max({int64_t{64}, config.inp_bytes(), config.out_bytes(), config.acc_bytes()});
}

class PackageBuilder {
 public:
  PackageBuilder(const Graph& graph, const CompileOptions& options, Dumps& dumps)
      : graph_(graph),
        options_(options),
        dumps_(dumps),
        steps_(Steps(graph)),
        plan_(PlanMemory(graph, steps_, TensorAlignment(options.config))) {
    package_.model = graph.name();
    package_.config = options.config;
    package_.host_format = kHostFormat;
    package_.constants_offset_bytes = AlignUp(plan_.arena_bytes, kConstantAlignment);
  }

  CompileResult Build() && {
    dumps_.Write("memory_plan.txt", Print(graph_, plan_));
    const std::vector<StepInterface> interfaces = Interfaces(graph_, steps_);
    for (size_t i = 0; i < steps_.size(); ++i) AddStep(steps_[i], interfaces[i]);
    for (ValueId input : graph_.inputs()) package_.inputs.push_back(TensorIndex(input));
    for (const GraphOutput& output : graph_.outputs())
      package_.outputs.push_back(OutputIndex(output));
    package_.arena_bytes = ConstantsEnd();
    isa::ValidatePackage(package_, graph_.name());
    return {std::move(package_), plan_.arena_bytes, plan_.tensor_bytes};
  }

 private:
  static int64_t AlignUp(int64_t value, int64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
  }
  int64_t ConstantsEnd() const {
    return package_.constants_offset_bytes + static_cast<int64_t>(package_.constants.size());
  }

  // Appends constants at an aligned offset of the arena and returns that offset.
  int64_t AddConstants(std::span<const uint8_t> bytes, int64_t alignment) {
    package_.constants.resize(AlignUp(static_cast<int64_t>(package_.constants.size()), alignment));
    const int64_t offset = ConstantsEnd();
    package_.constants.insert(package_.constants.end(), bytes.begin(), bytes.end());
    return offset;
  }

  int64_t TensorIndex(ValueId value) {
    const auto [it, fresh] =
        index_.try_emplace(value, static_cast<int64_t>(package_.tensors.size()));
    if (fresh) {
      const PlannedTensor* planned = plan_.Find(value);
      const Tensor* constant = graph_.constant(value);
      VTA_CHECK(planned || constant, graph_.value(value).name);
      const int64_t offset =
          planned ? planned->offset_bytes
                  : AddConstants(constant->bytes(), TensorAlignment(options_.config));
      package_.tensors.push_back(
          {graph_.value(value).name, ElementTypeOf(graph_, value), graph_.shape(value), offset});
    }
    return it->second;
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
    return static_cast<int64_t>(package_.tensors.size()) - 1;
  }

  void AddStep(const Step& step, const StepInterface& interface) {
    const Node& first = graph_.nodes()[step.nodes.front()];
    isa::PackageStep out;
    out.name = first.name;
    out.facts = FactsOf(graph_, step);
    const CodeTarget* target = FindTarget(step.target);
    if (target) {
      out.kind = isa::PackageStep::Kind::kProgram;
      out.program = AddProgram(step, *target);
    } else {
      out.kind = isa::PackageStep::Kind::kHost;
      out.kernel = AddHostKernel(step);
      out.facts.why = first.why;
      VTA_CHECK(!first.why.empty(), first.name);
    }
    // A host kernel takes a node's inputs as the node lists them; a program reads what crosses into
    // its step.
    for (ValueId value : target ? interface.inputs : first.inputs)
      if (!target || !graph_.constant(value)) out.inputs.push_back(TensorIndex(value));
    for (ValueId value : interface.outputs) out.outputs.push_back(TensorIndex(value));
    package_.steps.push_back(std::move(out));
  }

  const CodeTarget* FindTarget(const std::string& name) const {
    for (const CodeTarget* target : options_.targets)
      if (target->Name() == name) return target;
    VTA_CHECK(name == kHostTarget, name);
    return nullptr;
  }

  int64_t AddProgram(const Step& step, const CodeTarget& target) {
    package_.constants.resize(
        AlignUp(static_cast<int64_t>(package_.constants.size()), kConstantAlignment));
    StepAddresses addresses;
    addresses.constants = ConstantsEnd();
    addresses.tensor = [this](ValueId value) {
      const PlannedTensor* planned = plan_.Find(value);
      VTA_CHECK(planned, graph_.value(value).name);
      return planned->offset_bytes;
    };
    const CompiledStep compiled = target.Compile(graph_, step, addresses);
    AddConstants(compiled.constants, 1);
    const auto program = static_cast<int64_t>(package_.programs.size());
    for (const Dump& dump : compiled.dumps)
      dumps_.Write(StrCat("program", program, "_", dump.stage, ".txt"), dump.text);
    package_.programs.push_back(
        {static_cast<int64_t>(package_.code.size()) / isa::kInstructionBytes,
         static_cast<int64_t>(compiled.code.size()) / isa::kInstructionBytes});
    package_.code.insert(package_.code.end(), compiled.code.begin(), compiled.code.end());
    return program;
  }

  std::string AddHostKernel(const Step& step) {
    VTA_CHECK(step.nodes.size() == 1, "the host computes one node at a time");
    const Node& node = graph_.nodes()[step.nodes.front()];
    const std::string name = StrCat(Spec(node.op).name, "_", kernels_++);
    const std::string text = Print(host::Lower(graph_, node, name));
    dumps_.Write(StrCat("host_", name, ".txt"), text);
    package_.host.insert(package_.host.end(), text.begin(), text.end());
    return name;
  }

  const Graph& graph_;
  const CompileOptions& options_;
  Dumps& dumps_;
  std::vector<Step> steps_;
  MemoryPlan plan_;
  isa::Package package_;
  std::map<ValueId, int64_t> index_;
  int64_t kernels_ = 0;
};

}  // namespace

CompileResult Compile(const Graph& imported, const CompileOptions& options) {
  Dumps dumps(options.dump_dir);
  Graph graph = imported;
  graph.set_rounding(options.rounding);
  if (dumps.on()) dumps.Write("import.txt", Print(graph));
  const std::vector<const Target*> targets(options.targets.begin(), options.targets.end());
  const PassContext context{targets};
  const auto dump = [&](std::string_view pass, const Graph& after) {
    if (dumps.on()) dumps.Write(StrCat(pass, ".txt"), Print(after));
  };
  graph = RunPasses(std::move(graph), NormalizePipeline(), context, dump);
  graph = RunPasses(std::move(graph), PlacementPipeline(), context, dump);
  return PackageBuilder(graph, options, dumps).Build();
}

}  // namespace vta::compiler
