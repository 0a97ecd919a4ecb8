// Messages on a socket between two processes of a server: a length, then so many bytes.
#pragma once

#include <chrono>
#include <string>

namespace vta::serve {

/// What a reply of a lease's process begins with: whether its device is to be tested.
inline constexpr char kFaulted = 'f', kGood = 'g';

/// False where the other end is gone.
bool SendFrame(int socket, const std::string& message);
/// False at its end, where a message would be larger than kMostCallBytes and some, or after
/// `limit`.
bool ReceiveFrame(int socket, std::string& message,
                  std::chrono::milliseconds limit = std::chrono::milliseconds::max());

}  // namespace vta::serve
