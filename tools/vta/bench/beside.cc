#include "tools/vta/bench/beside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "isa/support/error.h"

namespace vta::tools {

Beside::Beside(std::vector<std::string> words) {
  const std::string command = "vta " + words[0];
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(command, "", "", "cannot be started");
  words.insert(words.begin(), "vta");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    dup2(ends[1], STDOUT_FILENO);
    execv("/proc/self/exe", arguments.data());
    _exit(1);
  }
  close(ends[1]);
  said_ = ends[0];
  for (char c = 0; read(said_, &c, 1) == 1 && c != '\n';) line_ += c;
  if (!line_.empty()) return;
  End();
  throw Error(command, "", "", "did not start");
}

Beside::~Beside() { End(); }

std::string Beside::End() {
  std::string rest;
  if (said_ < 0) return rest;
  if (pid_ > 0) kill(pid_, SIGTERM);
  ssize_t got = 0;
  for (char c = 0; (got = read(said_, &c, 1)) == 1 || (got < 0 && errno == EINTR);)
    if (got == 1) rest += c;
  close(std::exchange(said_, -1));
  if (pid_ <= 0) return rest;
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return rest;
}

double Beside::ChildSeconds() const {
  namespace fs = std::filesystem;
  int64_t all_ns = 0;
  for (const auto& process : fs::directory_iterator("/proc")) {
    // PID (NAME) STATE PARENT ..., of which the name has no blanks.
    std::ifstream stat(process.path() / "stat");
    std::vector<std::string> fields;
    for (std::string word; std::ssize(fields) < 4 && stat >> word;) fields.push_back(word);
    if (std::ssize(fields) < 4 || fields[3] != std::to_string(pid_)) continue;
    std::error_code gone;
    for (const auto& thread : fs::directory_iterator(process.path() / "task", gone)) {
      int64_t ns = 0;  // in steps of a clock's ticks it would say nothing of who waits
      std::ifstream(thread.path() / "schedstat") >> ns;
      all_ns += ns;
    }
  }
  return static_cast<double>(all_ns) / 1e9;
}

}  // namespace vta::tools
