// A process of its own that answers requests: a JSON object a line, on its stdin and stdout.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/json.h"

namespace vta::tools {

class JsonProcess {
 public:
  /// `name`: in messages; `words`: program and arguments; `limit_s`: for an answer. It ends with
  /// its owner. Errors: throws Error where it cannot be started.
  JsonProcess(std::string name, std::vector<std::string> words, double limit_s);
  ~JsonProcess();
  JsonProcess(const JsonProcess&) = delete;
  JsonProcess& operator=(const JsonProcess&) = delete;

  /// Errors: throws Error where the answer holds an "error", and, with the last of what it wrote to
  /// stderr, where it has ended, says something else, or nothing in time.
  Json Ask(const Json& request);
  /// Its threads do nothing until it is asked again: some would look for work for a while.
  void Rest();
  /// An error of it, with the last of what it wrote to stderr.
  Error Fail(const std::string& what, const std::string& rule) const;

 private:
  void Wake();
  void Send(const std::string& text);
  std::string ReadLine();
  /// Its status, once it has ended; nothing where it does not in time, and is killed.
  std::optional<int> WaitOrKill(double limit_s);
  /// What became of the process, which closed its end.
  std::string EndedHow();

  const std::string name_;
  const double limit_s_;
  pid_t process_ = 0;
  bool rests_ = false;
  int socket_ = -1, messages_ = -1;
  std::string unread_;
};

}  // namespace vta::tools
