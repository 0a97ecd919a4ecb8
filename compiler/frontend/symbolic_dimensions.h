// The symbolic dimensions of a model's inputs, and the sizes that an import gives them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/import_options.h"

namespace vta::compiler {

class SymbolicDimensions {
 public:
  explicit SymbolicDimensions(const ImportOptions& options) : options_(options) {}

  /// The size of an input's dimension, which the model names, or not (""): what the options give
  /// by input and axis, or by its name. One that is not given is 1 until Check refuses it.
  int64_t SizeOf(const std::string& input, int64_t axis, const std::string& name);
  /// Once all inputs are read.
  /// Errors: throws Error naming all dimensions without a size, or a size that no dimension takes.
  void Check() const;

 private:
  const ImportOptions& options_;
  std::set<std::string> names_;    // of dimensions; INPUT:AXIS of those without a plain one
  std::set<std::string> aliases_;  // what else options may call them
  std::vector<std::string> open_;
};

}  // namespace vta::compiler
