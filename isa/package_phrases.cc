// What is said of packages.
#include <algorithm>

#include "isa/package.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {

std::string TextOf(const Assumption& assumption) {
  std::string text =
      StrCat("int8 codes and scales are assumed, from random inputs by seed ", assumption.seed);
  if (assumption.weights > 0)
    text += StrCat(", and ", Counted(assumption.weights, "tensor"), " of weights");
  return text;
}

std::string TextOf(const Inexactness& inexactness) {
  return StrCat("requantisation is not exact: results of ", inexactness.programs, " of ",
                Counted(inexactness.of, "step"), " on the accelerator may be off, by ",
                Counted(inexactness.codes, "code"), " at most for the same inputs");
}

std::optional<Inexactness> Package::inexactness() const {
  Inexactness found;
  for (const PackageStep& step : steps) {
    found.of += step.kind == PackageStep::Kind::kProgram;
    found.programs += step.facts.off_by > 0;
    found.codes = std::max(found.codes, step.facts.off_by);
  }
  return found.programs > 0 ? std::optional(found) : std::nullopt;
}

std::string NameOf(std::span<const PackageStep> steps) {
  return steps.size() == 1 ? steps[0].name : StrCat(steps.front().name, " to ", steps.back().name);
}

}  // namespace vta::isa
