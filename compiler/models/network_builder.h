// Builds an ONNX graph with seeded weights, operator by operator: int8 QDQ, or the same in float.
//
// Scales come from propagating second moments, not from data: each convolution's weights are scaled
// so that its accumulators have a chosen deviation, and an activation's range is a few deviations
// wide. Only exact operations (+ * / sqrt) are used, so the bytes are the same on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/models/models.h"

namespace onnx {
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace vta::compiler {

/// What follows an operator's accumulators before they are rounded to int8.
enum class Rectifier { kNone, kRelu, kRelu6 };

/// An activation of the graph being built, quantised unless the network is float.
struct Activation {
  std::string name;  // what the next operator reads: the dequantised value, or the value itself
  int64_t channels = 0;
  int64_t height = 0, width = 0;
  float scale = 0;
  int8_t zero_point = 0;  // of int8; of uint8 128 more
  bool rectified = false;
  double variance = 0;  // expected, over all elements
};

struct ConvShape {
  int64_t channels = 0;  // of the output
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t groups = 1;
  int64_t pad = kernel / 2;       // on each side
  int64_t kernel_width = kernel;  // where it differs from the height
  int64_t pad_width = kernel_width == kernel ? pad : kernel_width / 2;
};

struct PoolShape {
  int64_t kernel = 3;
  int64_t stride = 2;
  int64_t pad = kernel / 2;  // on each side
  bool ceil = false;         // whether a last window may reach over the edge
};

class NetworkBuilder {
 public:
  NetworkBuilder(std::string_view graph_name, uint64_t seed, ModelType type, int64_t batch);
  ~NetworkBuilder();

  /// A colour image, normalised to mean 0 and deviation 1 by the usual ImageNet constants.
  Activation Image(int64_t size);
  /// What the pool behind a rectified layer gives, named "features": the input of a network's part.
  Activation Features(int64_t channels, int64_t size);
  /// Weights int8 symmetric per output channel, biases int32; in float what those stand for.
  Activation Conv(const std::string& name, const Activation& x, const ConvShape& shape,
                  Rectifier rectifier);
  /// Keeps its input's scale.
  Activation MaxPool(const std::string& name, const Activation& x, const PoolShape& shape = {});
  Activation Add(const std::string& name, const Activation& a, const Activation& b,
                 Rectifier rectifier);
  /// A gain and an offset for each channel, as batch normalisation has: a convolution of one tap.
  Activation Scale(const std::string& name, const Activation& x, Rectifier rectifier) {
    return Conv(name, x, {.channels = x.channels, .groups = x.channels}, rectifier);
  }
  /// Keeps its input's scale.
  Activation AveragePool(const std::string& name, const Activation& x, const PoolShape& shape);
  /// The channels [first, last).
  Activation Slice(const std::string& name, const Activation& x, int64_t first, int64_t last);
  /// Channel c becomes channel c / (channels / groups) + c % (channels / groups) * groups.
  Activation Shuffle(const std::string& name, const Activation& x, int64_t groups);
  /// Along the channels.
  Activation Concat(const std::string& name, const std::vector<Activation>& parts);
  /// Over the whole image.
  Activation GlobalAverage(const Activation& x, const std::string& name = "average");
  /// Transposed convolution of 2x2 windows that do not overlap: twice the height and the width.
  Activation Double(const std::string& name, const Activation& x, int64_t channels);
  /// x * clip(x + 3, 0, 6) / 6.
  Activation HardSwish(const std::string& name, const Activation& x);
  /// clip(x + 3, 0, 6) / 6.
  Activation HardSigmoid(const std::string& name, const Activation& x);
  /// Each channel of x times one number, which is in [0, 1].
  Activation Weigh(const std::string& name, const Activation& x, const Activation& weights);
  /// x * sigmoid(x).
  Activation Silu(const std::string& name, const Activation& x);
  /// Each pixel four times: twice the height and the width.
  Activation Upsample(const std::string& name, const Activation& x);
  /// The graph's output "logits", in float: of each place on every level, one behind the other, the
  /// middle and the extent of a box in pixels of an image of this size, from a distribution over
  /// the bins for each of its sides, and a score for each class. Shape: [batch, 4 + classes,
  /// places].
  void Detections(const std::vector<Activation>& boxes, const std::vector<Activation>& scores,
                  int64_t size, int64_t bins);
  /// A float input of tokens, of mean 0 and deviation 1. Shape: [batch, tokens, channels].
  Activation TokenInput(const std::string& name, int64_t tokens, int64_t channels);
  /// The pixels of an image, behind one token for its class, at learned positions.
  Activation Tokens(const std::string& name, const Activation& image);
  /// Layer normalisation over the channels.
  Activation Normalize(const std::string& name, const Activation& x);
  /// Of each token; parameters as Conv's. `is_centred`: its codes have the zero point 0.
  Activation Project(const std::string& name, const Activation& x, int64_t channels,
                     bool is_centred = false);
  /// x * (1 + erf(x / sqrt(2))) / 2.
  Activation Gelu(const std::string& name, const Activation& x);
  /// Of each token to all, and the projections before and after it.
  Activation Attention(const std::string& name, const Activation& x, int64_t heads);
  /// Of tokens the first, as a flat activation.
  Activation FirstToken(const std::string& name, const Activation& x);
  /// All elements become channels; named "flatten".
  Activation Flatten(const Activation& x);
  /// Of a flat activation; parameters as Conv's.
  Activation Dense(const std::string& name, const Activation& x, int64_t channels,
                   Rectifier rectifier);
  /// What was added last becomes the graph's output "logits".
  void Output(const Activation& x);
  /// Global average, flatten, dense, output.
  void Classifier(const Activation& x, int64_t classes);

  std::string Serialize() const;

 private:
  static constexpr double kReach = 4;  // an activation's range in deviations

  struct Range {
    double low, high;
  };

  uint64_t RandomBits();
  double RandomUniform(double low, double high);
  onnx::NodeProto* Node(std::string_view op, const std::vector<std::string>& inputs,
                        const std::string& output);
  template <typename T>
  std::string Constant(const std::string& name, const std::vector<int64_t>& shape,
                       const std::vector<T>& values);
  std::string DequantizeConstant(const std::string& name, const std::vector<float>& scale,
                                 const std::string& values, const std::string& zero_point,
                                 int64_t axis);
  /// Weights of one output channel; they sum to 0 (but for clamping), where they are several.
  std::vector<int8_t> RandomFilter(int64_t size);
  /// Adds weight and bias so that the accumulators have the deviation; returns the names to read.
  /// The shape begins with the output's channels; `inputs_first`: for those that have them second,
  /// Double, whose windows do not overlap, and products.
  std::vector<std::string> Parameters(const std::string& name, const Activation& x,
                                      const std::vector<int64_t>& weight_shape, double deviation,
                                      bool inputs_first = false);
  std::string Rectify(const std::string& value, Rectifier rectifier);
  /// Accumulators of Deviation(rectifier), rectified and quantised: y's shape is known.
  Activation Finish(const std::string& name, Activation y, Rectifier rectifier);
  /// Adds the node; the caller says what becomes of the variance, and quantises.
  Activation Pool(std::string_view op, const std::string& name, const Activation& x,
                  const PoolShape& shape);
  /// Makes what was added last, of this name, the output.
  void OutputAs(const std::string& name, const std::vector<int64_t>& shape);
  void AddInput(const std::string& name, const std::vector<int64_t>& shape);
  Activation Input(const std::string& name, int64_t channels, int64_t size, Range range);
  void Reshape(Activation& y, const std::string& name, const std::vector<int64_t>& shape);
  void QuantizeTo(Activation& y, const std::string& value, const std::string& dequantized);
  static void SetRange(Activation& y, Range range);

  std::unique_ptr<onnx::ModelProto> model_;
  ModelType type_;
  const int64_t batch_;
  uint64_t random_state_;
};

}  // namespace vta::compiler
