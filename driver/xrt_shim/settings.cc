#include "driver/xrt_shim/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "isa/support/error.h"

namespace vta::driver {
namespace {

constexpr char kEngine[] = "VTA_XRT_ENGINE", kQuick[] = "VTA_XRT_QUICK", kFault[] = "VTA_XRT_FAULT",
               kMemory[] = "VTA_XRT_MEMORY_BYTES";

// By ShimFault; a board's own faults have their names from it.
constexpr std::string_view kShimFaults[] = {"none", "refused_xclbin", "refused_sync",
                                            "lost_sync_in", "lost_sync_out"};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr int64_t kMostAccesses = 1'000'000'000;
constexpr int64_t kMostMemoryBytes = int64_t{1} << 40;

int64_t Number(const char* variable, std::string_view text, int64_t most) {
  int64_t value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0 || value > most)
    throw Error(variable, "", std::string(text), StrCat("must be an integer, 0 to ", most));
  return value;
}

void ReadFault(std::string text, ShimSettings& settings) {
  if (const size_t at = text.find('@'); at != std::string::npos) {
    settings.fault_after = Number(kFault, std::string_view(text).substr(at + 1), kMostAccesses);
    text.resize(at);
  }
  const auto found = std::ranges::find(kShimFaults, text);
  if (found != std::end(kShimFaults)) {
    settings.fault = static_cast<ShimFault>(found - std::begin(kShimFaults));
    return;
  }
  try {
    settings.board_fault = sim::FindBoardFault(text, kFault);
  } catch (const Error& error) {
    std::string rule = error.rule();
    for (const std::string_view name : kShimFaults)
      if (name != kShimFaults[0]) rule += StrCat(", ", name);
    throw Error(error.where(), error.subject(), error.value(), rule);
  }
}

}  // namespace

ShimSettings ReadShimSettings() {
  ShimSettings settings;
  if (const std::string text = Environment(kEngine); !text.empty())
    settings.engine = sim::FindBoardEngine(text, kEngine);
  if (const std::string text = Environment(kQuick); !text.empty())
    settings.quick = Number(kQuick, text, 1) == 1;
  if (const std::string text = Environment(kFault); !text.empty()) ReadFault(text, settings);
  if (const std::string text = Environment(kMemory); !text.empty())
    settings.memory_bytes = Number(kMemory, text, kMostMemoryBytes);
  return settings;
}

}  // namespace vta::driver
