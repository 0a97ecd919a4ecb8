// Who chooses among the points of a space while a network is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/tune/measurer.h"
#include "compiler/tune/space.h"

namespace vta::compiler::tune {

/// A point, and what its trial kept of its program, if there was one.
struct Offer {
  Point point;
  std::shared_ptr<const Joinable> program = nullptr;
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  /// Points that the space has, the best first, for a step of that name and so many
  /// multiply-accumulates; one at least.
  virtual std::vector<Offer> Choose(const std::string& step, int64_t macs, const Space& space) = 0;
  /// What tells which of them are best beside those of the steps before and after, and how many
  /// trials at once; nullptr where the first are to be taken.
  virtual const Measurer* measurer() const { return nullptr; }
  virtual int64_t jobs() const { return 1; }
};

}  // namespace vta::compiler::tune
