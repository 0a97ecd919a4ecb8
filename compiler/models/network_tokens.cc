// Operators of NetworkBuilder on sequences of tokens: an activation of height tokens, whose tensor
// is [batch, tokens, channels].
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

#include "compiler/models/network_builder.h"
#include "compiler/models/node_attributes.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

// Of the Gaussian error linear unit of a standard normal; its least value.
constexpr double kGeluVariance = 0.345, kLeastGelu = -0.17;
// Of a weighted mean of independent values, by a softmax of standard normals: e / how many.
constexpr double kAttendedVariance = 2.718281828;

}  // namespace

Activation NetworkBuilder::TokenInput(const std::string& name, int64_t tokens, int64_t channels) {
  Activation y{.channels = channels, .height = tokens, .width = 1, .variance = 1};
  AddInput(name, {batch_, tokens, channels});
  SetRange(y, {-kReach, kReach});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Tokens(const std::string& name, const Activation& image) {
  Activation y = image;
  const int64_t pixels = image.height * image.width;
  Reshape(y, name + "/flat", {batch_, image.channels, pixels});
  SetInts(Node("Transpose", {y.name}, name + "/turned"), "perm", {0, 2, 1});
  QuantizeTo(y, name + "/turned", name + "/turned/dequantized");
  y.height = pixels + 1, y.width = 1;
  const auto learned = [&](const std::string& what, int64_t tokens) {
    std::vector<float> values(tokens * image.channels);
    for (float& value : values) value = static_cast<float>(RandomUniform(-1, 1));
    return Constant(name + what, {1, tokens, image.channels}, values);
  };
  std::string first = learned("/class", 1);
  if (batch_ > 1)
    first =
        Node("Expand",
             {first, Constant<int64_t>(name + "/class/shape", {3}, {batch_, 1, image.channels})},
             name + "/classes")
            ->output(0);
  SetInt(Node("Concat", {first, y.name}, name + "/all"), "axis", 1);
  Node("Add", {name + "/all", learned("/positions", y.height)}, name);
  y.variance = image.variance + 1.0 / 3;  // of the positions, which are uniform
  const double reach = kReach * std::sqrt(y.variance);
  SetRange(y, {-reach, reach});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Normalize(const std::string& name, const Activation& x) {
  constexpr int64_t kSince = 17;
  model_->mutable_opset_import(0)->set_version(kSince);
  std::vector<float> gain(x.channels), offset(x.channels);
  for (float& value : gain) value = static_cast<float>(RandomUniform(0.75, 1.25));
  for (float& value : offset) value = static_cast<float>(RandomUniform(-0.25, 0.25));
  SetInt(Node("LayerNormalization",
              {x.name, Constant(name + "/gain", {x.channels}, gain),
               Constant(name + "/offset", {x.channels}, offset)},
              name),
         "axis", -1);
  Activation y = x;
  y.variance = 1;
  SetRange(y, {-0.9 * kReach, 1.1 * kReach});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Project(const std::string& name, const Activation& x, int64_t channels,
                                   bool is_centred) {
  const std::vector<std::string> parameters =
      Parameters(name, x, {channels, x.channels}, 1, /*inputs_first=*/true);
  Node("MatMul", {x.name, parameters[0]}, name + "/product");
  Node("Add", {name + "/product", parameters[1]}, name);
  Activation y = x;
  y.channels = channels;
  y.variance = 1;
  SetRange(y, is_centred ? Range{-kReach * 128 / 127, kReach} : Range{-0.9 * kReach, 1.1 * kReach});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Gelu(const std::string& name, const Activation& x) {
  const auto number = [&](const char* what, double value) {
    return Constant<float>(name + what, {}, {static_cast<float>(value)});
  };
  Node("Div", {x.name, number("/root", std::sqrt(2.0))}, name + "/scaled");
  Node("Erf", {name + "/scaled"}, name + "/erf");
  Node("Add", {name + "/erf", number("/one", 1)}, name + "/moved");
  Node("Mul", {x.name, name + "/moved"}, name + "/twice");
  Node("Mul", {name + "/twice", number("/half", 0.5)}, name);
  Activation y = x;
  y.variance = kGeluVariance * x.variance;
  SetRange(y, {kLeastGelu, (127.0 - x.zero_point) * x.scale});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Attention(const std::string& name, const Activation& x, int64_t heads) {
  VTA_CHECK(x.channels % heads == 0, name);
  const int64_t depth = x.channels / heads;
  const auto in_heads = [&](const std::string& part, const std::vector<int64_t>& perm) {
    const std::string turned = name + part + "/heads";
    Activation y = Project(name + part, x, x.channels, part != "/query");
    Reshape(y, name + part + "/apart", {batch_, x.height, heads, depth});
    SetInts(Node("Transpose", {y.name}, turned), "perm", perm);
    QuantizeTo(y, turned, turned + "/dequantized");
    return y;
  };
  const Activation query = in_heads("/query", {0, 2, 1, 3}), key = in_heads("/key", {0, 2, 3, 1}),
                   value = in_heads("/value", {0, 2, 1, 3});
  Activation scores = query;
  Node("MatMul", {query.name, key.name}, name + "/products");
  Node("Mul",
       {name + "/products",
        Constant<float>(name + "/factor", {},
                        {static_cast<float>(1 / std::sqrt(static_cast<double>(depth)))})},
       name + "/scores");
  SetRange(scores, {-0.9 * kReach, 1.1 * kReach});
  QuantizeTo(scores, name + "/scores", name + "/scores/dequantized");
  SetInt(Node("Softmax", {scores.name}, name + "/weights"), "axis", -1);
  Activation weights = scores;
  SetRange(weights, {0, 1});
  QuantizeTo(weights, name + "/weights", name + "/weights/dequantized");
  Node("MatMul", {weights.name, value.name}, name + "/sums");
  Activation y = x;
  y.variance = value.variance * kAttendedVariance / static_cast<double>(x.height);
  const double reach = kReach * std::sqrt(y.variance);
  SetRange(y, {-0.9 * reach, 1.1 * reach});
  QuantizeTo(y, name + "/sums", name + "/sums/dequantized");
  SetInts(Node("Transpose", {y.name}, name + "/turned"), "perm", {0, 2, 1, 3});
  QuantizeTo(y, name + "/turned", name + "/turned/dequantized");
  Reshape(y, name + "/joined", {batch_, x.height, x.channels});
  return Project(name, y, x.channels);
}

Activation NetworkBuilder::FirstToken(const std::string& name, const Activation& x) {
  std::vector<std::string> inputs = {x.name};
  for (const auto& [what, number] :
       {std::pair("/starts", int64_t{0}), std::pair("/ends", int64_t{1}),
        std::pair("/axes", int64_t{1})})
    inputs.push_back(Constant<int64_t>(name + what, {1}, {number}));
  Node("Slice", inputs, name + "/first");
  Activation y = x;
  y.height = 1;
  QuantizeTo(y, name + "/first", name + "/first/dequantized");
  Reshape(y, name, {batch_, x.channels});
  return y;
}

}  // namespace vta::compiler
