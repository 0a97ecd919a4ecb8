// The rows of the operators.
#include "compiler/targets/vta/kernels/operators.h"

#include <gtest/gtest.h>

#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

TEST(Operators, RefuseOrHaveAllThatAStepNeeds) {
  for (const OpSpec& spec : AllOps()) {
    const Operator row = OperatorOf(spec.op);
    EXPECT_EQ(row.op, spec.op) << spec.name;
    const bool has = row.refusal.empty();
    EXPECT_EQ(row.require != nullptr, has) << spec.name;
    EXPECT_EQ(row.layouts != nullptr, has) << spec.name;
    EXPECT_EQ(row.plan != nullptr, has) << spec.name;
  }
}

TEST(Operators, SayWhyTheyRefuse) {
  EXPECT_EQ(WhyNot(Batched(1),
                   [](Case& c) {
                     const ValueId x = c.Input("x", 1, 16, 5, 5);
                     const ValueId of_codes = c.Constant<int32_t>("t", {256}, -1000, 1000);
                     const Attributes attributes{{"exponent", int64_t{0}},
                                                 {"multiplier", int64_t{1}},
                                                 {"zero_point", int64_t{0}},
                                                 {"low", int64_t{0}},
                                                 {"high", int64_t{1}}};
                     c.graph().Emit(Op::kAddLookupI8, "a", {x, x, of_codes, of_codes}, attributes);
                   }),
            "operator = add_lookup_i8: no multiples of the codes were found whose sum "
            "rounds as the kernels of mode double");
  EXPECT_EQ(
      WhyNot(Batched(1),
             [](Case& c) {
               const Attributes attributes{
                   {"blocks", Shape{2, 2}}, {"crops", Shape{0, 0, 0, 0}}, {"groups", int64_t{1}}};
               const ValueId x = c.graph().AddInput("x", {DType::kInt8, {1, 64, 4, 4}});
               c.graph().Emit(Op::kDepthToSpace, "d", {x}, attributes);
             }),
      "operator = depth_to_space: is done by the store of a convolution, and this one's is not "
      "its own");
  EXPECT_EQ(
      WhyNot(Batched(1),
             [](Case& c) { c.graph().Emit(Op::kRelu, "r", {c.Input("x", 1, 16, 5, 5)}, {}); }),
      "operator = relu: is none of the VTA target's");
}

}  // namespace
}  // namespace vta::compiler::targets
