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

constexpr ShimVariable kVariables[] = {
    {kEngine, "functional, cycle, rtl", "what plays the accelerator; without it cycle"},
    {kQuick, "1",
     "an RTL model that is built in a third of the time, and runs several times slower"},
    {kFault, "NAME[@N]", "what goes wrong, from the register access N on"},
    {kMemory, "a number", "bytes that buffers may have together; without it 1 GiB"},
};

constexpr std::string_view kShimFaults[] = {"none", "refused_xclbin", "refused_sync",
                                            "lost_sync_in", "lost_sync_out"};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int64_t Number(const char* variable, std::string_view text) {
  int64_t value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0)
    throw Error(variable, "", std::string(text), "must be a number that is not negative");
  return value;
}

void ReadFault(std::string text, ShimSettings& settings) {
  if (const size_t at = text.find('@'); at != std::string::npos) {
    settings.fault_after = Number(kFault, std::string_view(text).substr(at + 1));
    text.resize(at);
  }
  const auto found = std::ranges::find(kShimFaults, text);
  if (found == std::end(kShimFaults))
    settings.board_fault = sim::FindBoardFault(text, kFault);
  else
    settings.fault = static_cast<ShimFault>(found - std::begin(kShimFaults));
}

}  // namespace

std::span<const ShimVariable> ShimVariables() { return kVariables; }

ShimSettings ReadShimSettings() {
  ShimSettings settings;
  if (const std::string text = Environment(kEngine); !text.empty())
    settings.engine = sim::FindBoardEngine(text, kEngine);
  settings.quick = Environment(kQuick) == "1";
  if (const std::string text = Environment(kFault); !text.empty()) ReadFault(text, settings);
  if (const std::string text = Environment(kMemory); !text.empty())
    settings.memory_bytes = Number(kMemory, text);
  return settings;
}

}  // namespace vta::driver
