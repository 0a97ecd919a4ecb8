// One program on the RTL and on the golden model, side by side.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/functional/machine.h"
#include "sim/rtl/machine.h"
#include "tests/support/test_program.h"

namespace vta::test {

class Trial {
 public:
  /// Errors: as sim::BuildModel.
  explicit Trial(const isa::Config& config, const sim::ModelOptions& model = {});

  /// Runs the program on both, from the state that the program before it left, and compares
  /// outcome, faults, counters, every retired instruction with the values it wrote, and the memory.
  /// Returns the first difference in words, or "". With a seed the memory of the RTL answers at
  /// random.
  std::string Run(const TestProgram& program, std::optional<uint64_t> random_seed);
  /// Both as after power-on.
  void PowerOn();

  const isa::LaunchResult& result() const { return result_; }  // of the RTL
  int64_t events() const { return events_; }
  sim::RtlMachine& rtl() { return rtl_; }

 private:
  isa::Config config_;
  std::unique_ptr<sim::Machine> golden_;
  sim::RtlMachine rtl_;
  isa::LaunchResult result_;
  int64_t events_ = 0;
};

/// A program as machines take it: the instructions on pages of their own before the data, so that
/// what runs over the end of the memory meets no instruction.
struct Image {
  isa::LaunchRequest launch;
  std::vector<uint8_t> dram;
};
Image ImageOf(const TestProgram& program);

}  // namespace vta::test
