#include "tools/serve/cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "driver/remote/protocol.h"
#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::serve {
namespace {

constexpr size_t kDigits = 64;
constexpr char kPackage[] = ".vta", kPart[] = ".part";

[[noreturn]] void ThrowOfFile(const char* what) {
  throw Error("cache", what, "", StrCat("the system refuses: ", std::strerror(errno)));
}

}  // namespace

Upload::Upload(PackageCache& cache, std::string sha256, int64_t size)
    : cache_(cache),
      sha256_(std::move(sha256)),
      path_(cache.Path(StrCat("upload", ++cache.uploads_))),
      size_(size) {
  // What came of it before, if that is here.
  const std::string part = cache.Path(sha256_ + kPart);
  const auto entry = cache.Find(sha256_ + kPart);
  const bool resumes = entry != cache.entries_.end() && entry->bytes <= size_ &&
                       std::rename(part.c_str(), path_.c_str()) == 0;
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) ThrowOfFile("a package");
  if (!resumes) return;
  cache.bytes_ -= entry->bytes;
  cache.entries_.erase(entry);
  std::array<uint8_t, 65536> buffer;
  for (ssize_t got; (got = read(file_, buffer.data(), buffer.size())) > 0; have_ += got)
    digest_.Add({buffer.data(), static_cast<size_t>(got)});
}

Upload::~Upload() {
  if (file_ < 0) return;
  close(file_);
  const std::string name = sha256_ + kPart;
  const bool keeps = have_ > 0 && std::rename(path_.c_str(), cache_.Path(name).c_str()) == 0;
  if (!keeps) unlink(path_.c_str());
  cache_.Add({keeps ? name : "", have_}, size_);
}

void Upload::Add(std::span<const uint8_t> bytes) {
  if (std::ssize(bytes) > size_ - have_)
    throw Error("package", "bytes", std::to_string(have_ + std::ssize(bytes)),
                StrCat("must be ", size_, ", as was said"));
  for (std::span<const uint8_t> left = bytes; !left.empty();) {
    const ssize_t wrote = write(file_, left.data(), left.size());
    if (wrote < 0 && errno != EINTR) ThrowOfFile("a package");
    if (wrote > 0) left = left.subspan(static_cast<size_t>(wrote));
  }
  digest_.Add(bytes);
  have_ += std::ssize(bytes);
}

std::string Upload::Finish() {
  if (have_ != size_)
    throw Error("package", "bytes", std::to_string(have_), StrCat("must be ", size_));
  const std::string sha256 = digest_.Digest();
  if (sha256 != sha256_) {
    have_ = 0;  // it is nothing that anybody has asked for
    throw Error("package", "SHA-256", sha256, StrCat("must be ", sha256_, ", as was said"));
  }
  close(std::exchange(file_, -1));
  const std::string name = sha256 + kPackage;
  if (std::rename(path_.c_str(), cache_.Path(name).c_str()) != 0) {
    const int error = errno;
    unlink(path_.c_str());
    cache_.Add({"", 0}, size_);
    errno = error;
    ThrowOfFile("a package");
  }
  cache_.Add({name, size_}, size_);
  return sha256;
}

PackageCache::PackageCache(std::string folder, int64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

std::list<PackageCache::Entry>::iterator PackageCache::Find(const std::string& name) {
  return std::ranges::find(entries_, name, &Entry::name);
}

bool PackageCache::Has(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  const auto entry = Find(sha256 + kPackage);
  if (entry == entries_.end()) return false;
  entries_.splice(entries_.end(), entries_, entry);
  return true;
}

std::unique_ptr<Upload> PackageCache::Begin(const std::string& sha256, int64_t size) {
  if (sha256.size() != kDigits || sha256.find_first_not_of("0123456789abcdef") != sha256.npos)
    throw Error("package", "SHA-256", sha256, StrCat("must be ", kDigits, " hexadecimal digits"));
  const std::lock_guard lock(mutex_);
  const int64_t most = std::min(limit_bytes_, driver::remote::kMostPackageBytes);
  if (size < 0 || size > most)
    throw Error("package", "bytes", std::to_string(size),
                StrCat("must be at most ", most, ", what the server's cache may have"));
  std::unique_ptr<Upload> upload(new Upload(*this, sha256, size));
  while (bytes_ + size > limit_bytes_ && !entries_.empty()) {
    unlink(Path(entries_.front().name).c_str());
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  bytes_ += size;
  if (bytes_ <= limit_bytes_) return upload;
  bytes_ -= size;
  unlink(upload->path_.c_str());
  close(std::exchange(upload->file_, -1));
  throw Error("cache", "", "", "is full of packages that are being sent: try again");
}

void PackageCache::Take(const std::string& file) {
  const std::vector<uint8_t> bytes = ReadFile(file, driver::remote::kMostPackageBytes);
  const auto upload = Begin(driver::remote::QuickSha256(bytes), std::ssize(bytes));
  upload->Add(bytes);
  upload->Finish();
}

// In the place of what was reserved for it; no name: there is nothing.
void PackageCache::Add(Entry entry, int64_t reserved) {
  const std::lock_guard lock(mutex_);
  bytes_ -= reserved;
  if (entry.name.empty()) return;
  if (const auto old = Find(entry.name); old != entries_.end()) {
    bytes_ -= old->bytes;
    entries_.erase(old);
  }
  bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
}

int64_t PackageCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t PackageCache::packages() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::count_if(entries_,
                               [](const Entry& entry) { return entry.name.ends_with(kPackage); });
}

}  // namespace vta::serve
