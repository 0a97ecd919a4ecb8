#include "compiler/models/network_builder.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "compiler/models/node_attributes.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

constexpr int64_t kIrVersion = 7;  // of ONNX 1.8, the release of opset 13
constexpr int64_t kOpset = 13;
constexpr double kCodes = 255;  // steps between the least and the greatest int8 code

// Of max(x, 0) for a standard normal x: 1/2 - 1/(2 pi).
constexpr double kRectifiedVariance = 0.34084;
// Of the greatest of some four independent rectified normals, as a multiple of one's variance.
constexpr double kPooledVariance = 1.5;
// Of max(r + x, 0) for a rectified r, as a share of var(r) + var(x): about, it depends on their
// ratio.
constexpr double kRectifiedSumVariance = 0.75;

// ReLU6 networks run with wider accumulators, so that the clip at 6 matters.
double Deviation(Rectifier rectifier) { return rectifier == Rectifier::kRelu6 ? 2 : 1; }

template <typename T>
constexpr int32_t kOnnxType = std::is_same_v<T, int8_t>    ? onnx::TensorProto::INT8
                              : std::is_same_v<T, uint8_t> ? onnx::TensorProto::UINT8
                              : std::is_same_v<T, int32_t> ? onnx::TensorProto::INT32
                              : std::is_same_v<T, int64_t> ? onnx::TensorProto::INT64
                                                           : onnx::TensorProto::FLOAT;

void SetWindow(onnx::NodeProto* node, const ConvShape& window) {
  SetInts(node, "kernel_shape", {window.kernel, window.kernel_width});
  SetInts(node, "strides", {window.stride, window.stride});
  SetInts(node, "pads", {window.pad, window.pad_width, window.pad, window.pad_width});
}

int64_t WindowCount(int64_t size, int64_t kernel, int64_t pad, int64_t stride) {
  return (size + 2 * pad - kernel) / stride + 1;
}

/// What codes stand for, with a scale for each output channel, which has so many codes together.
template <typename T>
std::vector<float> Dequantized(const std::vector<T>& codes, const std::vector<float>& scale,
                               size_t together) {
  std::vector<float> values(codes.size());
  for (size_t i = 0; i < codes.size(); ++i)
    values[i] = static_cast<float>(codes[i]) * scale[i / together % scale.size()];
  return values;
}

/// [outputs, inputs, taps] as [inputs, outputs, taps].
std::vector<int8_t> InputsFirst(const std::vector<int8_t>& weight, int64_t outputs, int64_t taps) {
  const int64_t inputs = static_cast<int64_t>(weight.size()) / outputs / taps;
  std::vector<int8_t> moved;
  moved.reserve(weight.size());
  for (int64_t i = 0; i < inputs; ++i)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t t = 0; t < taps; ++t) moved.push_back(weight[(o * inputs + i) * taps + t]);
  return moved;
}

void SetFloatTensor(onnx::ValueInfoProto* info, const char* name,
                    const std::vector<int64_t>& shape) {
  info->set_name(name);
  onnx::TypeProto::Tensor* type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t size : shape) type->mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

NetworkBuilder::NetworkBuilder(std::string_view graph_name, uint64_t seed, ModelType type,
                               int64_t batch)
    : model_(std::make_unique<onnx::ModelProto>()),
      type_(type),
      batch_(batch),
      random_state_(seed) {
  model_->set_ir_version(kIrVersion);
  model_->set_producer_name("vta model");
  model_->add_opset_import()->set_version(kOpset);
  model_->mutable_graph()->set_name(std::string(graph_name));
}

NetworkBuilder::~NetworkBuilder() = default;

// SplitMix64.
uint64_t NetworkBuilder::RandomBits() {
  uint64_t z = random_state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

double NetworkBuilder::RandomUniform(double low, double high) {
  return low + (high - low) * static_cast<double>(RandomBits() >> 11) * 0x1p-53;
}

onnx::NodeProto* NetworkBuilder::Node(std::string_view op, const std::vector<std::string>& inputs,
                                      const std::string& output) {
  onnx::NodeProto* node = model_->mutable_graph()->add_node();
  node->set_name(output);
  node->set_op_type(std::string(op));
  for (const std::string& input : inputs) node->add_input(input);
  node->add_output(output);
  return node;
}

template <typename T>
std::string NetworkBuilder::Constant(const std::string& name, const std::vector<int64_t>& shape,
                                     const std::vector<T>& values) {
  onnx::TensorProto* tensor = model_->mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(kOnnxType<T>);
  for (int64_t size : shape) tensor->add_dims(size);
  tensor->set_raw_data(values.data(), values.size() * sizeof(T));
  return name;
}

std::string NetworkBuilder::DequantizeConstant(const std::string& name,
                                               const std::vector<float>& scale,
                                               const std::string& values,
                                               const std::string& zero_point, int64_t axis) {
  std::string scale_name = Constant(name + "/scale", {static_cast<int64_t>(scale.size())}, scale);
  SetInt(Node("DequantizeLinear", {values, scale_name, zero_point}, name + "/dequantized"), "axis",
         axis);
  return name + "/dequantized";
}

std::vector<int8_t> NetworkBuilder::RandomFilter(int64_t size) {
  std::vector<int64_t> values(size);
  int64_t sum = 0;
  for (int64_t& value : values) {
    // A sum of four uniform numbers is close to normal and reaches exactly -127 to 127.
    const uint64_t bits = RandomBits();
    const int64_t quarters =
        (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    value = quarters * 255 / (4 * 0xffff + 1) - 127;
    sum += value;
  }
  // Taking the mean away, evenly, keeps the constant part of rectified activations from growing
  // layer by layer until every image gives the same output.
  std::vector<int8_t> filter(size);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t share = size == 1 ? 0 : sum * (i + 1) / size - sum * i / size;
    filter[i] = static_cast<int8_t>(std::clamp<int64_t>(values[i] - share, -127, 127));
  }
  return filter;
}

std::vector<std::string> NetworkBuilder::Parameters(const std::string& name, const Activation& x,
                                                    const std::vector<int64_t>& weight_shape,
                                                    double deviation, bool inputs_first) {
  const int64_t channels = weight_shape[0];
  int64_t fan_in = 1;
  for (size_t i = 1; i < weight_shape.size(); ++i) fan_in *= weight_shape[i];
  const int64_t taps = fan_in / weight_shape[1];
  const int64_t results = inputs_first ? taps : 1;  // that share the products of a window
  std::vector<int8_t> weight;
  std::vector<int32_t> bias;
  std::vector<float> weight_scale, bias_scale;
  weight.reserve(channels * fan_in);
  for (int64_t channel = 0; channel < channels; ++channel) {
    int64_t sum_of_squares = 1;
    for (int8_t value : RandomFilter(fan_in)) {
      weight.push_back(value);
      sum_of_squares += value * value;
    }
    const double gain = RandomUniform(0.75, 1.25);
    const double scale =
        gain * deviation / std::sqrt(x.variance * sum_of_squares / static_cast<double>(results));
    weight_scale.push_back(static_cast<float>(scale));
    bias_scale.push_back(x.scale * weight_scale.back());
    const double bias_value = RandomUniform(-0.25, 0.25) * deviation;
    bias.push_back(static_cast<int32_t>(std::nearbyint(bias_value / bias_scale.back())));
  }
  const std::vector<int64_t> bias_shape = {channels};
  std::vector<int64_t> shape = weight_shape;
  if (inputs_first) {
    weight = InputsFirst(weight, channels, taps);
    std::swap(shape[0], shape[1]);
  }
  if (type_ == ModelType::kFloat) {
    return {Constant(name + "/weight", shape,
                     Dequantized(weight, weight_scale, inputs_first ? taps : fan_in)),
            Constant(name + "/bias", bias_shape, Dequantized(bias, bias_scale, 1))};
  }
  const std::string weight_zero =
      Constant(name + "/weight/zero_point", bias_shape, std::vector<int8_t>(channels));
  const std::string bias_zero =
      Constant(name + "/bias/zero_point", bias_shape, std::vector<int32_t>(channels));
  return {
      DequantizeConstant(name + "/weight", weight_scale, Constant(name + "/weight", shape, weight),
                         weight_zero, inputs_first ? 1 : 0),
      DequantizeConstant(name + "/bias", bias_scale, Constant(name + "/bias", bias_shape, bias),
                         bias_zero, 0)};
}

std::string NetworkBuilder::Rectify(const std::string& value, Rectifier rectifier) {
  if (rectifier == Rectifier::kNone) return value;
  if (rectifier == Rectifier::kRelu) return Node("Relu", {value}, value + "/relu")->output(0);
  const std::string low = Constant<float>(value + "/relu6/low", {}, {0});
  const std::string high = Constant<float>(value + "/relu6/high", {}, {6});
  return Node("Clip", {value, low, high}, value + "/relu6")->output(0);
}

void NetworkBuilder::SetRange(Activation& y, Range range) {
  y.scale = static_cast<float>((range.high - range.low) / kCodes);
  const double zero_point = std::nearbyint(-128 - range.low / y.scale);
  y.zero_point = static_cast<int8_t>(std::clamp(zero_point, -128.0, 127.0));
}

void NetworkBuilder::QuantizeTo(Activation& y, const std::string& value,
                                const std::string& dequantized) {
  y.name = value;
  if (type_ == ModelType::kFloat) return;
  const std::string scale = Constant<float>(value + "/scale", {}, {y.scale});
  const std::string zero_point =
      type_ == ModelType::kUint8
          ? Constant<uint8_t>(value + "/zero_point", {}, {static_cast<uint8_t>(y.zero_point + 128)})
          : Constant<int8_t>(value + "/zero_point", {}, {y.zero_point});
  const std::string quantized = value + "/quantized";
  Node("QuantizeLinear", {value, scale, zero_point}, quantized);
  Node("DequantizeLinear", {quantized, scale, zero_point}, dequantized);
  y.name = dequantized;
}

void NetworkBuilder::AddInput(const std::string& name, const std::vector<int64_t>& shape) {
  SetFloatTensor(model_->mutable_graph()->add_input(), name.c_str(), shape);
}

Activation NetworkBuilder::Input(const std::string& name, int64_t channels, int64_t size,
                                 Range range) {
  AddInput(name, {batch_, channels, size, size});
  Activation y{.channels = channels, .height = size, .width = size, .variance = 1};
  SetRange(y, range);
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Image(int64_t size) {
  return Input("image", 3, size, {-0.485 / 0.229, (1 - 0.406) / 0.225});
}

Activation NetworkBuilder::Features(int64_t channels, int64_t size) {
  Activation y = Input("features", channels, size, {0, kReach});
  y.rectified = true;
  y.variance = kPooledVariance * kRectifiedVariance;
  return y;
}

Activation NetworkBuilder::Conv(const std::string& name, const Activation& x,
                                const ConvShape& shape, Rectifier rectifier) {
  VTA_CHECK(x.channels % shape.groups == 0 && shape.channels % shape.groups == 0, name);
  const double deviation = Deviation(rectifier);
  std::vector<std::string> inputs = Parameters(
      name, x, {shape.channels, x.channels / shape.groups, shape.kernel, shape.kernel_width},
      deviation);
  inputs.insert(inputs.begin(), x.name);
  onnx::NodeProto* node = Node("Conv", inputs, name);
  SetWindow(node, shape);
  SetInt(node, "group", shape.groups);
  return Finish(name,
                {.channels = shape.channels,
                 .height = WindowCount(x.height, shape.kernel, shape.pad, shape.stride),
                 .width = WindowCount(x.width, shape.kernel_width, shape.pad_width, shape.stride)},
                rectifier);
}

Activation NetworkBuilder::Finish(const std::string& name, Activation y, Rectifier rectifier) {
  const double deviation = Deviation(rectifier);
  y.rectified = rectifier != Rectifier::kNone;
  y.variance = deviation * deviation * (y.rectified ? kRectifiedVariance : 1);
  switch (rectifier) {
    case Rectifier::kNone:
      SetRange(y, {-0.9 * kReach * deviation, 1.1 * kReach * deviation});
      break;
    case Rectifier::kRelu:
      SetRange(y, {0, kReach * deviation});
      break;
    case Rectifier::kRelu6:
      SetRange(y, {0, 6});
      break;
  }
  const std::string value = Rectify(name, rectifier);
  QuantizeTo(y, value, value + "/dequantized");
  return y;
}

Activation NetworkBuilder::Pool(std::string_view op, const std::string& name, const Activation& x,
                                const PoolShape& shape) {
  onnx::NodeProto* node = Node(op, {x.name}, name);
  SetWindow(node, {.kernel = shape.kernel, .stride = shape.stride, .pad = shape.pad});
  if (shape.ceil) SetInt(node, "ceil_mode", 1);
  const auto windows = [&](int64_t size) {
    const int64_t over = shape.ceil ? shape.stride - 1 : 0;
    return WindowCount(size + over, shape.kernel, shape.pad, shape.stride);
  };
  Activation y = x;
  y.height = windows(x.height);
  y.width = windows(x.width);
  return y;
}

Activation NetworkBuilder::MaxPool(const std::string& name, const Activation& x,
                                   const PoolShape& shape) {
  Activation y = Pool("MaxPool", name, x, shape);
  y.variance = kPooledVariance * x.variance;
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::AveragePool(const std::string& name, const Activation& x,
                                       const PoolShape& shape) {
  Activation y = Pool("AveragePool", name, x, shape);
  y.variance = 0.5 * x.variance;  // neighbours are alike
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Slice(const std::string& name, const Activation& x, int64_t first,
                                 int64_t last) {
  std::vector<std::string> inputs = {x.name};
  for (const auto& [what, value] :
       {std::pair("/starts", first), std::pair("/ends", last), std::pair("/axes", int64_t{1})})
    inputs.push_back(Constant<int64_t>(name + what, {1}, {value}));
  Node("Slice", inputs, name);
  Activation y = x;
  y.channels = last - first;
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

void NetworkBuilder::Reshape(Activation& y, const std::string& name,
                             const std::vector<int64_t>& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  Node("Reshape", {y.name, Constant(name + "/shape", {rank}, shape)}, name);
  QuantizeTo(y, name, name + "/dequantized");
}

Activation NetworkBuilder::Shuffle(const std::string& name, const Activation& x, int64_t groups) {
  VTA_CHECK(x.channels % groups == 0, name);
  Activation y = x;
  Reshape(y, name + "/apart", {batch_, groups, x.channels / groups, x.height, x.width});
  const std::string crossed = name + "/crossed";
  SetInts(Node("Transpose", {y.name}, crossed), "perm", {0, 2, 1, 3, 4});
  QuantizeTo(y, crossed, crossed + "/dequantized");
  Reshape(y, name, {batch_, x.channels, x.height, x.width});
  return y;
}

Activation NetworkBuilder::Add(const std::string& name, const Activation& a, const Activation& b,
                               Rectifier rectifier) {
  VTA_CHECK(a.channels == b.channels && a.height == b.height && a.width == b.width, name);
  Node("Add", {a.name, b.name}, name);
  Activation y = a;
  y.rectified = rectifier != Rectifier::kNone;
  y.variance = a.variance + b.variance;
  const double reach = kReach * std::sqrt(y.variance);
  if (y.rectified) {
    y.variance *= a.rectified || b.rectified ? kRectifiedSumVariance : kRectifiedVariance;
  }
  SetRange(y, y.rectified ? Range{0, reach} : Range{-0.9 * reach, 1.1 * reach});
  const std::string value = Rectify(name, rectifier);
  QuantizeTo(y, value, value + "/dequantized");
  return y;
}

Activation NetworkBuilder::Double(const std::string& name, const Activation& x, int64_t channels) {
  std::vector<std::string> inputs = Parameters(name, x, {channels, x.channels, 2, 2},
                                               Deviation(Rectifier::kNone), /*inputs_first=*/true);
  inputs.insert(inputs.begin(), x.name);
  onnx::NodeProto* node = Node("ConvTranspose", inputs, name);
  SetInts(node, "kernel_shape", {2, 2});
  SetInts(node, "strides", {2, 2});
  return Finish(name, {.channels = channels, .height = 2 * x.height, .width = 2 * x.width},
                Rectifier::kNone);
}

Activation NetworkBuilder::Dense(const std::string& name, const Activation& x, int64_t channels,
                                 Rectifier rectifier) {
  std::vector<std::string> inputs =
      Parameters(name, x, {channels, x.channels}, Deviation(rectifier));
  inputs.insert(inputs.begin(), x.name);
  SetInt(Node("Gemm", inputs, name), "transB", 1);
  return Finish(name, {.channels = channels, .height = 1, .width = 1}, rectifier);
}

void NetworkBuilder::OutputAs(const std::string& name, const std::vector<int64_t>& shape) {
  onnx::GraphProto* graph = model_->mutable_graph();
  onnx::NodeProto* last = graph->mutable_node(graph->node_size() - 1);
  VTA_CHECK(last->output(0) == name, name);
  last->set_name("logits");
  last->set_output(0, "logits");
  SetFloatTensor(graph->add_output(), "logits", shape);
}

void NetworkBuilder::Output(const Activation& x) {
  std::vector<int64_t> shape = {batch_, x.channels};
  if (x.height > 1) shape.insert(shape.end(), {x.height, x.width});
  OutputAs(x.name, shape);
}

void NetworkBuilder::Classifier(const Activation& x, int64_t classes) {
  Output(Dense("classifier", Flatten(GlobalAverage(x)), classes, Rectifier::kNone));
}

std::string NetworkBuilder::Serialize() const { return model_->SerializeAsString(); }

}  // namespace vta::compiler
