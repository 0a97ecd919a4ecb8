// Builds a shared object from our sources with tools of others when it is needed, and keeps it in
// the user's cache folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vta::sim {

/// The folder that is wanted, or for "" $VTA_CACHE_DIR, or vta/ in the user's cache folder; it need
/// not be there.
std::string CacheFolder(const std::string& wanted = {});

/// Without links, from the root: tools run in another folder. Errors: throws Error where a part of
/// it cannot be read.
std::string WholePath(const std::string& folder);

/// What a build works in, and with.
class Builder {
 public:
  Builder(std::string folder, std::string log, std::string title, std::string subject)
      : folder_(std::move(folder)),
        log_(std::move(log)),
        title_(std::move(title)),
        subject_(std::move(subject)) {}

  const std::string& folder() const { return folder_; }
  void Write(const std::string& file, const std::string& text) const;
  /// Runs a shell script there; `source_dir` is $SOURCE in it.
  /// Errors: throws Error with the end of its log where it fails; and Interrupted.
  void Run(const std::string& source_dir, const std::string& script) const;

 private:
  std::string folder_, log_, title_, subject_;
};

struct BuildRequest {
  std::string kind;       // "rtl": files of the cache are KIND-HASH
  std::string title;      // for messages: "Verilator model"
  std::string subject;    // and of what: "config default"
  uint64_t hash = 0;      // of all that it is made from
  std::string cache_dir;  // see CacheFolder
  /// Is told what takes long, before it begins: a build, the wait for another process that builds.
  std::function<void(const std::string&)> on_wait;
};

/// The path of the shared object. One that is not whole is built again by `make`, which leaves
/// model.so in the builder's folder; one process builds while others wait, and a build that does
/// not end leaves nothing but its log. Errors: what `make` throws, and Error where the cache cannot
/// be written.
std::string BuildOnce(const BuildRequest& request, const std::function<void(const Builder&)>& make);

}  // namespace vta::sim
