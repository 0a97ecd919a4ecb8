#include "sim/memory/traffic.h"

#include "isa/support/error.h"

namespace vta::sim {
namespace {

constexpr uint64_t kPageBytes = 4096, kLongestBurst = 16;
constexpr int64_t kFirstCycle = 4;

}  // namespace

Traffic::Traffic(uint64_t seed, uint64_t memory_bytes, int64_t beat_bytes)
    : random_(seed),
      pages_(memory_bytes / kPageBytes),
      beat_bytes_(static_cast<uint64_t>(beat_bytes)) {
  if (pages_ == 0)
    throw Error("Traffic", "memory_bytes", std::to_string(memory_bytes),
                StrCat("must be at least ", kPageBytes));
  // From a bus that is never free to one that is hardly used.
  longest_gap_ = uint64_t{1} << Below(10);
  write_percent_ = 10 * Below(11);
  Draw(kFirstCycle);
}

void Traffic::Draw(int64_t from) {
  const uint64_t beats = 1 + Below(kLongestBurst), places = kPageBytes / beat_bytes_ - beats + 1;
  next_.write = Below(100) < write_percent_;
  next_.address = Below(pages_) * kPageBytes + Below(places) * beat_bytes_;
  next_.beats = static_cast<int64_t>(beats);
  next_.cycle = from + static_cast<int64_t>(Below(longest_gap_));
}

}  // namespace vta::sim
