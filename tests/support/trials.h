// How many of its random trials a test makes.
#pragma once

namespace vta {

/// One of so many: each, or, under sanitizers, which take tens of times as long, a sample.
#if defined(__has_feature)
inline constexpr int kOneTrialOf = __has_feature(address_sanitizer) ? 7 : 1;
#else
inline constexpr int kOneTrialOf = 1;
#endif

/// How many that are of `all`.
constexpr int Trials(int all) { return (all - 1) / kOneTrialOf + 1; }

}  // namespace vta
