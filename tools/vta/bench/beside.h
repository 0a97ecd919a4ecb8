// The tool once more, beside this process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace vta::tools {

/// `vta WORDS`, for as long as this lives.
class Beside {
 public:
  /// Returns when it has said a line. Errors: throws Error where it ends before that.
  explicit Beside(std::vector<std::string> words);
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// The first that it says.
  const std::string& line() const { return line_; }
  /// What the threads that the processes begun by it have now took of processors.
  double ChildSeconds() const;
  /// Tells it to end; what it said after the first line.
  std::string End();

 private:
  pid_t pid_ = -1;
  int said_ = -1;
  std::string line_;
};

}  // namespace vta::tools
