#include "runtime/modules/sharing.h"

#include <algorithm>
#include <utility>

namespace vta::runtime {
namespace {

// The first run of a try does not count: threads may be asleep, data on the other's processor.
constexpr uint32_t kTry = 2;
// Runs between two tries: few at first, when all is cold; then so many that tries take little.
constexpr float kLeastApart = 16, kMostApart = 1024;

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
  const bool turned = std::exchange(shares_, shared_ns <= alone_ns) != shares_;
  if (turned) {
    apart_ = until_try_ = kLeastApart;
  } else if (tried) {
    // A try takes kTry runs of the difference longer than others.
    const auto [quick, slow] = std::minmax(alone_ns, shared_ns);
    const float most = std::min(kTry * (slow - quick) / (cost_ * quick), kMostApart);
    apart_ = until_try_ = std::max(std::min(2 * apart_, most), kLeastApart);
  } else if (until_try_ > 0) {
    --until_try_;
  }
  // What is not shared is tried again, however long it took: a processor may have been busy.
  if (until_try_ <= 0 && (shared_ns < long_ns_ || !shares_)) trying_ = kTry;
}

}  // namespace vta::runtime
