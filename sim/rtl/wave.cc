#include "sim/rtl/wave.h"

#include <array>
#include <fstream>

namespace vta::sim {
namespace {

constexpr uint8_t kHalfDone = 255;
constexpr std::array<uint8_t, 3> kNames = {4, 6, 7};  // the hierarchy, packed in one of three ways

}  // namespace

bool IsWholeWave(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const int64_t size = file.tellg();
  bool has_names = false;
  int64_t at = 0;
  while (at < size) {
    std::array<uint8_t, 9> head;
    file.seekg(at);
    if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
    if (head[0] == kHalfDone) return false;
    for (uint8_t type : kNames) has_names |= head[0] == type;
    uint64_t length = 0;
    for (size_t i = 1; i < head.size(); ++i) length = length << 8 | head[i];
    if (length < 8 || length > static_cast<uint64_t>(size - at - 1)) return false;
    at += 1 + static_cast<int64_t>(length);
  }
  return has_names;
}

}  // namespace vta::sim
