// A step of the integer graph as its operator sees it, and what that makes of it: definition,
// schedule and constants.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"
#include "compiler/tune/space.h"
#include "isa/config.h"

namespace vta::compiler::targets {

struct OperatorStep {
  const isa::Config& config;
  const Graph& graph;
  const Node& node;
  const Node* second = nullptr;  // what the step does to the node's result
  const Node* prelu = nullptr;   // what bends the step's codes at its end
  const Node* lookup = nullptr;  // the table that they go through in its place
  Searching searching = {};
  const tune::Point* point = nullptr;  // of the step's space; nullptr for the rule's first

  /// Of the program.
  std::string name() const { return StrCat("vta_", Spec(node.op).name); }
  ValueId output() const {
    return (lookup ? lookup : prelu ? prelu : second ? second : &node)->output;
  }
};

/// Not verified. It refers to the step; `memo` is of the definition's schedules, or nullptr.
using MakesSchedule = std::function<loop::Schedule(std::shared_ptr<loop::StepMemo> memo)>;

struct Scheduled {
  loop::Function definition;
  MakesSchedule schedule;
};

/// The schedules that an operator's rule spans of a step. Functions are as tune::Space has them.
class StepSpace {
 public:
  virtual ~StepSpace() = default;
  virtual std::string Workload() const = 0;
  virtual std::vector<tune::Choice> Choices() const = 0;
  virtual bool Has(const tune::Point& point) const = 0;
  virtual int64_t Estimate(const tune::Point& point) const = 0;
  virtual std::vector<tune::Point> Cheapest(int64_t count) const = 0;
  /// Not verified.
  virtual loop::Schedule Schedule(const tune::Point& point) const = 0;
  virtual std::vector<std::pair<std::string, ValueId>> Tensors() const = 0;  // as of StepPlan
  virtual const SparseConstants& sparse() const = 0;
  virtual const std::optional<PhasePlaces>& phases() const = 0;
};

struct StepPlan {
  loop::Function definition;
  MakesSchedule schedule;  // the same for the same definition and decisions
  std::string decisions;   // the tiling
  // What the definition's parameters are: values of the graph, or bytes.
  std::vector<std::pair<std::string, ValueId>> tensors;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> constants;
  SparseConstants sparse;  // those of which a program needs only some elements
  std::optional<PhasePlaces>
      phases;  // how the result is stored, where not as the definition has it
};

}  // namespace vta::compiler::targets
