// The self-test of a device: fixed programs beside another device, which is right.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "driver/device.h"
#include "isa/config.h"

namespace vta::runtime {

/// A program after which the device is not as it should be.
struct SelfTestFailure {
  std::string program;
  std::string text;  // the first word that differs, or how the launch ended
};

struct SelfTestResult {
  int64_t programs = 0, ran = 0;
  std::vector<SelfTestFailure> failures;  // in the order of the programs
  std::vector<std::string> registers;     // where there are failures
};

struct SelfTestOptions {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<void(const std::string&)> progress = {};  // is told the program that begins
};

/// Runs each of SelfTestPrograms on both and compares outcome, counters of work and memory. It ends
/// with the first that does not finish on `device`, which may not be able to run another one.
/// Errors: throws Error where `device` is another accelerator than the config's, where memory does
/// not suffice, and at the deadline. Aborts where `golden` does not finish a program.
SelfTestResult RunSelfTest(const isa::Config& config, driver::Device& device,
                           driver::Device& golden, const SelfTestOptions& options = {});

/// "self-test on rtl: 41 programs, all as on functional", or each failure in a line.
std::string SelfTestText(const std::string& device, const SelfTestResult& result);

/// The memory that the largest program takes. Units: bytes.
int64_t SelfTestBytes(const isa::Config& config);

}  // namespace vta::runtime
