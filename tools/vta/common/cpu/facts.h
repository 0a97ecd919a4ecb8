// The CPU that a benchmark runs on, and on which of its cores.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

struct CpuFacts {
  std::string name;                // "unknown" where the system does not say
  std::vector<std::string> flags;  // as Linux calls them; those alone that kernels of networks use
  int64_t logical_cores = 0, physical_cores = 0;
};

/// From what /proc/cpuinfo holds.
CpuFacts ParseCpuInfo(std::string_view text);
CpuFacts ThisCpu();

/// The cores on which this process may run, the first of each physical core before the others.
std::vector<int64_t> AllowedCores();

/// Keeps the calling thread, and those that it starts, on some cores while it lives.
/// Errors: throws Error where this process may not run there.
class OnCores {
 public:
  explicit OnCores(const std::vector<int64_t>& cores);
  ~OnCores();
  OnCores(const OnCores&) = delete;
  OnCores& operator=(const OnCores&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace vta::tools
