#include "tools/vta/serve/board_folder.h"

#include <sstream>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "isa/support/sha256.h"

namespace vta::tools {
namespace {

constexpr int64_t kSpareBytes = 1 << 20;

std::string InFolder(const std::string& path, const std::string& script) {
  return StrCat("cd ", Quoted(path), " || exit 1\n", script);
}

/// A file whose bytes are not there yet.
struct Unsent {
  const BoardFile* file;
  int64_t bytes;
  std::string sha256;
};

}  // namespace

BoardFolder::BoardFolder(const Ssh& ssh, const std::string& path) : ssh_(ssh) {
  std::istringstream said(ssh.Must(StrCat("uname -s && uname -m && id -u && mkdir -p -- ",
                                          Quoted(path), " && cd -- ", Quoted(path), " && pwd"),
                                   StrCat("folder ", path)));
  std::string system, user;
  std::getline(said, system);
  std::getline(said, machine_);
  std::getline(said, user);
  std::getline(said, path_);
  is_root_ = user == "0";
  if (system != "Linux")
    throw Error(ssh.to(), "system", Visible(system), "must be Linux, for which the programs are");
  if (!path_.starts_with('/'))
    throw Error(ssh.to(), "folder", path, "is where its shell does not say");
}

std::string BoardFolder::Do(const std::string& script, const std::string& what) const {
  return ssh_.Must(InFolder(path_, script), what);
}

int64_t BoardFolder::Put(const std::vector<BoardFile>& files) const {
  std::vector<Unsent> unsent;
  int64_t bytes = 0;
  for (const BoardFile& file : files) {
    const std::vector<uint8_t> content = ReadFile(file.path);
    const std::string sha256 = Sha256(content);
    const Ssh::Done there = ssh_.Run(InFolder(path_, StrCat("sha256sum < ", Quoted(file.name))));
    if (there.out.starts_with(sha256)) continue;
    unsent.push_back({&file, std::ssize(content), sha256});
    bytes += std::ssize(content);
  }
  if (unsent.empty()) return 0;
  // Total, used and free KiB stand before the share that is used and where it is mounted.
  std::istringstream disk(Do("df -Pk . | tail -n 1", "disk"));
  std::string word;
  int64_t free_kib = -1;
  for (int i = 0; i < 3; ++i) disk >> word;
  if (!(disk >> free_kib)) throw Error(ssh_.to(), "disk", "", "what is free is not said by df -Pk");
  if (free_kib * 1024 < bytes + kSpareBytes)
    throw Error(ssh_.to(), StrCat("disk of ", path_), Counted(free_kib * 1024, "byte"),
                StrCat("must have ", Counted(bytes + kSpareBytes, "byte"), " free"));
  for (const Unsent& one : unsent) {
    const std::string name = Quoted(one.file->name), part = Quoted(one.file->name + ".part");
    // Its folder may be one of this folder; readers see the old bytes or the new.
    const Ssh::Done done = ssh_.Run(
        InFolder(path_, StrCat("umask 077; mkdir -p \"$(dirname ", name, ")\" && cat > ", part,
                               " && case $(sha256sum < ", part, ") in ", one.sha256,
                               "*) ;; *) echo 'it came damaged' >&2; false ;; esac && chmod ",
                               one.file->mode, " ", part, " && mv -f ", part, " ", name,
                               " || { rm -f ", part, "; exit 1; }")),
        one.file->path);
    if (done.status != 0)
      throw Error(ssh_.to(), StrCat("file ", path_, "/", one.file->name), "",
                  StrCat("cannot be put there: ", done.errors));
  }
  return bytes;
}

}  // namespace vta::tools
