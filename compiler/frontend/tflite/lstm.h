// What LSTM layers in float and of codes share: which parts are given, and their shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/tflite/node.h"

namespace vta::compiler {

struct TfliteLstm {
  /// Inputs of the first gate; those of the other gates follow it. Gates: input, forget, cell,
  /// output. Without an input gate it is 1 - forget.
  static constexpr int64_t kWeights = 1, kRecurrent = 5, kPeepholes = 9, kBias = 12, kNorms = 20;
  static constexpr int64_t kProjection = 16, kProjectionBias = 17, kHidden = 18, kCell = 19;
  static constexpr int64_t kGates = 4;

  /// Errors: throws Error naming the input whose shape does not fit, or what is not supported.
  explicit TfliteLstm(TfliteNode& node);

  std::vector<int64_t> gates;  // that are given
  bool time_major;
  int64_t steps, batch, inputs, hidden, state;
};

/// Of its first two axes the other one first.
ValueId TurnedLstm(TfliteNode& node, ValueId x);
/// What the steps made, [batch, state] each, as the layer's result.
ValueId JoinedSteps(TfliteNode& node, const TfliteLstm& lstm, const std::vector<ValueId>& outputs);

/// A layer whose inputs and weights are int8.
void ConvertLstmOfCodes(TfliteNode& node, const TfliteLstm& lstm);

}  // namespace vta::compiler
