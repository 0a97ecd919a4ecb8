// Kernels of small tensors: the definition on the interpreter against the program on the functional
// simulator.
#pragma once

#include "compiler/targets/vta/kernels/epilogue.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/lower/lower.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {

/// The tensors after both ran, which must agree about y.
inline Tensors RunBoth(const isa::Config& config, isa::Rounding rounding, const Scheduled& op,
                       const Tensors& tensors) {
  TaskProgram program = LowerTasks(config, op.schedule(nullptr).function(), rounding);
  FinishTasks(config, &program);
  const Tensors wanted = Interpret(op.definition, tensors);
  const Tensors found = Simulate(config, program, tensors, sim::ModuleOrder::kLoadFirst);
  EXPECT_TRUE(found.at("y") == wanted.at("y"));
  return found;
}

/// An epilogue of which every part matters.
inline isa::RequantLane SomeLane() {
  return {.bias = 77,
          .multiplier = 1518500250,
          .exponent = -9,
          .zero_point = 5,
          .low = -100,
          .high = 120};
}

/// Random a and b, a y to write, and the parameters of SomeLane for sums of up to 2^21.
inline Tensors Operands(const isa::Config& config, int64_t rows, std::mt19937& random) {
  Tensors tensors;
  for (const char* name : {"a", "b", "y"})
    tensors[name] = RandomBytes(rows * config.inp_bytes(), random);
  const std::vector<isa::RequantLane> lanes(config.arch.block_out, SomeLane());
  tensors["p"] =
      BytesOf(PackParameters(config, lanes, std::vector<int64_t>(lanes.size(), int64_t{1} << 21)));
  return tensors;
}

}  // namespace vta::compiler::targets
