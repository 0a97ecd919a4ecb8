// A device node that this process alone has open, and memory of it.
#pragma once

#include <cstddef>
#include <string>

namespace vta::driver::uio {

/// An open file. Move-only.
class OpenFile {
 public:
  /// `flags` as of open(2).
  /// Errors: throws Error naming the file; where permission is missing it says who gives it.
  OpenFile(std::string path, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  /// Until it is closed, which the kernel does however the process ends.
  /// Errors: throws Error where another process has it.
  void Lock();

 private:
  std::string path_;
  int descriptor_;
};

/// All of an open file's first bytes as memory, shared with what is behind it.
class Mapping {
 public:
  /// Errors: throws Error naming the file.
  Mapping(const OpenFile& file, size_t bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_;
  size_t size_;
};

}  // namespace vta::driver::uio
