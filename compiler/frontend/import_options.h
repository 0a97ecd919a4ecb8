// How a model of any format is imported.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace vta::compiler {

struct ImportOptions {
  /// Sizes of symbolic input dimensions, by their name in the model or by INPUT:AXIS, which goes
  /// before and may be written INPUT[AXIS].
  std::map<std::string, int64_t> dimensions;
  /// The size of a symbolic first dimension that is not listed above, and follows from nothing.
  int64_t batch = 1;
  /// What the user typed, which an error that asks for sizes says again with them. May be empty.
  std::string command = {};
  /// The most that all tensors of the model may take together.
  int64_t max_bytes = int64_t{8} << 30;
  /// Weights that a model names and does not have are random by this seed; absent: a model without
  /// its weights is refused.
  std::optional<uint64_t> weights_seed;
  /// Is told the name of each tensor that got random weights. May be empty.
  std::function<void(const std::string& tensor)> on_random_weights;
  /// Is told of each layer of a workload of shapes that no network is made of, and why. May be
  /// empty.
  std::function<void(const std::string& layer)> on_left_out;
  /// Told of what is not computed as the model says.
  std::function<void(const std::string&)> on_remark = {};
};

}  // namespace vta::compiler
