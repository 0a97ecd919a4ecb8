#include "runtime/modules/sharing.h"

#include <algorithm>

namespace vta::runtime {
namespace {

constexpr uint32_t kLeastApart = 16, kMostApart = 1024;  // runs between two of the slower way

}  // namespace

void Sharing::Took(std::chrono::nanoseconds time) {
  if (++runs_ == 1) return;  // memory is touched for the first time
  const bool shared = Shares(), tried = tries_other_;
  // A run that something else held up says little, several do.
  constexpr float kSlowly = 16;
  const auto ns = static_cast<float>(std::max<int64_t>(1, time.count()));
  float& known = ns_[shared ? 1 : 0];
  known = known == 0 || ns < known ? ns : known + (ns - known) / kSlowly;
  tries_other_ = false;
  const float other = ns_[shared ? 0 : 1];
  if (other == 0) {
    tries_other_ = known < long_ns_;
    return;
  }
  const bool better = ns_[1] <= ns_[0];
  if (better != shares_) {
    shares_ = better;
    until_other_ = apart_ = kLeastApart;
  } else if (tried) {
    until_other_ = apart_ = std::clamp(2 * apart_, kLeastApart, kMostApart);
  } else if (until_other_ > 0) {
    --until_other_;
  }
  tries_other_ = until_other_ == 0 && ns_[1] < long_ns_;
}

}  // namespace vta::runtime
