// A schedule: checked rewrites of a function, applied one by one and remembered as a trace that
// replays.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
/// Never is for steps that a rule of a target makes: it checks the last function of those that code
/// is made of to run.
enum class Verified : uint8_t { kEachStep, kNever };

/// What steps made of one function, for schedules of it that begin alike: those that a search tries
/// one after the other. May be used by several threads at once.
class StepMemo {
 public:
  /// A function that some steps made, and the names that the last of them did.
  struct Made {
    Function function;
    std::vector<std::string> names;
    int64_t number = 0;  // of these steps
  };
  /// Of the steps with that number, 0 for none, and one more.
  std::optional<Made> Find(int64_t steps, const std::string& step) const;
  Made Keep(int64_t steps, const std::string& step, Made made);

 private:
  static constexpr size_t kMost = 4096;  // then it begins anew

  mutable std::mutex mutex_;
  std::map<std::pair<int64_t, std::string>, Made> made_;
  int64_t count_ = 0;
};

/// Memos of several functions, each of those named in words: the function and its intrinsics. May
/// be used by several threads at once.
class StepMemos {
 public:
  std::shared_ptr<StepMemo> Of(const std::string& function);

 private:
  static constexpr size_t kMost = 128;  // then it begins anew

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StepMemo>> memos_;
};

class Schedule {
 public:
  /// `intrinsics` are those that tensorize may name. `memo`: of schedules of this function alone,
  /// with these intrinsics; or nullptr.
  explicit Schedule(Function function, std::vector<tensorize::IntrinsicRef> intrinsics = {},
                    Verified verified = Verified::kEachStep,
                    std::shared_ptr<StepMemo> memo = nullptr);

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
  std::shared_ptr<StepMemo> memo_;
  int64_t steps_ = 0;  // their number in the memo
};

}  // namespace vta::compiler::loop
