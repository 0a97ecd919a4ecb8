// Matrix products of any ranks, with right sides that are constants or computed, and what follows
// them element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "compiler/targets/cpu/schedule.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

/// A dense layer of codes: of scales that fit 32 bits, or, where `wide`, such that do not.
void EmitDense(Graph& graph, std::mt19937_64& random, const Shape& sides, bool wide) {
  const auto number = [&](int64_t low, int64_t high) {
    return static_cast<int32_t>(low + static_cast<int64_t>(random() % (high - low + 1)));
  };
  const int64_t m = sides[0], k = sides[1], n = sides[2];
  Tensor weights({DType::kInt8, {n, k}});
  for (int8_t& code : weights.mutable_data<int8_t>()) code = static_cast<int8_t>(number(-128, 127));
  Tensor bias({DType::kInt32, {n}}), multipliers = bias, exponents = bias;
  for (int64_t o = 0; o < n; ++o) {
    bias.mutable_data<int32_t>()[o] = number(-100'000, 100'000);
    multipliers.mutable_data<int32_t>()[o] = number(1 << 30, INT32_MAX);
    exponents.mutable_data<int32_t>()[o] = wide && o % 3 == 0 ? number(8, 30) : number(-14, -6);
  }
  const std::vector<ValueId> inputs = {graph.AddInput("a", {DType::kInt8, {m, k}}),
                                       graph.AddConstant("w", std::move(weights)),
                                       graph.AddConstant("bias", std::move(bias)),
                                       graph.AddConstant("multiplier", std::move(multipliers)),
                                       graph.AddConstant("exponent", std::move(exponents))};
  const ValueId y = graph.Emit(
      Op::kDenseI8, "dense", inputs,
      {{"zero_point", int64_t{number(-20, 20)}}, {"low", int64_t{-128}}, {"high", int64_t{120}}});
  graph.AddOutput("y", y);
}

/// A product, and up to two ops behind it.
Graph RandomProduct(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  // Sides on both sides of a vector's lanes, a tile's rows, and what is packed.
  const auto side = [&] { return draw(0, 3) ? draw(1, 70) : 16 * draw(1, 4); };
  Graph graph("product");
  const auto operand = [&](const char* name, const Shape& shape, bool constant) {
    if (!constant) return graph.AddInput(name, {DType::kFloat32, shape});
    Tensor tensor({DType::kFloat32, shape});
    for (float& value : tensor.mutable_data<float>())
      value = static_cast<float>(draw(-500, 500)) / 500;
    return graph.AddConstant(name, std::move(tensor));
  };
  const int64_t m = side(), k = side(), n = std::max<int64_t>(side(), draw(0, 5) ? 16 : 1);
  if (draw(0, 3) == 0) {
    EmitDense(graph, random, {m, 4 * ((k + 3) / 4), n}, draw(0, 3) == 0);
    return graph;
  }
  const bool constant = draw(0, 1);
  ValueId y;
  if (draw(0, 3) == 0) {
    const bool turned = draw(0, 1);
    std::vector<ValueId> inputs = {operand("a", {m, k}, false),
                                   operand("b", turned ? Shape{n, k} : Shape{k, n}, constant)};
    if (draw(0, 1)) inputs.push_back(operand("c", draw(0, 1) ? Shape{n} : Shape{m, 1}, true));
    y = graph.Emit(
        Op::kGemm, "gemm", inputs,
        {{"alpha", 0.5}, {"beta", 2.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{turned}}});
  } else {
    // Dimensions in front of the matrices, which either side may have fewer of, or of 1.
    Shape batch(draw(0, 2));
    for (int64_t& size : batch) size = draw(1, 3);
    const auto of = [&](int64_t rows, int64_t columns) {
      Shape shape(batch.begin() + draw(0, std::ssize(batch)), batch.end());
      for (int64_t& size : shape)
        if (draw(0, 3) == 0) size = 1;
      shape.insert(shape.end(), {rows, columns});
      return shape;
    };
    y = graph.Emit(Op::kMatMul, "matmul",
                   {operand("a", of(m, k), false), operand("b", of(k, n), constant)}, {});
  }
  if (draw(0, 1)) y = graph.Emit(Op::kAdd, "add", {y, operand("d", {n}, true)}, {});
  if (draw(0, 1)) y = graph.Emit(Op::kRelu, "relu", {y}, {});
  graph.AddOutput("y", y);
  return graph;
}

TEST(CpuProducts, OfAnyRanksAreWhatTheGraphSays) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(60)); ++seed) {
    const Graph graph = RandomProduct(seed);
    const llvm::Machine& machine = machines[seed % machines.size()];
    EXPECT_EQ(Try(graph, machine, static_cast<uint32_t>(seed), nullptr, seed % 4 == 0), "")
        << "seed " << seed << ", " << machine.tune_cpu << " with " << machine.vector_bits
        << " bits\n"
        << Print(graph);
  }
}

TEST(CpuProducts, AnyPointOfTheirSpacesComputesTheSame) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  RandomChooser chooser(9);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(30)); ++seed) {
    const Graph graph = RandomProduct(1000 + seed);
    EXPECT_EQ(
        Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), &chooser, false),
        "")
        << "seed " << seed << "\n"
        << Print(graph);
  }
  EXPECT_GT(chooser.chosen(), Trials(30) / 2);
}

/// Rows that a core's own cache does not hold are cut, alike on all CPUs.
TEST(CpuProducts, TasksAreTheSameOnAllCpus) {
  for (const int64_t rows : {1, 7, 64, 197, 2048, 4099})
    for (const int64_t depth : {16, 257, 4096}) {
      Graph graph("product");
      const ValueId x = graph.AddInput("x", {DType::kFloat32, {rows, depth}});
      const ValueId w = graph.AddConstant("w", Tensor({DType::kFloat32, {depth, 80}}));
      graph.AddOutput("y", graph.Emit(Op::kMatMul, "y", {x, w}, {}));
      const NodeId nodes[] = {0};
      const StepExpression expression = Express(graph, nodes, Arithmetic::kExact);
      const auto plan = [&](const Registers& registers) {
        return std::get<RowPlan>(ChoosePlan(graph, nodes, expression, registers));
      };
      const RowPlan widest = plan(kWidest);
      EXPECT_EQ(rows % widest.rows, 0);
      EXPECT_EQ(5 % widest.blocks, 0);
      if (rows == 2048) {
        EXPECT_LE(widest.rows * depth * 4, 256 * 1024);
      }
      for (const Registers& registers : {Registers{32, 16}, Registers{16, 16}, Registers{16, 32}}) {
        const RowPlan other = plan(registers);
        EXPECT_EQ(other.rows, widest.rows) << rows << " " << depth;
        EXPECT_EQ(other.blocks, widest.blocks) << rows << " " << depth;
        if (widest.rows < rows) {
          EXPECT_EQ(other.rows % other.tile_rows, 0) << rows << " " << depth;
        }
      }
    }
}

}  // namespace
}  // namespace vta::compiler::targets
