// Codes that a kernel makes or reads elsewhere, and puts elsewhere itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

constexpr char kScales[] = R"(%scale : float32[] = const [0.03125]
%zero : int8[] = const [-3]
)";

/// The steps that the CPU makes of it, whose kernels give what the evaluator gives.
int64_t StepsOfMoves(const std::string& body) {
  const Graph graph = Parse(body);
  const llvm::Machine machine = llvm::RunnableMachines().front();
  EXPECT_EQ(Try(graph, machine, 5, nullptr, true), "") << body;
  return std::ssize(CompileFor(graph, machine).package.steps);
}

TEST(CpuMoves, OfWhatIsMadeElementByElementAreInItsKernel) {
  EXPECT_EQ(StepsOfMoves(StrCat("%x : float32[1,3,4,20] = input\n", kScales,
                                R"(%r : float32[1,3,4,20] = relu(%x) "r"
%q : int8[1,3,4,20] = quantize(%r, %scale, %zero) {axis=0} "q"
%p : int8[1,3,4,24] = pad(%q) {mode="constant", pads=[0,0,0,1,0,0,0,3], value=-3.0} "p"
%y : int8[1,1,4,24,1,4] = pack(%p) {batch_block=1, channel_block=4} "y"
output "y" = %y
)")),
            1);
}

TEST(CpuMoves, OfCodesThatArePulledFromBlocksAreOne) {
  EXPECT_EQ(StepsOfMoves(R"(%x : int8[1,2,4,5,1,8] = input
%u : int8[1,12,4,5] = unpack(%x) {shape=[1,12,4,5]} "u"
%s : int8[1,6,4,5] = slice(%u) {shape=[1,6,4,5], starts=[0,3,0,0], steps=[1,1,1,1]} "s"
%y : int8[1,1,4,5,1,8] = pack(%s) {batch_block=1, channel_block=8} "y"
output "y" = %y
)"),
            1);
}

/// As a detector's levels: what each part's steps make is written once, in its place of the whole.
TEST(CpuMoves, OfPartsThatLeaveBlocksAreInTheKernelOfTheWhole) {
  const std::string parts =
      StrCat(R"(%x : int8[1,2,4,5,1,8] = input
%z : int8[1,2,2,3,1,8] = input
%f : float32[1,12,2] = input
)",
             kScales, R"(%u : int8[1,12,4,5] = unpack(%x) {shape=[1,12,4,5]} "u"
%a : float32[1,12,4,5] = dequantize(%u, %scale, %zero) {axis=0} "a"
%v : int8[1,12,2,3] = unpack(%z) {shape=[1,12,2,3]} "v"
%b : float32[1,12,2,3] = dequantize(%v, %scale, %zero) {axis=0} "b"
%c : float32[1,12,20] = reshape(%a) {shape=[1,12,20]} "c"
%d : float32[1,12,6] = reshape(%b) {shape=[1,12,6]} "d"
)");
  EXPECT_EQ(StepsOfMoves(parts + R"(%w : float32[1,12,26] = concat(%c, %d) {axis=2} "w"
%y : float32[1,12,26] = sigmoid(%w) "y"
output "y" = %y
)"),
            1);
  // A part that is there is read; one that others read, too, is a step.
  EXPECT_EQ(StepsOfMoves(parts + R"(%w : float32[1,12,28] = concat(%c, %f, %d) {axis=2} "w"
output "y" = %w
)"),
            1);
  EXPECT_EQ(StepsOfMoves(parts + R"(%w : float32[1,12,26] = concat(%c, %d) {axis=2} "w"
output "y" = %w
output "d" = %d
)"),
            2);
}

/// What would be computed again for each copy is not, and sums have kernels of their own.
TEST(CpuMoves, OfMoreThanThereIsAreTheirOwn) {
  EXPECT_EQ(StepsOfMoves(StrCat("%x : float32[1,1,20] = input\n", kScales,
                                R"(%q : int8[1,1,20] = quantize(%x, %scale, %zero) {axis=0} "q"
%y : int8[1,40,20] = expand(%q) {shape=[1,40,20]} "y"
output "y" = %y
)")),
            2);
  const std::string reduced =
      StrCat("%x : float32[2,3,7] = input\n", kScales,
             R"(%m : float32[2,3] = reduce_max(%x) {axes=[2], keepdims=0} "m"
%q : int8[2,3] = quantize(%m, %scale, %zero) {axis=0} "q"
)");
  EXPECT_EQ(StepsOfMoves(reduced + R"(%y : int8[3,2] = transpose(%q) {perm=[1,0]} "y"
output "y" = %y
)"),
            2);
  // But for those that move nothing.
  EXPECT_EQ(StepsOfMoves(reduced + R"(%y : int8[6] = reshape(%q) {shape=[6]} "y"
output "y" = %y
)"),
            1);
}

/// What reads a value twice writes it twice, behind moves as well: steps end before that grows.
TEST(CpuMoves, OfWhatIsReadTwiceOverAndOverEndSomewhere) {
  Graph graph("twice");
  const ValueId x = graph.AddInput("x", {DType::kInt8, {1, 8, 64}});
  const ValueId scale = graph.AddConstant("scale", Tensor::Of<float>({}, {0.03125f})),
                zero = graph.AddConstant("zero", Tensor::Of<int8_t>({}, {-3}));
  ValueId y = graph.Emit(Op::kDequantize, "reals", {x, scale, zero}, {{"axis", int64_t{0}}});
  for (int64_t i = 0; i < 12; ++i) {
    y = graph.Emit(Op::kMul, "gate", {y, graph.Emit(Op::kSigmoid, "share", {y}, {})}, {});
    y = graph.Emit(
        Op::kSlice, "some", {y},
        {{"starts", Shape{0, 0, 1}}, {"steps", Shape{1, 1, 1}}, {"shape", Shape{1, 8, 63 - i}}});
  }
  graph.AddOutput("y", y);
  EXPECT_GT(std::ssize(CompileFor(graph, llvm::RunnableMachines().front()).package.steps), 2);
}

/// An index of an index of an index is written out several times each: steps end before that grows.
TEST(CpuMoves, OfElementsOfElementsEndSomewhere) {
  Graph graph("enlarged");
  ValueId y = graph.AddInput("x", {DType::kFloat32, {1, 4, 1, 1}});
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t axis = 2 + i % 2;
    std::vector<int64_t> twice(static_cast<size_t>(2 * graph.shape(y)[static_cast<size_t>(axis)]));
    for (size_t at = 0; at < twice.size(); ++at) twice[at] = static_cast<int64_t>(at / 2);
    const Shape shape{static_cast<int64_t>(twice.size())};
    const ValueId indices = graph.AddConstant("i", Tensor::Of<int64_t>(shape, twice));
    y = graph.Emit(Op::kGather, "more", {y, indices}, {{"axis", axis}});
  }
  graph.AddOutput("y", y);
  EXPECT_GE(std::ssize(CompileFor(graph, llvm::RunnableMachines().front()).package.steps), 3);
  EXPECT_EQ(Try(graph, llvm::RunnableMachines().front(), 1), "");
}

/// What is taken of an input is read where it lies, in memory of the caller's as in the arena.
TEST(CpuMoves, OfAnInputThatAreViewsCostNothing) {
  const Graph graph = Parse(R"(%x : float32[2,32] = input
%r : float32[4,16] = reshape(%x) {shape=[4,16]} "r"
%s : float32[1,32] = slice(%x) {shape=[1,32], starts=[1,0], steps=[1,1]} "s"
%y : float32[4,16] = relu(%r) "y"
%z : float32[1,32] = abs(%s) "z"
output "y" = %y
output "z" = %z
)");
  const llvm::Machine machine = llvm::RunnableMachines().front();
  EXPECT_EQ(Try(graph, machine, 5, nullptr, true), "");
  const CompileResult compiled = CompileFor(graph, machine);
  EXPECT_EQ(compiled.package.steps.size(), 2u);
  runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "views"), nullptr);
  const std::vector<Tensor> inputs = RandomInputs(graph, 6);
  const std::vector<Tensor> wanted = Evaluate(graph, inputs);
  alignas(kCacheLineBytes) std::array<uint8_t, 256> memory;
  std::ranges::copy(inputs[0].bytes(), memory.begin());
  EXPECT_TRUE(session.BindInput(0, memory));
  session.Run();
  for (int64_t i = 0; i < 2; ++i) {
    std::vector<uint8_t> bytes(wanted[i].bytes().size());
    session.GetOutput(i, bytes);
    EXPECT_EQ(Difference(wanted[i], bytes), "") << i;
  }
}

}  // namespace
}  // namespace vta::compiler::targets
