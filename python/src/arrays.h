// NumPy's arrays as the bytes of tensors.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/package.h"

namespace vta::python {

/// The bytes of an array, row by row: its own memory where it lies so, else a copy.
class ArrayBytes {
 public:
  /// Any object with Python's buffer protocol, read-only ones too where nothing writes.
  /// Errors: throws Error with `subject` where it is none, or has another type or shape than the
  /// tensor; of memory to write also where it is read-only or does not lie row by row.
  ArrayBytes(nanobind::handle array, const isa::PackageTensor& tensor, const std::string& subject,
             bool writes = false);
  ArrayBytes(ArrayBytes&& other) noexcept;
  ~ArrayBytes();
  ArrayBytes& operator=(const ArrayBytes&) = delete;

  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  void Require(const isa::PackageTensor& tensor, const std::string& subject) const;
  Py_buffer view_ = {};
  std::vector<uint8_t> copy_;
  std::span<uint8_t> bytes_;
};

/// Makes NumPy arrays that begin where kernels work in them.
class ArrayMaker {
 public:
  explicit ArrayMaker(std::span<const isa::PackageTensor> tensors);
  nanobind::object Make(size_t tensor) const;

 private:
  struct Kind {
    nanobind::object dtype, shape;
    int64_t bytes;
  };
  nanobind::object empty_, ndarray_, uint8_;
  std::vector<Kind> kinds_;
};

}  // namespace vta::python
