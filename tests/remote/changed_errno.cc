// Stands before the C library's own, also for shared libraries of this process.
#include "tests/remote/changed_errno.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace {

std::atomic<int> changed_descriptor = -1;

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int connect(int fd, const sockaddr* address,
                                                   socklen_t size) {
  static auto* const next = Next<int(int, const sockaddr*, socklen_t)>("connect");
  const int status = next(fd, address, size);
  const int said = errno;
  if (status < 0 && said == EINPROGRESS && vta::serve::changed_connections > 0) {
    --vta::serve::changed_connections;
    changed_descriptor = fd;
  }
  errno = said;
  return status;
}

__attribute__((visibility("default"))) int epoll_ctl(int epoll, int operation, int fd,
                                                     epoll_event* event) noexcept {
  static auto* const next = Next<int(int, int, int, epoll_event*)>("epoll_ctl");
  const int status = next(epoll, operation, fd, event);
  if (status == 0 && operation == EPOLL_CTL_ADD && fd == changed_descriptor) {
    changed_descriptor = -1;
    errno = ENOENT;
  }
  return status;
}
}
