#include "tools/serve/spawner.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

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

// Nothing is left open but `kept` and what messages go to.
void KeepOnly(int kept) {
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(kept) - 1, 0);
  close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
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

int64_t StartOne(size_t device, int socket, const std::function<void(size_t, int)>& child) {
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) return -errno;
  if (pid > 0) {
    setpgid(pid, pid);
    return pid;
  }
  EndWithParent(parent);
  setpgid(0, 0);  // with what it starts it is ended at once
  KeepOnly(socket);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  child(device, socket);
  _exit(0);
}

int64_t KillOne(pid_t pid, std::set<pid_t>& children) {
  if (children.erase(pid) == 0) return 0;  // its number may be another's by now
  int status = 0;
  const bool was_dead = waitpid(pid, &status, WNOHANG) == pid;
  kill(-pid, SIGKILL);
  if (was_dead) return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

[[noreturn]] void Obey(int control, const std::function<void(size_t, int)>& child) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::set<pid_t> children;
  Message order;
  for (int descriptor = -1; Receive(control, order, descriptor);) {
    Message answer = order;
    if (order.what == kStart) {
      answer.value = StartOne(static_cast<size_t>(order.value), descriptor, child);
      if (answer.value > 0) children.insert(static_cast<pid_t>(answer.value));
    } else {
      answer.value = KillOne(static_cast<pid_t>(order.value), children);
    }
    if (descriptor >= 0) close(descriptor);
    if (!Send(control, answer, -1)) break;
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

int64_t Spawner::Order(int64_t what, int64_t value, int descriptor) {
  const std::lock_guard lock(mutex_);
  Message answer;
  int none = -1;
  if (!Send(control_, {what, value}, descriptor) || !Receive(control_, answer, none))
    throw Error("process of a lease", "", "", "cannot be had: the server is about to end");
  return answer.value;
}

Spawner::Process Spawner::Start(size_t device) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) Refused("socketpair");
  int64_t pid = -1;
  try {
    pid = Order(kStart, static_cast<int64_t>(device), ends[1]);
  } catch (const Error&) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  if (pid > 0) return {static_cast<pid_t>(pid), ends[0]};
  close(ends[0]);
  errno = static_cast<int>(-pid);
  Refused("fork");
}

int Spawner::Kill(pid_t pid) { return static_cast<int>(Order(kKill, pid, -1)); }

}  // namespace vta::serve
