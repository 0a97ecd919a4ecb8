// Which schedule each step of a graph gets.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/targets/code_target.h"
#include "compiler/tune/chooser.h"

namespace vta::compiler {

/// A step, the target that it is on, and its name and work for the chooser.
struct StepToChoose {
  const Step& step;
  const CodeTarget& target;
  tune::Chooser* chooser = nullptr;  // of the target; nullptr: it takes its own
  std::string name;
  int64_t macs = 0;
  std::vector<int64_t> tensors = {};  // where those that it shares with others lie, in their order
  bool is_decided = false;            // by a trace
};

/// The point of each step's space; nothing where there is one way. The chooser's first ones, but
/// where it measures, those of steps that run in one launch that are best beside each other: from
/// the first step on each gets the one of its points with which it, the step before and the step
/// after take the least together, and once more where one of these has changed since. Steps that
/// recur side by side, with tensors as far apart, take what they took before. `addresses`
/// are those of tensors; constants may lie behind. `on_step`, if any, is told of each step before
/// it is looked at.
std::vector<std::optional<tune::Point>> ChooseSchedules(
    const Graph& graph, std::span<const StepToChoose> steps, const StepAddresses& addresses,
    const std::function<void(size_t)>& on_step = {});

}  // namespace vta::compiler
