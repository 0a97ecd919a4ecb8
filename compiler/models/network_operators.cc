// Operators of NetworkBuilder that have no parameters of their own and see no windows.
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/models/network_builder.h"
#include "compiler/models/node_attributes.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

// Of the mean over an image, as a share of the variance over its elements: about, for the sizes
// here.
constexpr double kAverageVariance = 0.125;
// Of the hard swish of a standard normal; its least value is that of -1.5.
constexpr double kHardSwishVariance = 0.304;
constexpr double kLeastHardSwish = -0.375;
// Of a product with hard sigmoids, which are near 1/2, as a share of the variance.
constexpr double kWeighedVariance = 0.25;

}  // namespace

Activation NetworkBuilder::Concat(const std::string& name, const std::vector<Activation>& parts) {
  std::vector<std::string> inputs;
  Activation y = parts.front();
  y.channels = 0;
  y.variance = 0;
  Range range{0, 0};
  for (const Activation& part : parts) {
    VTA_CHECK(part.height == y.height && part.width == y.width, name);
    inputs.push_back(part.name);
    y.rectified &= part.rectified;
    y.channels += part.channels;
    y.variance += part.variance * static_cast<double>(part.channels);
    range.low = std::min(range.low, (-128.0 - part.zero_point) * part.scale);
    range.high = std::max(range.high, (127.0 - part.zero_point) * part.scale);
  }
  y.variance /= static_cast<double>(y.channels);
  SetRange(y, range);
  SetInt(Node("Concat", inputs, name), "axis", 1);
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::GlobalAverage(const Activation& x, const std::string& name) {
  Node("GlobalAveragePool", {x.name}, name);
  Activation y{.channels = x.channels,
               .height = 1,
               .width = 1,
               .scale = x.scale / 2,
               .zero_point = x.zero_point,
               .rectified = x.rectified,
               .variance = kAverageVariance * x.variance};
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Flatten(const Activation& x) {
  SetInt(Node("Flatten", {x.name}, "flatten"), "axis", 1);
  Activation y = x;
  y.channels = x.channels * x.height * x.width;
  y.height = y.width = 1;
  QuantizeTo(y, "flatten", "flatten/dequantized");
  return y;
}

Activation NetworkBuilder::HardSwish(const std::string& name, const Activation& x) {
  constexpr int64_t kSince = 14;
  model_->mutable_opset_import(0)->set_version(kSince);
  Node("HardSwish", {x.name}, name);
  Activation y = x;
  const double most = (127.0 - x.zero_point) * x.scale;
  y.variance = kHardSwishVariance * x.variance;
  SetRange(y, {kLeastHardSwish, most});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::HardSigmoid(const std::string& name, const Activation& x) {
  onnx::NodeProto* node = Node("HardSigmoid", {x.name}, name);
  SetFloat(node, "alpha", 1.0f / 6);
  SetFloat(node, "beta", 0.5f);
  Activation y = x;
  SetRange(y, {0, 1});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Weigh(const std::string& name, const Activation& x,
                                 const Activation& weights) {
  VTA_CHECK(weights.channels == x.channels && weights.height == 1 && weights.width == 1, name);
  Node("Mul", {x.name, weights.name}, name);
  Activation y = x;
  y.variance = kWeighedVariance * x.variance;
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

}  // namespace vta::compiler
