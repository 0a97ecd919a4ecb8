// The schedule space of a step: named choices with finite domains, and the code of its points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/features.h"
#include "compiler/targets/step_code.h"

namespace vta::compiler::tune {

/// What is chosen, and the values that it may have.
struct Choice {
  std::string name;
  std::vector<int64_t> values;  // ascending
  bool operator==(const Choice&) const = default;
};
/// A value for each choice of a space, in their order.
using Point = std::vector<int64_t>;

/// What decides a step's schedule: a point of its space, or a trace, the steps of a loop::Schedule
/// in text; neither, for what its target takes for the best.
struct Decision {
  const Point* point = nullptr;
  const std::string* trace = nullptr;
};

/// Code as far as its cost needs that: constants may be missing or without their values.
struct Trial {
  StepCode code;
  int64_t arena_bytes = 0;
  int64_t constants_at = 0;  // where in the arena a program's lie
  /// The space's, where trials with the same one give the same outputs for the same inputs, real
  /// ones but for the order of sums; or "".
  std::string workload = "";
};

class Space {
 public:
  virtual ~Space() = default;

  /// What is computed and on what, in words: spaces with the same words have the same points, and
  /// these the same code but for the values of constants, which elements of those are stored, and
  /// where tensors lie.
  virtual std::string Workload() const = 0;
  virtual const std::vector<Choice>& Choices() const = 0;
  /// Whether there is code for a point of the domains, by arithmetic alone.
  virtual bool Has(const Point& point) const = 0;
  /// Of a point that it has: about what it costs. Units: those of the measurers of its target.
  virtual int64_t Estimate(const Point& point) const = 0;
  /// Candidates with the lowest estimates, the lowest first; fewer where there are no more. Of
  /// points that a space takes for alike only the first is one.
  virtual std::vector<Point> Cheapest(int64_t count) const = 0;
  /// What no point can cost less than.
  virtual int64_t Bound() const = 0;
  /// Of a point that it has, for a cost model: none where costs need no model. May be called by
  /// several threads at once.
  virtual loop::Features FeaturesOf(const Point&) const { return {}; }
  /// Of a point that it has. May be called by several threads at once.
  virtual Trial Try(const Point& point) const = 0;
};

/// Points of the domains, whether or not there is code for them.
double SizeOf(const Space& space);
/// `height=14 width=56`.
std::string Print(const std::vector<Choice>& choices, const Point& point);
/// Errors: throws Error naming the choice where one is missing, unknown, given twice, or has a
/// value outside its domain.
Point ParsePoint(const std::vector<Choice>& choices, std::string_view text);

}  // namespace vta::compiler::tune
