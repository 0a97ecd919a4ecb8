// Operators of NetworkBuilder that detectors have; the last of them compute in float.
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/models/network_builder.h"
#include "compiler/models/node_attributes.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

// Of x * sigmoid(x) of a standard normal; the least value is that of about -1.28.
constexpr double kSiluVariance = 0.32;
constexpr double kLeastSilu = -0.2785;

}  // namespace

Activation NetworkBuilder::Silu(const std::string& name, const Activation& x) {
  Activation gate = x;
  Node("Sigmoid", {x.name}, name + "/sigmoid");
  SetRange(gate, {0, 1});
  QuantizeTo(gate, name + "/sigmoid", name + "/sigmoid/dequantized");
  Node("Mul", {x.name, gate.name}, name);
  Activation y = x;
  y.variance = kSiluVariance * x.variance;
  SetRange(y, {kLeastSilu, (127.0 - x.zero_point) * x.scale});
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

Activation NetworkBuilder::Upsample(const std::string& name, const Activation& x) {
  onnx::NodeProto* node =
      Node("Resize", {x.name, "", Constant<float>(name + "/scales", {4}, {1, 1, 2, 2})}, name);
  SetString(node, "mode", "nearest");
  SetString(node, "coordinate_transformation_mode", "asymmetric");
  SetString(node, "nearest_mode", "floor");
  Activation y = x;
  y.height *= 2;
  y.width *= 2;
  QuantizeTo(y, name, name + "/dequantized");
  return y;
}

void NetworkBuilder::Detections(const std::vector<Activation>& boxes,
                                const std::vector<Activation>& scores, int64_t size, int64_t bins) {
  const auto ints = [&](const std::string& name, const std::vector<int64_t>& values) {
    return Constant(name, {static_cast<int64_t>(values.size())}, values);
  };
  const auto join = [&](const std::vector<std::string>& parts, int64_t axis,
                        const std::string& name) {
    SetInt(Node("Concat", parts, name), "axis", axis);
    return name;
  };
  const auto slice = [&](const std::string& x, int64_t first, int64_t last,
                         const std::string& name) {
    return Node("Slice",
                {x, ints(name + "/starts", {first}), ints(name + "/ends", {last}),
                 ints(name + "/axes", {1})},
                name)
        ->output(0);
  };
  const int64_t sides = boxes[0].channels, classes = scores[0].channels;
  std::vector<std::string> levels;
  std::vector<float> columns, rows, strides;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Activation& level = boxes[i];
    const int64_t places = level.height * level.width;
    const std::string name = StrCat("level", i), both = join({level.name, scores[i].name}, 1, name);
    levels.push_back(name + "/flat");
    Node("Reshape", {both, ints(name + "/shape", {batch_, sides + classes, places})},
         levels.back());
    for (int64_t place = 0; place < places; ++place) {
      columns.push_back(static_cast<float>(place % level.width) + 0.5f);
      rows.push_back(static_cast<float>(place / level.width) + 0.5f);
      strides.push_back(static_cast<float>(size / level.height));
    }
  }
  const auto places = static_cast<int64_t>(columns.size());
  const std::string all = join(levels, 2, "levels");
  // How far each side lies: what the bins say on average.
  Node("Reshape",
       {slice(all, 0, sides, "sides"), ints("bins/shape", {batch_, sides / bins, bins, places})},
       "bins");
  SetInts(Node("Transpose", {"bins"}, "bins/first"), "perm", {0, 2, 1, 3});
  SetInt(Node("Softmax", {"bins/first"}, "shares"), "axis", 1);
  std::vector<float> of_bins;
  for (int64_t bin = 0; bin < bins; ++bin) of_bins.push_back(static_cast<float>(bin));
  SetInts(
      Node("Conv", {"shares", Constant("distance/weight", {1, bins, 1, 1}, of_bins)}, "distance"),
      "kernel_shape", {1, 1});
  Node("Reshape", {"distance", ints("distances/shape", {batch_, sides / bins, places})},
       "distances");
  std::vector<float> anchors = columns;
  anchors.insert(anchors.end(), rows.begin(), rows.end());
  const std::string at = Constant("anchors", {1, 2, places}, anchors);
  Node("Sub", {at, slice("distances", 0, 2, "before")}, "least");
  Node("Add", {at, slice("distances", 2, 4, "behind")}, "greatest");
  Node("Add", {"least", "greatest"}, "sum");
  Node("Mul", {"sum", Constant<float>("half", {}, {0.5f})}, "middle");
  Node("Sub", {"greatest", "least"}, "extent");
  Node("Mul", {join({"middle", "extent"}, 1, "box"), Constant("strides", {1, places}, strides)},
       "pixels");
  Node("Sigmoid", {slice(all, sides, sides + classes, "classes")}, "scores");
  join({"pixels", "scores"}, 1, "detections");
  OutputAs("detections", {batch_, 4 + classes, places});
}

}  // namespace vta::compiler
