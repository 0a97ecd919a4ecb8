#include "driver/uio/node.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver::uio {

OpenFile::OpenFile(std::string path, int flags)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), flags | O_CLOEXEC)) {
  if (descriptor_ >= 0) return;
  const bool is_refused = errno == EACCES || errno == EPERM;
  throw Error(path_, "", "",
              StrCat("cannot open: ", std::strerror(errno),
                     is_refused ? "; a rule of udev gives it to users (docs/uio.md)" : ""));
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void OpenFile::Lock() {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) throw Error(path_, "", "", "another process has it");
  throw Error(path_, "", "", StrCat("cannot lock: ", std::strerror(errno)));
}

Mapping::Mapping(const OpenFile& file, size_t bytes)
    : data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0)),
      size_(bytes) {
  if (data_ == MAP_FAILED)
    throw Error(file.path(), "", Counted(bytes, "byte"),
                StrCat("cannot map: ", std::strerror(errno)));
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, MAP_FAILED)), size_(other.size_) {}

Mapping::~Mapping() {
  if (data_ != MAP_FAILED) munmap(data_, size_);
}

}  // namespace vta::driver::uio
