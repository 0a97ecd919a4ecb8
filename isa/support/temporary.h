// Files and folders that do not outlive their maker, however it ends.
#pragma once

#include <string>

namespace vta {

/// Owns what lies at a path, a file or a folder with all that is in it, from before it is made: it
/// goes with its owner, and when a signal that can be caught ends the process. While there are
/// owners, each such signal that has no handler and is not ignored gets one that removes what is
/// theirs and then ends the process as the signal would have.
class Temporary {
 public:
  explicit Temporary(std::string path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int slot_;
};

/// The folder for what is temporary: $TMPDIR, or /tmp where that is not set or empty.
/// Errors: throws Error naming it where it is no folder.
std::string TemporaryRoot();

/// Makes a folder there that only this user may enter: `name`, a dash and six letters.
/// Errors: as TemporaryRoot; throws Error naming it where it cannot be made.
std::string NewTemporaryFolder(const std::string& name);

}  // namespace vta
