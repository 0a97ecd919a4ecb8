// How many of its random trials a test makes.
#pragma once

#include <cstdlib>
#include <string_view>

namespace vta {

/// One of so many: each, or, under sanitizers, which take tens of times as long, a sample, unless
/// $VTA_TEST_WHOLE is 1.
inline int OneTrialOf() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  const char* whole = std::getenv("VTA_TEST_WHOLE");
  return whole && std::string_view(whole) == "1" ? 1 : 7;
#endif
#endif
  return 1;
}

/// How many that are of `all`.
inline int Trials(int all) { return (all - 1) / OneTrialOf() + 1; }

}  // namespace vta
