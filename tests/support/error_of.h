// What a call throws.
#pragma once

#include <functional>
#include <string>

namespace vta {

/// The message of the Error that the call throws, or "no error".
std::string ErrorOf(const std::function<void()>& call);

}  // namespace vta
