// The folder of a board in which vta deploy puts what runs there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/vta/serve/ssh.h"

namespace vta::tools {

/// A file for the board, and what it is called there.
struct BoardFile {
  std::string path;  // here
  std::string name;  // there, in the folder
  std::string mode = "644";
};

class BoardFolder {
 public:
  /// Makes it, where it is not there. Errors: throws Error where that cannot be, and where the
  /// machine is no Linux.
  BoardFolder(const Ssh& ssh, const std::string& path);

  /// As `uname -m` has it.
  const std::string& machine() const { return machine_; }
  /// Absolute.
  const std::string& path() const { return path_; }
  bool is_root() const { return is_root_; }

  /// Puts files there, whole or not at all, but those that are there with the same bytes. Returns
  /// the bytes that were sent. Errors: throws Error where the disk has no room for them, before any
  /// is sent; or where one does not arrive.
  int64_t Put(const std::vector<BoardFile>& files) const;
  /// A script with that folder as its own. Errors: as Ssh::Must.
  std::string Do(const std::string& script, const std::string& what) const;

 private:
  const Ssh& ssh_;
  std::string machine_, path_;
  bool is_root_ = false;
};

}  // namespace vta::tools
