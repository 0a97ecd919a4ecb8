#include "runtime/modules/sharing.h"

#include <algorithm>
#include <utility>

namespace vta::runtime {
namespace {

// The first run of a try does not count: threads may be asleep, data on the other's processor.
constexpr uint32_t kTry = 2;
constexpr float kLeastApart = 16, kMostApart = 1024;  // runs between two tries
constexpr float kCost = 0.005F;                       // that tries may have, of all runs

}  // namespace

void Sharing::Took(std::chrono::nanoseconds time) {
  if (!std::exchange(ran_, true)) return;  // memory is touched for the first time
  if (trying_ == kTry) {
    --trying_;
    return;
  }
  const bool shared = Shares(), tried = std::exchange(trying_, 0) > 0;
  const auto ns = static_cast<float>(std::max<int64_t>(1, time.count()));
  // A run that something else held up says little, however long it took; several do.
  constexpr float kSlowly = 16;
  float& known = ns_[shared ? 1 : 0];
  known = known == 0 || ns < known ? ns : known + std::min(ns - known, known) / kSlowly;
  const float alone_ns = ns_[0], shared_ns = ns_[1];
  if (alone_ns == 0 || shared_ns == 0) {
    if (known < long_ns_) trying_ = kTry;
    return;
  }
  shares_ = shared_ns <= alone_ns;
  if (tried) {
    const auto [quick, slow] = std::minmax(alone_ns, shared_ns);
    until_try_ = static_cast<uint32_t>(
        std::clamp(kTry * (slow - quick) / (kCost * quick), kLeastApart, kMostApart));
  } else if (until_try_ > 0) {
    --until_try_;
  }
  if (until_try_ == 0 && shared_ns < long_ns_) trying_ = kTry;
}

}  // namespace vta::runtime
