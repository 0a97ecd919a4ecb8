// A search of schedules as one HTML page that needs no network.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compiler/tune/tuner.h"
#include "isa/support/json.h"

namespace vta::tools {

struct SearchFacts {
  std::string model, config, measurer, log;
  std::string unit;    // of costs
  int64_t effort = 0;  // trials of a task that a compile makes without a log
};

/// How a task's search ended, in words; "" where it made its trials.
std::string EndOf(const compiler::tune::Task& task);

/// What the page shows.
Json SearchJson(const SearchFacts& facts, std::span<const compiler::tune::Task> tasks);
std::string SearchPage(const SearchFacts& facts, std::span<const compiler::tune::Task> tasks);

}  // namespace vta::tools
