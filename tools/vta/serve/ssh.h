// Commands on another machine, by the system's ssh: one connection for all of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/temporary.h"

namespace vta::tools {

struct SshOptions {
  std::string to;  // [USER@]HOST, or a name of ssh's own configuration
  int64_t port = 0;
  std::string identity;
  std::vector<std::string> options;  // as ssh's -o has them
};

/// A word of a shell's command.
std::string Quoted(const std::string& word);

class Ssh {
 public:
  /// Errors: throws Error naming the machine, with what ssh says, where there is no connection.
  explicit Ssh(SshOptions options);
  ~Ssh();
  Ssh(const Ssh&) = delete;
  Ssh& operator=(const Ssh&) = delete;

  struct Done {
    int status = 0;
    std::string out, errors;
  };
  /// A script of sh there. `input`: the file that it reads. Errors: throws Error where the
  /// connection is cut.
  Done Run(const std::string& script, const std::string& input = "/dev/null") const;
  /// The same of one that must succeed: what it prints. Errors: throws Error naming `what`.
  std::string Must(const std::string& script, const std::string& what) const;
  /// A port of this machine that leads to HOST:PORT as it is there.
  int64_t Forward(const std::string& host, int64_t port) const;

  const std::string& to() const { return options_.to; }

 private:
  std::vector<std::string> Words(const std::vector<std::string>& more) const;

  SshOptions options_;
  Temporary folder_;
  pid_t master_ = -1;
};

}  // namespace vta::tools
