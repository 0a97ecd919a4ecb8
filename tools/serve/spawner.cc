#include "tools/serve/spawner.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <utility>

#include "isa/support/error.h"

namespace vta::serve {
namespace {

constexpr int64_t kStart = 1, kKill = 2;

struct Message {
  int64_t what = 0, value = 0;
};

[[noreturn]] void Refused(const char* what) {
  throw Error("process of a lease", what, "", StrCat("the system refuses: ", std::strerror(errno)));
}

bool Send(int socket, const Message& message, int descriptor) {
  iovec part{const_cast<Message*>(&message), sizeof message};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor >= 0) {
    header.msg_control = room;
    header.msg_controllen = sizeof room;
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == ssize_t{sizeof message};
}

bool Receive(int socket, Message& message, int& descriptor) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room;
  header.msg_controllen = sizeof room;
  ssize_t got = 0;
  do got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got != ssize_t{sizeof message}) return false;
  descriptor = -1;
  if (const cmsghdr* const control = CMSG_FIRSTHDR(&header))
    std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
  return true;
}

void EndWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

// A board's kernel may be older than the call that closes all at once.
void CloseFrom(int first, int last) {
  if (first > last ||
      close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0)
    return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (int i = first; i <= last && i < most; ++i) close(i);
}

// Nothing is left open but `kept` and what messages go to.
void KeepOnly(int kept) {
  CloseFrom(STDERR_FILENO + 1, kept - 1);
  CloseFrom(kept + 1, INT_MAX);
}

// A terminal's keys are for the server, whose end is this process's end.
void ResetSignals() {
  for (int number = 1; number <= SIGRTMAX; ++number) ::signal(number, SIG_DFL);
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE})
    ::signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What leases' processes are made of, and are ended by.
class Nursery {
 public:
  explicit Nursery(const std::function<void(size_t, int)>& child) : child_(child) {}

  /// Its pid and `socket` to it, or the system's error, negative.
  int64_t Start(size_t device, int& socket) {
    Spawner::Process process{-1, -1};
    if (const auto found = waiting_.find(device); found != waiting_.end()) {
      process = found->second;
      waiting_.erase(found);
      if (waitpid(process.pid, nullptr, WNOHANG) != 0) {  // out of memory, or somebody ended it
        close(process.socket);
        process.pid = -1;
      }
    }
    if (process.pid < 0) process = Fork(device);
    if (process.pid < 0) return -errno;
    devices_[process.pid] = device;
    socket = process.socket;
    return process.pid;
  }

  /// The next one of its device is made while it ends.
  int64_t Kill(pid_t pid) {
    const auto found = devices_.find(pid);
    if (found == devices_.end()) return 0;  // its number may be another's by now
    const size_t device = found->second;
    devices_.erase(found);
    int status = 0;
    const bool was_dead = waitpid(pid, &status, WNOHANG) == pid;
    kill(-pid, SIGKILL);
    if (!was_dead) kill(pid, SIGKILL);
    if (!waiting_.contains(device))
      if (const Spawner::Process next = Fork(device); next.pid > 0) waiting_[device] = next;
    if (was_dead) return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return 0;
  }

 private:
  // Without a process of its own where the system gives none.
  Spawner::Process Fork(size_t device) const {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
      EndWithParent(parent);
      setpgid(0, 0);  // with what it starts it is ended at once
      KeepOnly(ends[1]);
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      child_(device, ends[1]);
      _exit(0);
    }
    const int error = errno;
    close(ends[1]);
    if (pid > 0) {
      setpgid(pid, pid);
      return {pid, ends[0]};
    }
    close(ends[0]);
    errno = error;
    return {};
  }

  const std::function<void(size_t, int)>& child_;
  std::map<size_t, Spawner::Process> waiting_;  // by device: for its next lease
  std::map<pid_t, size_t> devices_;             // of those that leases have
};

[[noreturn]] void Obey(int control, const std::function<void(size_t, int)>& child) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  Nursery nursery(child);
  Message order;
  for (int none = -1; Receive(control, order, none);) {
    Message answer = order;
    int socket = -1;
    answer.value = order.what == kStart ? nursery.Start(static_cast<size_t>(order.value), socket)
                                        : nursery.Kill(static_cast<pid_t>(order.value));
    const bool sent = Send(control, answer, socket);
    if (socket >= 0) close(socket);
    if (!sent) break;
  }
  _exit(0);
}

}  // namespace

Spawner::Spawner(const std::string& folder, std::function<void(size_t, int)> child) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) Refused("socketpair");
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    EndWithParent(parent);
    KeepOnly(ends[1]);
    ResetSignals();
    if (chdir(folder.c_str()) != 0) _exit(1);
    Obey(ends[1], child);
  }
  close(ends[1]);
  control_ = ends[0];
  if (pid_ < 0) Refused("fork");
}

Spawner::~Spawner() {
  close(control_);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int64_t Spawner::Order(int64_t what, int64_t value, int& socket) {
  const std::lock_guard lock(mutex_);
  Message answer;
  if (!Send(control_, {what, value}, -1) || !Receive(control_, answer, socket))
    throw Error("process of a lease", "", "", "cannot be had: the server is about to end");
  return answer.value;
}

Spawner::Process Spawner::Start(size_t device) {
  Process process;
  const int64_t pid = Order(kStart, static_cast<int64_t>(device), process.socket);
  process.pid = static_cast<pid_t>(pid);
  if (pid > 0) return process;
  errno = static_cast<int>(-pid);
  Refused("fork");
}

int Spawner::Kill(pid_t pid) {
  int none = -1;
  return static_cast<int>(Order(kKill, pid, none));
}

}  // namespace vta::serve
