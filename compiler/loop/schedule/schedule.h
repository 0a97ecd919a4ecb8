// A schedule: checked rewrites of a function, applied one by one and remembered as a trace that
// replays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::loop {

/// One application of a primitive, in words: {"split", {"conv", "y", "4"}}. Prints as "split conv y
/// 4".
struct Step {
  std::string primitive;
  std::vector<std::string> args;
};
std::string Print(const Step& step);

/// When the rules of functions (verify.h) are checked: primitives check their own at each step.
/// Never is for what is costed and thrown away: steps that a rule of a target makes, which it makes
/// again, checked, for code that runs.
enum class Verified : uint8_t { kEachStep, kNever };

class Schedule {
 public:
  /// `intrinsics` are those that tensorize may name.
  explicit Schedule(Function function, std::vector<tensorize::IntrinsicRef> intrinsics = {},
                    Verified verified = Verified::kEachStep);

  const Function& function() const { return function_; }
  /// The loops around a block, outermost first.
  std::vector<std::string> Loops(const std::string& block) const;
  const std::vector<Step>& trace() const { return trace_; }
  /// A line a step. Replay(TraceText()) on the same function gives the same function.
  std::string TraceText() const;

  /// Applies a primitive and returns the names that it made (loops, blocks, buffers; see the
  /// table). Errors: throws Error "split conv y 9: ..." and leaves the schedule as it was.
  std::vector<std::string> Apply(const Step& step);
  template <typename... Args>
  std::vector<std::string> Do(std::string primitive, const Args&... args) {
    return Apply({std::move(primitive), {StrOf(args)...}});
  }
  /// Applies the lines of a text; empty lines and what follows '#' are left out.
  void Replay(std::string_view text);

 private:
  static std::string StrOf(const std::string& s) { return s; }
  static std::string StrOf(const char* s) { return s; }
  static std::string StrOf(int64_t i) { return std::to_string(i); }

  Function function_;
  std::vector<tensorize::IntrinsicRef> intrinsics_;
  std::vector<Step> trace_;
  Verified verified_;
};

}  // namespace vta::compiler::loop
