// What the inputs of a layer's weights do together: their second moments over patches of samples.
#pragma once

#include <vector>

#include "compiler/quantize/insert.h"

namespace vta::compiler::quantize {

/// The weights of a layer by output channel: of group g of the channels, inputs [g * taps, ...).
struct Taps {
  int64_t groups;
  int64_t taps;  // inputs of one output
};
Taps TapsOf(const Graph& graph, const Layer& layer);

/// Sums over patches of x[i] and x[i] x[j], for i and j of one block of a group.
class Moments {
 public:
  /// Inputs further apart than this are taken to be independent: time and memory grow with it.
  static constexpr int64_t kBlock = 384;

  explicit Moments(const Taps& taps);

  /// Some patches of a layer's input, which passes through codes of `scale` first.
  void Add(const Graph& graph, const Layer& layer, const Tensor& input, const CodeScale& scale);

  int64_t blocks() const { return (taps_.taps + kBlock - 1) / kBlock; }
  int64_t size(int64_t block) const;
  /// The mean of x[i] x[j], row by row; `central`: less the product of their means.
  std::vector<double> Matrix(int64_t group, int64_t block, bool central) const;

 private:
  void AddPatch(int64_t group, const std::vector<float>& patch);

  Taps taps_;
  std::vector<int64_t> count_;                // of patches, by group
  std::vector<std::vector<double>> sums_;     // by group
  std::vector<std::vector<float>> products_;  // by group and block: the lower triangle counts
};

}  // namespace vta::compiler::quantize
