// The operators of the integer graph on VTA: a row each, and a file for each kernel.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// What the target knows of an operator. Errors: the functions throw Error at a node with the
/// reason why no program can compute the step.
struct Operator {
  Op op;
  /// The checks of plan, tile search included, without building anything.
  void (*require)(const OperatorStep& step) = nullptr;
  /// What each lay-out that there is has the machine do, in no order; one at least. Tiles may fit
  /// nowhere.
  std::vector<Work> (*layouts)(const OperatorStep& step) = nullptr;
  StepPlan (*plan)(const OperatorStep& step) = nullptr;
  /// Of a step of so many multiply-accumulates; nullptr where no weights tell its channels.
  Asked (*asked)(const OperatorStep& step, int64_t macs) = nullptr;
  /// How far codes, before they are rounded and a table takes them, may be from the graph's.
  double (*error)(const OperatorStep& step) = nullptr;
  /// What there is to choose of a step; nullptr where that is nothing.
  std::unique_ptr<StepSpace> (*space)(const OperatorStep& step) = nullptr;
  /// What may follow in the same step.
  std::span<const Op> seconds = {};
  /// Whether its codes, or those of a second operator that makes some, can go through a table.
  bool takes_lookup = false;
  /// Whether a prelu_i8 can be made of them; not where the second operator is none that adds.
  bool takes_prelu = false;
  /// Why a step does not begin with the operator: then there is nothing else in the row.
  std::string_view refusal = {};
};

/// The operator's row, or one that refuses it.
Operator OperatorOf(Op op);

}  // namespace vta::compiler::targets
