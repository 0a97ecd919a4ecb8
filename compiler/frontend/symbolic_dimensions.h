// The symbolic dimensions of a model's inputs, and the sizes that an import gives them.
#pragma once

#include <set>
#include <string>

#include "compiler/frontend/import_options.h"

namespace vta::compiler {

class SymbolicDimensions {
 public:
  explicit SymbolicDimensions(const ImportOptions& options) : options_(options) {}

  /// The size of an input's dimension, which the model names, or not ("").
  /// Errors: throws Error naming input and dimension where no size is given.
  int64_t SizeOf(const std::string& input, int64_t axis, const std::string& name);
  /// A size that no dimension takes would be ignored.
  /// Errors: throws Error where one is.
  void Check() const;

 private:
  const ImportOptions& options_;
  std::set<std::string> names_;
};

}  // namespace vta::compiler
