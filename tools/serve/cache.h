// Packages that were sent, by the SHA-256 of what came: files in a folder, of which the ones that
// were not asked for the longest go first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "driver/remote/wire/sha256.h"

namespace vta::serve {

class PackageCache;

/// One package on its way. What has come of one that is given up is kept, and need not come again.
class Upload {
 public:
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  int64_t have() const { return have_; }
  /// Errors: throws Error where more comes than was said, or the disk is full.
  void Add(std::span<const uint8_t> bytes);
  /// All has come: the package is in the cache. Returns its SHA-256.
  /// Errors: throws Error where it is another package than was said, or not all of it.
  std::string Finish();

 private:
  friend class PackageCache;
  Upload(PackageCache& cache, std::string sha256, int64_t size);

  PackageCache& cache_;
  const std::string sha256_, path_;
  const int64_t size_;
  int64_t have_ = 0;
  int file_ = -1;
  driver::remote::Sha256Stream digest_;
};

class PackageCache {
 public:
  /// `folder` is there.
  PackageCache(std::string folder, int64_t limit_bytes);

  /// And is then the last one to go.
  bool Has(const std::string& sha256);
  /// Errors: throws Error for what is no SHA-256, and where there is no room for it.
  std::unique_ptr<Upload> Begin(const std::string& sha256, int64_t size);

  /// A file's bytes, as if they had been sent. Errors: throws Error where it cannot be read.
  void Take(const std::string& file);

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t bytes() const;
  int64_t packages() const;

 private:
  friend class Upload;
  struct Entry {
    std::string name;  // of the file
    int64_t bytes;
  };
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::list<Entry>::iterator Find(const std::string& name);
  void Add(Entry entry, int64_t reserved);

  const std::string folder_;
  const int64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the one that goes first is the first
  int64_t bytes_ = 0;         // of entries, and of what uploads will have
  int64_t uploads_ = 0;       // that there were
};

}  // namespace vta::serve
