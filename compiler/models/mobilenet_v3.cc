#include "compiler/models/mobilenet_v3.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

enum class Bend { kRelu, kHardSwish };

struct Block {
  int64_t kernel, expanded, channels;
  bool weighs;  // its channels
  Bend bend;
  int64_t stride = 1;
};

Activation ConvBend(NetworkBuilder& b, const std::string& name, const Activation& x,
                    const ConvShape& shape, Bend bend) {
  if (bend == Bend::kRelu) return b.Conv(name, x, shape, Rectifier::kRelu);
  return b.HardSwish(name + ".swish", b.Conv(name, x, shape, Rectifier::kNone));
}

/// The multiple of 8 that is nearest, but not much less.
int64_t InEights(int64_t channels) {
  const int64_t rounded = std::max<int64_t>(8, (channels + 4) / 8 * 8);
  return 10 * rounded < 9 * channels ? rounded + 8 : rounded;
}

/// Each channel times a number in [0, 1] that two layers make of all channels' averages.
Activation Weigh(NetworkBuilder& b, const std::string& name, const Activation& x) {
  Activation y = b.GlobalAverage(x, name + ".average");
  y = b.Conv(name + ".squeeze", y, {.channels = InEights(x.channels / 4)}, Rectifier::kRelu);
  y = b.Conv(name + ".excite", y, {.channels = x.channels}, Rectifier::kNone);
  return b.Weigh(name, x, b.HardSigmoid(name + ".weights", y));
}

Activation InvertedResidual(NetworkBuilder& b, const std::string& name, const Activation& x,
                            const Block& block) {
  Activation y = x;
  if (block.expanded != x.channels)
    y = ConvBend(b, name + ".expand", x, {.channels = block.expanded}, block.bend);
  y = ConvBend(b, name + ".depthwise", y,
               {.channels = block.expanded,
                .kernel = block.kernel,
                .stride = block.stride,
                .groups = block.expanded},
               block.bend);
  if (block.weighs) y = Weigh(b, name + ".weighed", y);
  y = b.Conv(name + ".project", y, {.channels = block.channels}, Rectifier::kNone);
  if (block.stride > 1 || block.channels != x.channels) return y;
  return b.Add(name + ".add", x, y, Rectifier::kNone);
}

void Build(NetworkBuilder& b, const std::vector<Block>& blocks, int64_t head_channels) {
  constexpr int64_t kSize = 224, kStemChannels = 16, kClasses = 1000;
  Activation x = ConvBend(b, "stem", b.Image(kSize),
                          {.channels = kStemChannels, .kernel = 3, .stride = 2}, Bend::kHardSwish);
  int64_t index = 0;
  for (const Block& block : blocks) x = InvertedResidual(b, StrCat("block", ++index), x, block);
  x = ConvBend(b, "last", x, {.channels = 6 * x.channels}, Bend::kHardSwish);
  x = b.Dense("head", b.Flatten(b.GlobalAverage(x)), head_channels, Rectifier::kNone);
  b.Output(b.Dense("classifier", b.HardSwish("head.swish", x), kClasses, Rectifier::kNone));
}

}  // namespace

void BuildMobilenetV3Large(NetworkBuilder& builder) {
  using enum Bend;
  Build(builder,
        {{3, 16, 16, false, kRelu},
         {3, 64, 24, false, kRelu, 2},
         {3, 72, 24, false, kRelu},
         {5, 72, 40, true, kRelu, 2},
         {5, 120, 40, true, kRelu},
         {5, 120, 40, true, kRelu},
         {3, 240, 80, false, kHardSwish, 2},
         {3, 200, 80, false, kHardSwish},
         {3, 184, 80, false, kHardSwish},
         {3, 184, 80, false, kHardSwish},
         {3, 480, 112, true, kHardSwish},
         {3, 672, 112, true, kHardSwish},
         {5, 672, 160, true, kHardSwish, 2},
         {5, 960, 160, true, kHardSwish},
         {5, 960, 160, true, kHardSwish}},
        1280);
}

void BuildMobilenetV3Small(NetworkBuilder& builder) {
  using enum Bend;
  Build(builder,
        {{3, 16, 16, true, kRelu, 2},
         {3, 72, 24, false, kRelu, 2},
         {3, 88, 24, false, kRelu},
         {5, 96, 40, true, kHardSwish, 2},
         {5, 240, 40, true, kHardSwish},
         {5, 240, 40, true, kHardSwish},
         {5, 120, 48, true, kHardSwish},
         {5, 144, 48, true, kHardSwish},
         {5, 288, 96, true, kHardSwish, 2},
         {5, 576, 96, true, kHardSwish},
         {5, 576, 96, true, kHardSwish}},
        1024);
}

}  // namespace vta::compiler
