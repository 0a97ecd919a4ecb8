// A package that may run here, loaded: checked, its programs proved, its kernels' code in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "isa/package.h"
#include "isa/support/error.h"
#include "runtime/modules/kernel_module.h"

namespace vta::runtime {

/// What a caller should not have given: an index, a name, a size.
struct ArgumentError : Error {
  using Error::Error;
};

struct ModelOptions {
  /// Refuse programs that the checker cannot prove; off only to watch one misbehave.
  bool prove = true;
  /// Take packages with modules; off refuses them: they are native code, which nothing proves.
  bool native = true;
  /// What runs the package's kernels for a CPU instead of its modules. Borrowed; may be null.
  const KernelModule* kernels = nullptr;
  /// It runs on another machine, which proves it and has the modules for its CPU.
  bool elsewhere = false;
};

/// Nothing of it changes: any number of sessions, on any threads, may share it, and the constants
/// lie in memory once for all of them.
class Model {
 public:
  /// `file` names the package in errors.
  /// Errors: throws Error where the package does not hold together, holds a program that the
  /// checker refuses, or has no module for this machine.
  Model(isa::Package package, const std::string& file, const ModelOptions& options = {});

  const isa::Package& package() const { return package_; }
  const std::string& file() const { return file_; }
  /// Null where the package has no kernels for a CPU.
  const KernelModule* kernels() const { return kernels_; }

  /// Which of the inputs, or of the outputs, has that name.
  /// Errors: throws ArgumentError that lists their names where none has.
  int64_t InputIndex(std::string_view name) const { return Find("input", package_.inputs, name); }
  int64_t OutputIndex(std::string_view name) const {
    return Find("output", package_.outputs, name);
  }
  /// Errors: throws ArgumentError where there is no input, or output, of that index.
  const isa::PackageTensor& Input(int64_t index) const {
    return At("input", package_.inputs, index);
  }
  const isa::PackageTensor& Output(int64_t index) const {
    return At("output", package_.outputs, index);
  }

  /// The bytes of a tensor that is a constant.
  const uint8_t* Constant(const isa::PackageTensor& tensor) const {
    return package_.constants.data() + (tensor.offset_bytes - package_.constants_offset_bytes);
  }
  /// File, step and layer, for errors.
  std::string Place(int64_t step) const;
  /// The same of the first step for a GPU, of a package that is for one.
  std::string PlaceOfGpu() const;

 private:
  int64_t Find(const char* what, const std::vector<int64_t>& list, std::string_view name) const;
  const isa::PackageTensor& At(const char* what, const std::vector<int64_t>& list,
                               int64_t index) const;

  isa::Package package_;
  std::string file_;
  std::unique_ptr<const KernelModule> loaded_;
  const KernelModule* kernels_ = nullptr;
};

}  // namespace vta::runtime
