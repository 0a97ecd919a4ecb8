#include "tools/vta/common/self.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "isa/support/error.h"

namespace vta::tools {

namespace {

/// From its beginning.
std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got;
       (got = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  return text;
}

std::vector<std::string>& Starter() {
  static std::vector<std::string> words;
  return words;
}

/// Waits for the process, which is ended where `on_wait` throws.
int StatusOf(pid_t process, const std::function<void()>& on_wait, rusage* usage) {
  constexpr useconds_t kWait_us = 20'000;
  int status = 0;
  for (;;) {
    const pid_t ended = wait4(process, &status, on_wait ? WNOHANG : 0, usage);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (!on_wait) continue;
    usleep(kWait_us);
    try {
      on_wait();
    } catch (...) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      throw;
    }
  }
}

}  // namespace

void BeStartedBy(std::vector<std::string> words) { Starter() = std::move(words); }

std::vector<std::string> ToolWords() {
  return Starter().empty() ? std::vector<std::string>{"/proc/self/exe"} : Starter();
}

Taken RunSelf(const std::vector<std::string>& words, const std::string& out,
              const std::function<void()>& on_wait) {
  std::vector<std::string> all = ToolWords();
  const std::string program = all[0];
  if (all.size() == 1) all[0] = "vta";
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int messages = memfd_create("messages", MFD_CLOEXEC);
  const auto start = std::chrono::steady_clock::now();
  const pid_t parent = getpid(), process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    execv(program.c_str(), arguments.data());
    _exit(1);
  }
  if (process < 0) {
    close(messages);
    throw Error("vta " + words[0], "", "", "cannot be started");
  }
  rusage usage{};
  int status = 0;
  try {
    status = StatusOf(process, on_wait, &usage);
  } catch (...) {
    close(messages);
    throw;
  }
  const std::string said = ReadAll(messages);
  close(messages);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error("vta " + words[0], "", "", "says", ":\n" + said);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

}  // namespace vta::tools
