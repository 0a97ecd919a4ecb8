#include "tools/vta/hw/random_bytes.h"

#include <fmt/format.h>

namespace vta::tools {

std::string RandomBytes(uint64_t& state, int64_t count) {
  std::string text = ".byte";
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += fmt::format(" {}", static_cast<int8_t>(state >> 56));
  }
  return text + "\n";
}

}  // namespace vta::tools
