#include "tools/vta/serve/ssh.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr int kNoProgram = 127;
constexpr int kNoConnection = 255;  // what ssh ends with

/// A file without a name, of what a process writes.
class Written {
 public:
  Written() : file_(memfd_create("written", MFD_CLOEXEC)) {
    if (file_ < 0) throw Error("ssh", "", "", StrCat("cannot be started: ", std::strerror(errno)));
  }
  ~Written() { close(file_); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  int file() const { return file_; }
  std::string Text() const {
    std::string text;
    char piece[4096];
    off_t at = 0;
    for (ssize_t got; (got = pread(file_, piece, sizeof piece, at)) > 0; at += got)
      text.append(piece, static_cast<size_t>(got));
    return text;
  }

 private:
  int file_;
};

/// It ends with this process.
pid_t StartSsh(const std::vector<std::string>& words, int input, int out, int errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw Error("ssh", "", "", StrCat("cannot be started: ", std::strerror(errno)));
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(input, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  constexpr char kSays[] = "there is no program ssh: it is in Debian's openssh-client";
  if (write(STDERR_FILENO, kSays, sizeof kSays - 1) < 0) _exit(1);
  _exit(kNoProgram);
}

int StatusOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : kNoConnection; }

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return StatusOf(status);
}

Ssh::Done RunSsh(const std::vector<std::string>& words, const std::string& input) {
  const int file = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(input, "", "", StrCat("cannot be read: ", std::strerror(errno)));
  const Written out, errors;
  const pid_t pid = StartSsh(words, file, out.file(), errors.file());
  close(file);
  const int status = WaitFor(pid);
  return {status, out.Text(), errors.Text()};
}

/// Its lines as parts of one.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (c == '\n')
      line += line.empty() || line.ends_with("; ") ? "" : "; ";
    else if (c != '\r')
      line += c;
  while (line.ends_with("; ")) line.resize(line.size() - 2);
  return Visible(line);
}

int64_t FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  const bool good = bind(listener, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
                    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
  close(listener);
  if (!good) throw Error("port", "", "", StrCat("none is free: ", std::strerror(errno)));
  return ntohs(address.sin_port);
}

}  // namespace

std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> Ssh::Words(const std::vector<std::string>& more) const {
  std::vector<std::string> words{"ssh", "-S", folder_.path() + "/socket"};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--", options_.to});
  return words;
}

Ssh::Ssh(SshOptions options)
    : options_(std::move(options)), folder_(NewTemporaryFolder("vta-ssh")) {
  std::vector<std::string> words{"-M",
                                 "-N",
                                 "-T",
                                 "-o",
                                 "ConnectTimeout=10",
                                 "-o",
                                 "ServerAliveInterval=5",
                                 "-o",
                                 "ControlPersist=no"};
  if (options_.port > 0) words.insert(words.end(), {"-p", std::to_string(options_.port)});
  if (!options_.identity.empty()) words.insert(words.end(), {"-i", options_.identity});
  for (const std::string& option : options_.options) words.insert(words.end(), {"-o", option});
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const Written errors;
  master_ = StartSsh(Words(words), null, null, errors.file());
  close(null);
  // Its socket is there when the other side has let it in; whoever types a password takes a while.
  while (access((folder_.path() + "/socket").c_str(), F_OK) != 0) {
    int status = 0;
    if (waitpid(master_, &status, WNOHANG) == master_) {
      master_ = -1;
      throw Error(options_.to, "", "", StrCat("ssh says: ", OneLine(errors.Text())));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Ssh::~Ssh() {
  if (master_ < 0) return;
  kill(master_, SIGTERM);
  WaitFor(master_);
}

Ssh::Done Ssh::Run(const std::string& script, const std::string& input) const {
  std::vector<std::string> words = Words({"-T"});
  words.push_back(StrCat("sh -c ", Quoted(script)));
  Done done = RunSsh(words, input);
  done.errors = OneLine(done.errors);
  if (done.status == kNoConnection)
    throw Error(options_.to, "", "", StrCat("the connection was cut: ", done.errors));
  return done;
}

std::string Ssh::Must(const std::string& script, const std::string& what) const {
  const Done done = Run(script);
  if (done.status != 0)
    throw Error(options_.to, what, "",
                StrCat("failed", done.errors.empty() ? "" : ": ", done.errors));
  return done.out;
}

int64_t Ssh::Forward(const std::string& host, int64_t port) const {
  const int64_t own = FreePort();
  const std::string where = host.find(':') == std::string::npos ? host : StrCat("[", host, "]");
  const Done done =
      RunSsh(Words({"-O", "forward", "-L", StrCat("127.0.0.1:", own, ":", where, ":", port)}),
             "/dev/null");
  if (done.status != 0)
    throw Error(options_.to, "port", std::to_string(port),
                StrCat("cannot be reached by ssh: ", OneLine(done.errors)));
  return own;
}

}  // namespace vta::tools
