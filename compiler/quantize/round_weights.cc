#include "compiler/quantize/round_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/ops.h"
#include "compiler/quantize/moments.h"

namespace vta::compiler::quantize {
namespace {

constexpr double kMostCode = 127;

/// A square matrix, row by row.
struct Square {
  int64_t n;
  std::vector<double> data;
  double& operator()(int64_t i, int64_t j) { return data[i * n + j]; }
  double operator()(int64_t i, int64_t j) const { return data[i * n + j]; }
};

/// The lower triangle L of matrix = L L^T, which must be positive definite.
void Cholesky(Square* a) {
  for (int64_t i = 0; i < a->n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const double* ri = &(*a)(i, 0);
      const double* rj = &(*a)(j, 0);
      double sum = (*a)(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= ri[k] * rj[k];
      (*a)(i, j) = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / (*a)(j, j);
    }
}

/// Of a lower triangle, in place.
void Invert(Square* l) {
  for (int64_t j = 0; j < l->n; ++j) {
    (*l)(j, j) = 1 / (*l)(j, j);
    for (int64_t i = j + 1; i < l->n; ++i) {
      double sum = 0;
      for (int64_t k = j; k < i; ++k) sum -= (*l)(i, k) * (*l)(k, j);
      (*l)(i, j) = sum / (*l)(i, i);
    }
  }
}

/// How to make errors good: for i, what of its error each later j takes, in the order of rounding.
class Feedback {
 public:
  explicit Feedback(std::span<const double> moments)
      : n_(static_cast<int64_t>(std::llround(std::sqrt(moments.size())))), moments_(moments) {
    order_.resize(n_);
    std::iota(order_.begin(), order_.end(), 0);
    // What weighs most first: there is most left to make it good with.
    std::ranges::stable_sort(order_, std::greater(),
                             [&](int64_t i) { return moments[i * n_ + i]; });
    double mean = 0;
    for (int64_t i = 0; i < n_; ++i) mean += moments[i * n_ + i] / static_cast<double>(n_);
    // Eliminated from the last on, a Cholesky factor's rows are those of the inverse's.
    Square a{n_, std::vector<double>(n_ * n_)};
    for (int64_t i = 0; i < n_; ++i)
      for (int64_t j = 0; j < n_; ++j) {
        a(i, j) = moments[order_[n_ - 1 - i] * n_ + order_[n_ - 1 - j]];
        if (i == j) a(i, j) += kDamping * mean + 1e-30;
      }
    Cholesky(&a);
    Invert(&a);
    inverse_ = std::move(a);
  }

  std::vector<int64_t> Round(std::span<const double> weights, double scale) const {
    std::vector<double> left(n_);  // in the order of rounding, in codes
    for (int64_t i = 0; i < n_; ++i) left[i] = weights[order_[i]] / scale;
    std::vector<int64_t> codes(n_), nearest(n_);
    for (int64_t i = 0; i < n_; ++i) {
      const double code = std::clamp(std::nearbyint(left[i]), -kMostCode, kMostCode);
      codes[order_[i]] = static_cast<int64_t>(code);
      const int64_t row = n_ - 1 - i;
      const double error = (left[i] - code) / inverse_(row, row);
      for (int64_t k = i + 1; k < n_; ++k) left[k] -= error * inverse_(row, n_ - 1 - k);
      nearest[i] = static_cast<int64_t>(
          std::clamp(std::nearbyint(weights[i] / scale), -kMostCode, kMostCode));
    }
    return Error(weights, scale, codes) < Error(weights, scale, nearest) ? codes : nearest;
  }

 private:
  static constexpr double kDamping = 0.01;

  double Error(std::span<const double> weights, double scale,
               const std::vector<int64_t>& codes) const {
    std::vector<double> off(n_);
    for (int64_t i = 0; i < n_; ++i) off[i] = weights[i] / scale - static_cast<double>(codes[i]);
    double sum = 0;
    for (int64_t i = 0; i < n_; ++i) {
      double row = 0;
      for (int64_t j = 0; j < n_; ++j) row += moments_[i * n_ + j] * off[j];
      sum += row * off[i];
    }
    return sum;
  }

  const int64_t n_;
  const std::span<const double> moments_;
  std::vector<int64_t> order_;
  Square inverse_;
};

/// The layer's codes, those of its weights replaced.
void RoundLayer(const Graph& graph, const Layer& layer, const Moments& moments, bool central,
                LayerCodes* codes) {
  const Tensor& weights = *graph.constant(graph.nodes()[layer.node].inputs[1]);
  const Taps taps = TapsOf(graph, layer);
  const int64_t each = layer.channels / taps.groups;
  const auto out = codes->weights.mutable_data<int8_t>();
  const auto place = [&](int64_t channel, int64_t tap) {
    return layer.channel_axis == 0 ? channel * taps.taps + tap : tap * layer.channels + channel;
  };
  for (int64_t group = 0; group < taps.groups; ++group)
    for (int64_t block = 0; block < moments.blocks(); ++block) {
      const std::vector<double> matrix = moments.Matrix(group, block, central);
      const Feedback feedback(matrix);
      std::vector<double> row(moments.size(block));
      for (int64_t c = group * each; c < (group + 1) * each; ++c) {
        for (int64_t i = 0; i < std::ssize(row); ++i)
          row[i] = weights.At(place(c, block * Moments::kBlock + i));
        const std::vector<int64_t> made = feedback.Round(row, codes->scales[c]);
        for (int64_t i = 0; i < std::ssize(row); ++i)
          out[place(c, block * Moments::kBlock + i)] = static_cast<int8_t>(made[i]);
      }
    }
}

}  // namespace

std::vector<int64_t> RoundByMoments(std::span<const double> weights, double scale,
                                    std::span<const double> moments) {
  return Feedback(moments).Round(weights, scale);
}

std::map<NodeId, LayerCodes> RoundWeights(const Graph& graph, const Plan& plan,
                                          const Scheme& scheme, const Calibration& calibration,
                                          bool central) {
  std::vector<ValueId> inputs;
  std::vector<Moments> moments;
  for (const Layer& layer : plan.layers) {
    inputs.push_back(graph.nodes()[layer.node].inputs[0]);
    moments.emplace_back(TapsOf(graph, layer));
  }
  calibration.Run(
      WithOutputs(graph, inputs), "rounding weights", [&](const std::vector<Tensor>& made) {
        for (size_t i = 0; i < made.size(); ++i)
          moments[i].Add(graph, plan.layers[i], made[i], scheme.points[plan.layers[i].input]);
      });
  std::map<NodeId, LayerCodes> rounded;
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const Layer& layer = plan.layers[i];
    const Node& node = graph.nodes()[layer.node];
    const bool has_bias = node.op != Op::kMatMul || graph.shape(node.output).size() == 2;
    LayerCodes codes = CodesOfLayer(graph, layer, scheme);
    RoundLayer(graph, layer, moments[i], central && has_bias, &codes);
    rounded[layer.node] = std::move(codes);
  }
  return rounded;
}

}  // namespace vta::compiler::quantize
