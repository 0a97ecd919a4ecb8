// The folder of --dump-dir.
#pragma once

#include <string>
#include <string_view>

namespace vta::compiler {

/// Numbers the dumps in the order in which they come.
class DumpFolder {
 public:
  /// Empty for none. Errors: throws Error where it cannot be made.
  explicit DumpFolder(const std::string& folder);
  /// Characters that no file should have in its name become '_'.
  void Write(std::string name, std::string_view text);
  bool on() const { return !folder_.empty(); }

 private:
  std::string folder_;
  int count_ = 0;
};

}  // namespace vta::compiler
