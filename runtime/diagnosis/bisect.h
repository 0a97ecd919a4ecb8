// Finds the first step at which a device leaves the values of another: the steps run one by one,
// each from the values that it should find, and then those that share a launch together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/device.h"
#include "runtime/diagnosis/compare.h"
#include "runtime/pipeline.h"
#include "runtime/session.h"

namespace vta::runtime {

/// A step that went another way than it should.
struct StepDifference {
  int64_t step = 0;
  std::string error;  // it did not end; then there are no values
  std::optional<ValueDifference> value;
  std::vector<std::string> counters;   // "gemm_uops 12, expected 16", of those that must be equal
  std::vector<std::string> registers;  // as the step left them: "id 0x31415456"
  bool again = false;                  // a second try, from the same values, left the same
};

/// A launch of several steps that leaves something else than each of them alone.
struct LaunchDifference {
  int64_t first = 0, last = 0;  // steps
  std::string error;            // it did not end; then there are no values
  int64_t step = 0;             // the first whose outputs differ, of those that memory still shows,
  std::optional<ValueDifference> value;  // and how they do
  int64_t hidden = 0;                    // steps before that one whose outputs it does not show
  std::vector<std::string> registers;    // as the launch left them
  bool again = false;                    // a second try left the same
  bool golden_too = false;               // the other device does not leave it right, either
};

struct Bisection {
  int64_t sample = 0;   // that was looked into
  int64_t samples = 0;  // that ran before, as a whole, up to that one
  int64_t steps = 0;    // that were compared, up to the first that did not end
  int64_t steps_differing = 0;
  std::optional<StepDifference> first;
  int64_t launches = 0;  // of several steps that were compared, where all of these are equal
  std::optional<LaunchDifference> launch;   // the first that differs
  std::optional<ValueDifference> output;    // of the whole run
  std::string run_error;                    // the whole run did not end
  bool run_again = true;                    // a second whole run left the same outputs
  std::optional<ValueDifference> resident;  // constants and programs read back
  std::vector<std::string> registers;       // at the end, where nothing else holds them

  bool equal() const {
    return !first && !launch && !output && run_error.empty() && run_again && !resident;
  }
};

struct BisectOptions {
  int64_t threads = 0;
  KernelOptions kernels = {};
  Session::Deadline deadline = Session::Deadline::max();  // of all of it
  std::function<void(const std::string&)> progress = {};  // is told what begins
};

/// Runs samples on both devices until outputs differ, that one twice; then the steps of that
/// sample, or of the first where none differs. Before a step of `device` the tensors that it takes
/// are those of `golden`; both devices then run it and what it makes is compared, right after it,
/// for tensors share memory. Where all steps are equal, launches of several are held so to their
/// steps, up to the first that differs: `golden` runs each step alone, always. Kernels are looked
/// into as programs are: they show where memory is not the same for both sides. `device` and
/// `golden` are borrowed.
/// Errors: throws Error as Session; where `golden` does not end a step; and where the deadline
/// ended a step of either.
Bisection Bisect(const std::shared_ptr<const Model>& model, driver::Device& device,
                 driver::Device& golden, std::span<const Tensors> samples,
                 const BisectOptions& options = {});

/// For people: what differs first, or that nothing does. Names are shown as Visible has them.
std::string BisectText(const Model& model, const std::string& device, const Bisection& found);

/// What a device's registers read that say what it is and how its last launch ended; empty where it
/// has none.
std::vector<std::string> ReadRegisters(driver::Device& device);
/// They on one line, or that there are none.
std::string RegistersText(const std::vector<std::string>& read);

}  // namespace vta::runtime
