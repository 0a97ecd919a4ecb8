// One program on the RTL and on the golden model, side by side.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/functional/machine.h"
#include "sim/rtl/machine.h"
#include "tests/rtl/program.h"

namespace vta::test {

/// A program as machines take it: the instructions on pages of their own before the data, so that
/// what runs over the end of the memory meets no instruction; where fetch runs over it, at the end.
struct Image {
  isa::LaunchRequest launch;
  std::vector<uint8_t> dram;
};
Image ImageOf(const RtlProgram& program);
Image ImageOf(const TestProgram& program);

/// What the memory of the RTL does, and what is compared.
struct TrialOptions {
  /// The memory answers at random instead of in the time of the config.
  std::optional<uint64_t> random_seed;
  /// Where the RTL's bus has the memory: a multiple of 4096.
  uint64_t memory_base = 0;
  /// Without: only how the launch ends, and its counters. The scratchpads are then no longer
  /// comparable until every row is written.
  bool values = true;
};

class Trial {
 public:
  /// Errors: as sim::BuildModel.
  explicit Trial(const isa::Config& config, const sim::ModelOptions& model = {});

  /// Runs the program on both, from the state that the program before it left, and compares
  /// outcome, faults, counters, every retired instruction with the values it wrote, and the memory.
  /// Returns the first difference in words, or "".
  std::string Run(const RtlProgram& program, const TrialOptions& options);
  std::string Run(const TestProgram& program, std::optional<uint64_t> random_seed);
  /// Both as after power-on.
  void PowerOn();
  /// Resets the RTL through its register. Returns "", or what went wrong.
  std::string SoftReset();
  /// Starts the program on the RTL alone and resets it after some cycles, or at a write: the
  /// scratchpads are then no longer comparable. Returns "", or what went wrong.
  std::string Interrupt(const RtlProgram& program, const TrialOptions& options, int64_t cycles);

  const isa::LaunchResult& result() const { return result_; }  // of the RTL
  int64_t events() const { return events_; }
  /// Cycles of the last program in which two modules wrote a row or a beat of memory at once.
  int64_t overlapped_cycles() const { return overlapped_cycles_; }
  /// What happened in the last program beside an ALU instruction.
  struct Beside {
    int64_t starts = 0, held = 0, waits = 0, faults = 0;  // waits in cycles
    Beside& operator+=(const Beside& other) {
      starts += other.starts, held += other.held, waits += other.waits, faults += other.faults;
      return *this;
    }
  };
  const Beside& beside() const { return beside_; }
  sim::RtlMachine& rtl() { return rtl_; }

 private:
  std::string EndReset();

  isa::Config config_;
  std::unique_ptr<sim::Machine> golden_;
  sim::RtlMachine rtl_;
  isa::LaunchResult result_;
  int64_t events_ = 0, overlapped_cycles_ = 0;
  Beside beside_;
  bool asks_to_write_ = false, offers_data_ = false;  // in the last cycle
};

}  // namespace vta::test
