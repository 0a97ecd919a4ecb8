// How a model of any format is imported.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vta::compiler {

struct ImportOptions {
  /// Sizes of symbolic input dimensions, by their name in the model; one without a name is called
  /// INPUT[AXIS].
  std::map<std::string, int64_t> dimensions;
  /// The size of a symbolic first dimension that is not listed above.
  int64_t batch = 1;
  /// The most that all tensors of the model may take together.
  int64_t max_bytes = int64_t{2} << 30;
};

}  // namespace vta::compiler
