// A target that makes code: what the compile driver asks of it after placement.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "compiler/graph/schedule.h"
#include "compiler/targets/step_code.h"
#include "compiler/targets/target.h"
#include "compiler/tune/space.h"

namespace vta::compiler {

/// Where the driver has put things. Units: bytes from the arena's start, which all base registers
/// hold.
struct StepAddresses {
  std::function<int64_t(ValueId)> tensor;  // of a value that crosses steps
  int64_t constants = 0;                   // a multiple of 4096
};

class CodeTarget : public Target {
 public:
  /// What there is to choose of a step; nothing where there is one way. It may refer to all of
  /// these. Errors: as Compile.
  virtual std::unique_ptr<tune::Space> SpaceOf(const Graph& /*graph*/, const Step& /*step*/) const {
    return nullptr;
  }
  /// Errors: throws Error naming the step's first node where no code can be made, or the step of a
  /// trace that does not apply.
  virtual StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                           const tune::Decision& decision) const = 0;
  /// The step's program as Join takes it, as far as costs need it: constants lie from
  /// `addresses.constants` on, none of them with values. `space` is that of SpaceOf, or nullptr, as
  /// the point is. `made` is what a trial kept of that point, or a draft of it for a step with the
  /// same workload, or nullptr. Absent where the target joins none.
  virtual std::shared_ptr<const Joinable> Draft(const Graph& /*graph*/, const Step& /*step*/,
                                                const tune::Space* /*space*/,
                                                const tune::Point* /*point*/,
                                                const Joinable* /*made*/,
                                                const StepAddresses& /*addresses*/) const {
    return nullptr;
  }
  /// One program that does what these do one after the other, its own constants at an offset that
  /// is a multiple of 4096; absent where the target makes none. A trial's is not verified: it is
  /// there for its cost.
  virtual std::optional<JoinedCode> Join(std::span<const Joinable* const> /*programs*/,
                                         int64_t /*constants*/, bool /*is_trial*/) const {
    return {};
  }
};

}  // namespace vta::compiler
