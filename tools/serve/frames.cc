#include "tools/serve/frames.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "driver/remote/protocol.h"

namespace vta::serve {
namespace {

using Clock = std::chrono::steady_clock;

bool SendAll(int socket, const void* data, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t sent =
        send(socket, static_cast<const char*>(data) + at, bytes - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) at += static_cast<size_t>(sent);
  }
  return true;
}

/// Whether there is something to read in time.
bool IsReady(int socket, Clock::time_point end) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
    pollfd wanted{socket, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX)));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= end) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool ReceiveAll(int socket, void* data, size_t bytes, Clock::time_point end) {
  for (size_t at = 0; at < bytes;) {
    if (end != Clock::time_point::max() && !IsReady(socket, end)) return false;
    const ssize_t got = read(socket, static_cast<char*>(data) + at, bytes - at);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) at += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

bool SendFrame(int socket, const std::string& message) {
  const uint64_t bytes = message.size();
  return SendAll(socket, &bytes, sizeof bytes) && SendAll(socket, message.data(), message.size());
}

bool ReceiveFrame(int socket, std::string& message, std::chrono::milliseconds limit) {
  constexpr uint64_t kMost = driver::remote::kMostCallBytes + 4096;  // what stands around it
  const auto end =
      limit == std::chrono::milliseconds::max() ? Clock::time_point::max() : Clock::now() + limit;
  uint64_t bytes = 0;
  if (!ReceiveAll(socket, &bytes, sizeof bytes, end) || bytes > kMost) return false;
  message.resize(bytes);
  return ReceiveAll(socket, message.data(), bytes, end);
}

}  // namespace vta::serve
