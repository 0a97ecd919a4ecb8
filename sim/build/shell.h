// Runs tools of others: Verilator, make, Yosys.
#pragma once

#include <functional>
#include <string>

#include "isa/support/error.h"

namespace vta::sim {

/// The user or the system ends what is going on. It is thrown so that everything half made goes;
/// who catches it ends by the same signal.
class Interrupted : public Error {
 public:
  explicit Interrupted(int signal) : Error("", "", "", "interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// For the shell: one word, whatever it holds.
std::string ShellQuoted(const std::string& text);

/// Runs a line of shell, which reads nothing; true where it exits with 0. While it runs, `on_wait`
/// is called many times a second.
/// Errors: throws Interrupted where SIGHUP, SIGINT, SIGQUIT or SIGTERM comes, once all that it
/// started has ended; and Error where there is no shell.
bool RunShell(const std::string& command, const std::function<void()>& on_wait = {});

}  // namespace vta::sim
