#include "compiler/models/plain.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

/// Squeezes the channels; expands them by two convolutions, whose results lie one after the other.
Activation Fire(NetworkBuilder& b, const std::string& name, const Activation& x, int64_t squeeze,
                int64_t expand) {
  const Activation y = b.Conv(name + ".squeeze", x, {.channels = squeeze}, Rectifier::kRelu);
  return b.Concat(
      name + ".concat",
      {b.Conv(name + ".expand1x1", y, {.channels = expand}, Rectifier::kRelu),
       b.Conv(name + ".expand3x3", y, {.channels = expand, .kernel = 3}, Rectifier::kRelu)});
}

}  // namespace

void BuildVgg16(NetworkBuilder& builder) {
  struct Stage {
    int64_t channels, layers;
  };
  constexpr Stage kStages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  Activation x = builder.Image(224);
  int64_t index = 0;
  for (const Stage& stage : kStages) {
    ++index;
    for (int64_t layer = 1; layer <= stage.layers; ++layer)
      x = builder.Conv(StrCat("conv", index, "_", layer), x,
                       {.channels = stage.channels, .kernel = 3}, Rectifier::kRelu);
    x = builder.MaxPool(StrCat("pool", index), x, {.kernel = 2, .pad = 0});
  }
  x = builder.Flatten(x);
  x = builder.Dense("fc6", x, 4096, Rectifier::kRelu);
  x = builder.Dense("fc7", x, 4096, Rectifier::kRelu);
  builder.Output(builder.Dense("fc8", x, 1000, Rectifier::kNone));
}

void BuildSqueezenet(NetworkBuilder& builder) {
  constexpr PoolShape kPool{.pad = 0, .ceil = true};
  Activation x =
      builder.Conv("conv1", builder.Image(224),
                   {.channels = 64, .kernel = 3, .stride = 2, .pad = 0}, Rectifier::kRelu);
  struct Stage {
    int64_t squeeze, expand, fires;
    bool pool;  // before it
  };
  constexpr Stage kStages[] = {
      {16, 64, 2, true}, {32, 128, 2, true}, {48, 192, 2, true}, {64, 256, 2, false}};
  int64_t index = 1;
  for (const Stage& stage : kStages) {
    if (stage.pool) x = builder.MaxPool(StrCat("pool", index), x, kPool);
    for (int64_t fire = 0; fire < stage.fires; ++fire)
      x = Fire(builder, StrCat("fire", ++index), x, stage.squeeze, stage.expand);
  }
  x = builder.Conv("conv10", x, {.channels = 1000}, Rectifier::kRelu);
  builder.Output(builder.Flatten(builder.GlobalAverage(x)));
}

}  // namespace vta::compiler
