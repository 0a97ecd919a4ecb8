#include "compiler/quantize/moments.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/ops.h"

namespace vta::compiler::quantize {
namespace {

constexpr int64_t kPatches = 256;  // of a sample

/// Every so-manyth of `count`, so that at most kPatches are taken.
int64_t StepFor(int64_t count) { return (count + kPatches - 1) / kPatches; }

float ThroughCodes(float value, const CodeScale& scale) {
  const double code =
      std::clamp(std::nearbyint(value / scale.scale), static_cast<double>(-128 - scale.zero_point),
                 static_cast<double>(127 - scale.zero_point));
  return static_cast<float>(code * scale.scale);
}

}  // namespace

Taps TapsOf(const Graph& graph, const Layer& layer) {
  const Node& node = graph.nodes()[layer.node];
  const int64_t groups = node.op == Op::kConv2d ? node.Int("groups") : 1;
  return {groups, Elements(graph.shape(node.inputs[1])) / layer.channels};
}

Moments::Moments(const Taps& taps)
    : taps_(taps), count_(taps.groups), sums_(taps.groups, std::vector<double>(taps.taps)) {
  for (int64_t g = 0; g < taps.groups; ++g)
    for (int64_t b = 0; b < blocks(); ++b) products_.emplace_back(size(b) * size(b));
}

int64_t Moments::size(int64_t block) const { return std::min(kBlock, taps_.taps - block * kBlock); }

void Moments::AddPatch(int64_t group, const std::vector<float>& patch) {
  ++count_[group];
  for (int64_t i = 0; i < taps_.taps; ++i) sums_[group][i] += patch[i];
  for (int64_t b = 0; b < blocks(); ++b) {
    const int64_t n = size(b);
    const float* x = patch.data() + b * kBlock;
    std::vector<float>& products = products_[group * blocks() + b];
    for (int64_t i = 0; i < n; ++i) {
      const float xi = x[i];
      if (xi == 0) continue;
      float* row = products.data() + i * n;
      for (int64_t j = 0; j <= i; ++j) row[j] += xi * x[j];
    }
  }
}

void Moments::Add(const Graph& graph, const Layer& layer, const Tensor& input,
                  const CodeScale& scale) {
  const Node& node = graph.nodes()[layer.node];
  const auto x = input.data<float>();
  std::vector<float> patch(taps_.taps);
  if (node.op != Op::kConv2d) {
    const int64_t rows = input.elements() / taps_.taps, step = StepFor(rows);
    for (int64_t row = 0; row < rows; row += step) {
      for (int64_t i = 0; i < taps_.taps; ++i)
        patch[i] = ThroughCodes(x[row * taps_.taps + i], scale);
      AddPatch(0, patch);
    }
    return;
  }
  const Shape &in = input.shape(), &out = graph.shape(node.output),
              &kernel = graph.shape(node.inputs[1]);
  const auto &strides = node.Ints("strides"), &pads = node.Ints("pads"),
             &dilations = node.Ints("dilations");
  const int64_t positions = out[0] * out[2] * out[3], step = StepFor(positions);
  for (int64_t p = 0; p < positions; p += step)
    for (int64_t g = 0; g < taps_.groups; ++g) {
      const int64_t n = p / (out[2] * out[3]);
      const int64_t y0 = p / out[3] % out[2] * strides[0] - pads[0];
      const int64_t x0 = p % out[3] * strides[1] - pads[1];
      size_t at = 0;
      for (int64_t c = 0; c < kernel[1]; ++c)
        for (int64_t ky = 0; ky < kernel[2]; ++ky)
          for (int64_t kx = 0; kx < kernel[3]; ++kx) {
            const int64_t row = y0 + ky * dilations[0], column = x0 + kx * dilations[1];
            const bool inside = row >= 0 && row < in[2] && column >= 0 && column < in[3];
            const int64_t channel = g * kernel[1] + c;
            patch[at++] =
                inside
                    ? ThroughCodes(x[((n * in[1] + channel) * in[2] + row) * in[3] + column], scale)
                    : 0;
          }
      AddPatch(g, patch);
    }
}

std::vector<double> Moments::Matrix(int64_t group, int64_t block, bool central) const {
  const int64_t n = size(block);
  const double count = static_cast<double>(std::max<int64_t>(count_[group], 1));
  const std::vector<float>& products = products_[group * blocks() + block];
  const double* sums = sums_[group].data() + block * kBlock;
  std::vector<double> matrix(n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const double mean = products[i * n + j] / count;
      const double value = central ? mean - sums[i] * sums[j] / (count * count) : mean;
      matrix[i * n + j] = matrix[j * n + i] = value;
    }
  return matrix;
}

}  // namespace vta::compiler::quantize
