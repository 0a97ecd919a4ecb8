#include "compiler/models/yolo.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

Activation ConvSilu(NetworkBuilder& b, const std::string& name, const Activation& x,
                    int64_t channels, int64_t kernel = 1, int64_t stride = 1) {
  return b.Silu(name + ".act",
                b.Conv(name, x, {.channels = channels, .kernel = kernel, .stride = stride},
                       Rectifier::kNone));
}

/// Two halves, of which the second goes through bottlenecks one after the other; all that is made
/// on the way lies side by side at the end.
Activation C2f(NetworkBuilder& b, const std::string& name, const Activation& x, int64_t channels,
               int64_t bottlenecks, bool has_sums) {
  const int64_t half = channels / 2;
  const Activation both = ConvSilu(b, name + ".cv1", x, channels);
  std::vector<Activation> parts = {b.Slice(name + ".first", both, 0, half),
                                   b.Slice(name + ".second", both, half, channels)};
  for (int64_t i = 0; i < bottlenecks; ++i) {
    const std::string inner = StrCat(name, ".m.", i);
    const Activation& from = parts.back();
    const Activation y =
        ConvSilu(b, inner + ".cv2", ConvSilu(b, inner + ".cv1", from, half, 3), half, 3);
    parts.push_back(has_sums ? b.Add(inner + ".add", from, y, Rectifier::kNone) : y);
  }
  return ConvSilu(b, name + ".cv2", b.Concat(name + ".concat", parts), channels);
}

/// Pools of 5, 9 and 13 by three of 5 in a row.
Activation PoolPyramid(NetworkBuilder& b, const std::string& name, const Activation& x,
                       int64_t channels) {
  constexpr PoolShape kPool{.kernel = 5, .stride = 1};
  std::vector<Activation> parts = {ConvSilu(b, name + ".cv1", x, channels / 2)};
  for (int64_t i = 0; i < 3; ++i)
    parts.push_back(b.MaxPool(StrCat(name, ".pool", i), parts.back(), kPool));
  return ConvSilu(b, name + ".cv2", b.Concat(name + ".concat", parts), channels);
}

}  // namespace

void BuildYolov8n(NetworkBuilder& b) {
  constexpr int64_t kSize = 320, kClasses = 80, kBins = 16, kBoxes = 64, kScores = 80;
  Activation x = ConvSilu(b, "0", b.Image(kSize), 16, 3, 2);
  x = C2f(b, "2", ConvSilu(b, "1", x, 32, 3, 2), 32, 1, true);
  const Activation p3 = C2f(b, "4", ConvSilu(b, "3", x, 64, 3, 2), 64, 2, true);
  const Activation p4 = C2f(b, "6", ConvSilu(b, "5", p3, 128, 3, 2), 128, 2, true);
  x = C2f(b, "8", ConvSilu(b, "7", p4, 256, 3, 2), 256, 1, true);
  const Activation p5 = PoolPyramid(b, "9", x, 256);

  const Activation up4 = C2f(b, "12", b.Concat("11", {b.Upsample("10", p5), p4}), 128, 1, false);
  const Activation out3 = C2f(b, "15", b.Concat("14", {b.Upsample("13", up4), p3}), 64, 1, false);
  const Activation out4 =
      C2f(b, "18", b.Concat("17", {ConvSilu(b, "16", out3, 64, 3, 2), up4}), 128, 1, false);
  const Activation out5 =
      C2f(b, "21", b.Concat("20", {ConvSilu(b, "19", out4, 128, 3, 2), p5}), 256, 1, false);

  std::vector<Activation> boxes, scores;
  for (const Activation& level : {out3, out4, out5}) {
    const auto head = [&](const std::string& name, int64_t channels, int64_t outputs) {
      const Activation y =
          ConvSilu(b, name + ".1", ConvSilu(b, name + ".0", level, channels, 3), channels, 3);
      return b.Conv(name + ".2", y, {.channels = outputs}, Rectifier::kNone);
    };
    boxes.push_back(head(StrCat("22.cv2.", boxes.size()), kBoxes, 4 * kBins));
    scores.push_back(head(StrCat("22.cv3.", scores.size()), kScores, kClasses));
  }
  b.Detections(boxes, scores, kSize, kBins);
}

}  // namespace vta::compiler
