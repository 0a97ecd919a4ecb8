// Chapter 6: a target of one's own, which makes a kernel of its own for an operator of networks and
// leaves the others to the target that it extends.
#include "compiler/compile.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/native_code.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/te/te.h"
#include "compiler/tensorize/declare.h"
#include "compiler_writer/native.h"
#include "runtime/session.h"

using namespace vta;
using compiler::Graph, compiler::NodeId, compiler::Op;

namespace {

/// acc[j] += sum over k of x[k] * w[k, j].
compiler::tensorize::IntrinsicRef Rank4() {
  namespace te = compiler::te;
  constexpr auto kFloat = te::DType::kFloat32;
  const te::Tensor x = te::Placeholder("x", {4}, kFloat);
  const te::Tensor w = te::Placeholder("w", {4, 8}, kFloat);
  const te::ReduceAxis k("k", 4);
  const te::Tensor acc = te::Compute(
      "acc", {{"j", 8}}, [&](te::Expr j) { return te::ReduceSum(x(k) * w(k, j), {k}); });
  return compiler::tensorize::Declare("rank4", acc, {x, w}, {"", "zero8", "rank4"});
}

class OwnTarget : public compiler::targets::CpuTarget {
 public:
  bool CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const override {
    return !(group.size() > 1 && IsOwn(graph, group[0])) && CpuTarget::CanTake(graph, group, why);
  }
  compiler::StepCode Compile(const Graph& graph, const compiler::Step& step,
                             const compiler::StepAddresses& addresses,
                             const compiler::tune::Decision& decision) const override {
    if (!IsOwn(graph, step.nodes[0])) return CpuTarget::Compile(graph, step, addresses, decision);
    const compiler::Node& node = graph.nodes()[step.nodes[0]];
    compiler::loop::Schedule schedule(compiler::operators::Lower(graph, node, "own_matmul"),
                                      {Rank4()});
    schedule.Replay("split y i1 8\nsplit y k 4\nreorder y i0 i1o ko i1i ki\ntensorize y i1i rank4");
    return compiler::KernelCode{{schedule.function()}, {node.inputs.begin(), node.inputs.end()}};
  }

 private:
  static bool IsOwn(const Graph& graph, NodeId id) {
    const compiler::Node& node = graph.nodes()[id];
    if (node.op != Op::kMatMul || graph.shape(node.output).size() != 2) return false;
    return graph.shape(node.inputs[0])[1] % 4 == 0 && graph.shape(node.output)[1] % 8 == 0;
  }
};

}  // namespace

int main() {
  return Chapter([] {
    constexpr int64_t kRows = 3, kIn = 12, kOut = 16;
    const std::vector<float> w = Random<float>(kIn * kOut, 1), x = Random<float>(kRows * kIn, 2);
    Graph graph("network");
    const auto input = graph.AddInput("x", {compiler::DType::kFloat32, {kRows, kIn}});
    const auto weights = graph.AddConstant("w", compiler::Tensor::Of<float>({kIn, kOut}, w));
    const auto product = graph.Emit(Op::kMatMul, "product", {input, weights}, {});
    graph.AddOutput("y", graph.Emit(Op::kRelu, "relu", {product}, {}));

    const OwnTarget target;
    const compiler::CodeTarget* const targets[] = {&target};
    const compiler::lower::CpuSpec cpu = NativeCpu();
    const compiler::CompileResult made = compiler::Compile(
        graph, {.targets = targets, .cpus = {&cpu, 1}, .build_module = compiler::BuildModule});
    for (const isa::PackageStep& step : made.package.steps)
      std::cout << step.name << ": " << made.package.kernels[step.kernel].name << "\n";
    std::cout << Print(made.kernels[0]);

    runtime::Session session(std::make_shared<runtime::Model>(made.package, "network"), nullptr);
    std::vector<float> got(kRows * kOut), want(kRows * kOut);
    session.SetInput(0, {reinterpret_cast<const uint8_t*>(x.data()), x.size() * sizeof(float)});
    session.Run();
    session.GetOutput(0, {reinterpret_cast<uint8_t*>(got.data()), got.size() * sizeof(float)});
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kOut; ++j) {
        for (int k = 0; k < kIn; ++k) want[i * kOut + j] += x[i * kIn + k] * w[k * kOut + j];
        want[i * kOut + j] = std::max(want[i * kOut + j], 0.0f);
      }
    ExpectSame("network", got, want);
  });
}
