#include "tools/vta/common/json_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLongestLine = 1 << 24;

}  // namespace

JsonProcess::~JsonProcess() {
  close(socket_);  // which tells it to end
  if (process_ > 0) WaitOrKill(0.5);
  close(messages_);
}

JsonProcess::JsonProcess(std::string name, std::vector<std::string> words, double limit_s)
    : name_(std::move(name)), limit_s_(limit_s) {
  VTA_CHECK(!words.empty());
  // A socket, not two pipes: writing to one whose reader ended is an error, no signal.
  std::array<int, 2> ends;
  messages_ = memfd_create("messages", MFD_CLOEXEC);
  if (messages_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Fail("cannot start", std::strerror(errno));
  socket_ = ends[0];
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // In a group of its own: where its owner is killed while it rests, the system ends it.
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, messages_, STDERR_FILENO);
  const int reason =
      posix_spawn(&process_, words[0].c_str(), &files, &own_group, arguments.data(), environ);
  posix_spawnattr_destroy(&own_group);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (reason == 0) return;
  process_ = 0;
  close(socket_);
  close(messages_);
  throw Error(words[0], "cannot run", "", std::strerror(reason));
}

Error JsonProcess::Fail(const std::string& what, const std::string& rule) const {
  constexpr off_t kMostShown = 2000;
  std::string said(kMostShown, '\0');
  const off_t size = lseek(messages_, 0, SEEK_END);
  const ssize_t count =
      pread(messages_, said.data(), said.size(), std::max<off_t>(0, size - kMostShown));
  said.resize(static_cast<size_t>(std::max<ssize_t>(0, count)));
  while (said.ends_with('\n')) said.pop_back();
  return Error(name_, what, "", rule, said.empty() ? "" : "\n" + Visible(said, true));
}

std::optional<int> JsonProcess::WaitOrKill(double limit_s) {
  Wake();
  const auto end = Clock::now() + std::chrono::duration<double>(limit_s);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process_, &status, WNOHANG)) == 0 && Clock::now() < end) usleep(10'000);
  if (ended == 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  process_ = 0;
  return ended > 0 ? std::optional(status) : std::nullopt;
}

std::string JsonProcess::EndedHow() {
  const std::optional<int> status = WaitOrKill(limit_s_);
  if (!status) return StrCat("closed its output, but had not ended ", limit_s_, " s later");
  if (WIFSIGNALED(*status)) return StrCat("ended by signal ", WTERMSIG(*status));
  return StrCat("ended with exit status ", WEXITSTATUS(*status));
}

void JsonProcess::Rest() {
  if (process_ == 0) return;
  kill(process_, SIGSTOP);
  rests_ = true;
}

void JsonProcess::Wake() {
  if (process_ != 0 && rests_) kill(process_, SIGCONT);
  rests_ = false;
}

void JsonProcess::Send(const std::string& text) {
  if (process_ == 0) throw Fail("", "has ended");
  Wake();
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Fail("", EndedHow());
    at += static_cast<size_t>(count);
  }
}

std::string JsonProcess::ReadLine() {
  const auto end = Clock::now() + std::chrono::duration<double>(limit_s_);
  std::array<char, 4096> buffer;
  size_t looked = 0;
  for (;;) {
    const size_t at = unread_.find('\n', looked);
    if (at != unread_.npos) {
      std::string line = unread_.substr(0, at);
      unread_.erase(0, at + 1);
      return line;
    }
    looked = unread_.size();
    if (looked > kLongestLine) throw Fail("answer", "has no end");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) throw Fail("", StrCat("gave no answer in ", limit_s_, " s"));
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 1000))) <= 0) continue;
    const ssize_t count = read(socket_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Fail("", EndedHow());
    unread_.append(buffer.data(), static_cast<size_t>(count));
  }
}

Json JsonProcess::Ask(const Json& request) {
  Send(request.Dump(-1) + "\n");
  const std::string line = ReadLine();
  Json answer;
  try {
    answer = Json::Parse(line, "answer");
  } catch (const Error&) {
    constexpr size_t kMostShown = 200;
    throw Fail(StrCat("answer '", line.substr(0, kMostShown), "'"), "is no JSON");
  }
  if (const Json* error = answer.Find("error"); error && error->as_string())
    throw Error(name_, *request.Find("do")->as_string(), "",
                StrCat("failed: ", *error->as_string()));
  return answer;
}

}  // namespace vta::tools
