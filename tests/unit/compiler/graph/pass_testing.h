// Text tests of graph passes: text in, text out, and the same function before and after.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/text.h"
#include "compiler/graph/verify.h"

namespace vta::compiler {

using PassFunction = Graph (*)(const Graph&, const PassContext&);

/// A CPU, for the nodes that nobody else takes.
class RestTarget : public Target {
 public:
  std::string Name() const override { return "cpu"; }
  bool CanTake(const Graph&, std::span<const NodeId> group, std::string*) const override {
    return group.size() == 1;
  }
  bool TakesRest() const override { return true; }
};
inline const RestTarget kRest;

inline Graph Parse(const std::string& body) {
  return ParseGraph("graph \"g\" rounding=single\n" + body, {}, "test");
}

/// Random inputs: codes over their whole range, reals in [-4, 4).
inline std::vector<Tensor> RandomInputs(const Graph& graph, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs()) {
    Tensor tensor(graph.type(id));
    DispatchDType(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (T& v : tensor.mutable_data<T>()) {
        const uint32_t bits = random();
        v = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(bits) / 0x1p29 - 4)
                                        : static_cast<T>(bits);
      }
    });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

inline std::string Body(const Graph& graph) {
  const std::string text = Print(graph);
  return text.substr(text.find('\n') + 1);
}

/// The pass turns `before` into `after`, and both give the same outputs within `tolerance`.
inline void ExpectPass(PassFunction pass, const std::string& before, const std::string& after,
                       double tolerance = 0, const PassContext& context = {}) {
  const Graph old_graph = Parse(before);
  Verify(old_graph);
  const Graph new_graph = pass(old_graph, context);
  Verify(new_graph);
  EXPECT_EQ(Body(new_graph), after);
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto inputs = RandomInputs(old_graph, seed);
    const auto want = Evaluate(old_graph, inputs), got = Evaluate(new_graph, inputs);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(want[i].type(), got[i].type());
      for (int64_t j = 0; j < want[i].elements(); ++j)
        ASSERT_NEAR(want[i].At(j), got[i].At(j), tolerance) << "seed " << seed << " element " << j;
    }
  }
}

}  // namespace vta::compiler
