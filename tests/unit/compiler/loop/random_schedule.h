// Random schedules of a few computations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/schedule/schedule.h"

namespace vta::compiler::loop {

/// A computation of two int8 inputs, and what it must give.
struct Workload {
  std::string name;
  Function function;
  std::vector<int8_t> a, b;
  std::vector<int32_t> want;
};

std::vector<Workload> Workloads();

/// Up to 14 steps that the primitives accept, among those that they refuse.
Schedule RandomSchedule(const Function& function, uint32_t seed);

}  // namespace vta::compiler::loop
