// join_lookups, join_functions: the evaluator gives for all codes what it gave before.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/targets/vta/target.h"
#include "tests/support/files.h"

namespace vta::compiler {
namespace {

const TensorType kCodes{DType::kInt8, {1, 1, 16, 16}};
const Attributes kRequant{{"bias", int64_t{3}},     {"multiplier", int64_t{0x5a000000}},
                          {"exponent", int64_t{0}}, {"zero_point", int64_t{-7}},
                          {"low", int64_t{-128}},   {"high", int64_t{127}}};

class CodeChain {
 public:
  Graph graph{"chain", isa::Rounding::kDouble};
  ValueId x = graph.AddInput("x", kCodes);

  ValueId Lookup(ValueId of) {
    std::vector<int8_t> table(256);
    for (int8_t& code : table) code = static_cast<int8_t>(random_());
    return graph.Emit(Op::kLookupI8, "lookup",
                      {of, graph.AddConstant("t", Tensor::Of<int8_t>({256}, table))}, {});
  }
  ValueId Requant(ValueId of) { return graph.Emit(Op::kRequantI8, "requant", {of}, kRequant); }
  ValueId Mul(ValueId a, ValueId b) {
    return graph.Emit(Op::kMulI8, "mul", {a, b},
                      {{"zero_a", int64_t{5}},
                       {"zero_b", int64_t{-60}},
                       {"multiplier", int64_t{0x5a000000}},
                       {"exponent", int64_t{-7}},
                       {"zero_point", int64_t{-7}},
                       {"low", int64_t{-128}},
                       {"high", int64_t{127}}});
  }
  ValueId Add(ValueId a, ValueId b) {
    Attributes attributes = kRequant;
    attributes.Set("multiplier_a", int64_t{90});
    attributes.Set("multiplier_b", int64_t{-31});
    attributes.Set("exponent", int64_t{-6});
    return graph.Emit(Op::kAddI8, "add", {a, b}, attributes);
  }

  /// How many nodes of each op are left, where `y` and perhaps `z` are the outputs.
  std::map<Op, int> After(const Pass& pass, ValueId y, ValueId z = kNone,
                          const PassContext& context = {}) {
    graph.AddOutput("y", y);
    if (z != kNone) graph.AddOutput("z", z);
    const Graph joined = RunPasses(graph, {&pass, 1}, context);
    Tensor codes(kCodes);
    for (int64_t i = 0; i < 256; ++i) codes.mutable_data<int8_t>()[i] = static_cast<int8_t>(i);
    std::vector<Tensor> inputs(graph.inputs().size(), codes);
    EXPECT_EQ(Evaluate(joined, inputs), Evaluate(graph, inputs));
    std::map<Op, int> ops;
    for (const Node& node : joined.nodes()) ++ops[node.op];
    return ops;
  }

 private:
  std::mt19937 random_{7};
};

using Ops = std::map<Op, int>;
constexpr Pass kLookups{"join_lookups", JoinLookups};
constexpr Pass kFunctions{"join_functions", JoinFunctions};

TEST(JoinLookups, AFunctionOfOneTensorIsOneLookup) {
  CodeChain gate;
  EXPECT_EQ(gate.After(kLookups, gate.Mul(gate.x, gate.Lookup(gate.x))), (Ops{{Op::kLookupI8, 1}}));
  CodeChain deep;
  ValueId y = deep.Requant(deep.x);
  for (int i = 0; i < 40; ++i) y = i % 3 ? deep.Add(deep.x, deep.Lookup(y)) : deep.Mul(y, deep.x);
  EXPECT_EQ(deep.After(kLookups, y), (Ops{{Op::kLookupI8, 1}}));
}

TEST(JoinLookups, WhatIsReadElsewhereStays) {
  CodeChain c;
  const ValueId table = c.Lookup(c.x);
  EXPECT_EQ(c.After(kLookups, c.Mul(c.x, table), table), (Ops{{Op::kLookupI8, 2}}));
}

TEST(JoinLookups, LeavesWhatIsNoFunctionOfOneTensor) {
  CodeChain others;
  const ValueId other = others.graph.AddInput("other", kCodes);
  EXPECT_EQ(others.After(kLookups, others.Mul(others.Lookup(others.x), other)),
            (Ops{{Op::kLookupI8, 1}, {Op::kMulI8, 1}}));
  CodeChain plain;  // no lookup is part of it
  EXPECT_EQ(plain.After(kLookups, plain.Add(plain.x, plain.Requant(plain.x))),
            (Ops{{Op::kAddI8, 1}, {Op::kRequantI8, 1}}));
  CodeChain each;  // another function for each element
  std::vector<int8_t> numbers(256);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int8_t>(i * 7);
  const ValueId constant = each.graph.AddConstant("c", Tensor::Of<int8_t>(kCodes.shape, numbers));
  EXPECT_EQ(each.After(kLookups, each.Mul(each.Lookup(each.x), constant)),
            (Ops{{Op::kLookupI8, 1}, {Op::kMulI8, 1}}));
}

TEST(JoinFunctions, WhereATargetHasLookups) {
  for (const bool has : {true, false}) {
    const std::string name = has ? "only_lut" : "only_requant";
    const targets::VtaTarget vta(isa::LoadConfig(SourcePath("isa/configs/" + name + ".json")));
    const Target* const targets[] = {&vta};
    PassContext context;
    context.targets = targets;
    CodeChain c;
    const Ops wanted = has ? Ops{{Op::kLookupI8, 1}} : Ops{{Op::kAddI8, 1}, {Op::kRequantI8, 1}};
    EXPECT_EQ(c.After(kFunctions, c.Add(c.x, c.Requant(c.x)), kNone, context), wanted);
    CodeChain one;
    EXPECT_EQ(one.After(kFunctions, one.Requant(one.x), kNone, context),
              (Ops{{Op::kRequantI8, 1}}));
  }
}

}  // namespace
}  // namespace vta::compiler
