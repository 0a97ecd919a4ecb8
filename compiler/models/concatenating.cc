#include "compiler/models/concatenating.h"

#include <span>

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

/// Growth channels more: a bottleneck of four times as many, then 3x3. Normalisation comes before
/// each convolution, where the convolution before cannot take it.
Activation DenseLayer(NetworkBuilder& b, const std::string& name, const Activation& x) {
  constexpr int64_t kGrowth = 32;
  Activation y = b.Scale(name + ".norm1", x, Rectifier::kRelu);
  y = b.Conv(name + ".conv1", y, {.channels = 4 * kGrowth}, Rectifier::kRelu);
  y = b.Conv(name + ".conv2", y, {.channels = kGrowth, .kernel = 3}, Rectifier::kNone);
  return b.Concat(name + ".concat", {x, y});
}

Activation ShuffleBranch(NetworkBuilder& b, const std::string& name, const Activation& x,
                         int64_t channels, int64_t stride) {
  Activation y = b.Conv(name + ".expand", x, {.channels = channels}, Rectifier::kRelu);
  y = b.Conv(name + ".depthwise", y,
             {.channels = channels, .kernel = 3, .stride = stride, .groups = channels},
             Rectifier::kNone);
  return b.Conv(name + ".project", y, {.channels = channels}, Rectifier::kRelu);
}

/// Half of the channels pass; where the image is halved, all take both ways.
Activation ShuffleUnit(NetworkBuilder& b, const std::string& name, const Activation& x,
                       int64_t channels, int64_t stride) {
  const int64_t half = channels / 2;
  Activation left, right;
  if (stride == 1) {
    left = b.Slice(name + ".left", x, 0, half);
    right = ShuffleBranch(b, name, b.Slice(name + ".right", x, half, channels), half, 1);
  } else {
    left = b.Conv(name + ".shortcut.depthwise", x,
                  {.channels = x.channels, .kernel = 3, .stride = stride, .groups = x.channels},
                  Rectifier::kNone);
    left = b.Conv(name + ".shortcut.project", left, {.channels = half}, Rectifier::kRelu);
    right = ShuffleBranch(b, name, x, half, stride);
  }
  return b.Shuffle(name + ".shuffle", b.Concat(name + ".concat", {left, right}), 2);
}

/// Inception v3's: all convolutions are rectified; a chain of them, named by position.
Activation Chain(NetworkBuilder& b, const std::string& name, Activation x,
                 const std::vector<ConvShape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i)
    x = b.Conv(StrCat(name, ".", i + 1), x, shapes[i], Rectifier::kRelu);
  return x;
}

constexpr ConvShape Wide(int64_t channels, int64_t width) {
  return {.channels = channels, .kernel = 1, .kernel_width = width};
}
constexpr ConvShape Tall(int64_t channels, int64_t height) {
  return {.channels = channels, .kernel = height, .kernel_width = 1};
}

constexpr PoolShape kSame{.kernel = 3, .stride = 1};
constexpr PoolShape kHalve{.kernel = 3, .stride = 2, .pad = 0};

Activation InceptionA(NetworkBuilder& b, const std::string& name, const Activation& x,
                      int64_t pooled) {
  return b.Concat(
      name + ".concat",
      {Chain(b, name + ".1x1", x, {{.channels = 64}}),
       Chain(b, name + ".5x5", x, {{.channels = 48}, {.channels = 64, .kernel = 5}}),
       Chain(b, name + ".3x3", x,
             {{.channels = 64}, {.channels = 96, .kernel = 3}, {.channels = 96, .kernel = 3}}),
       Chain(b, name + ".pooled", b.AveragePool(name + ".average", x, kSame),
             {{.channels = pooled}})});
}

Activation InceptionB(NetworkBuilder& b, const std::string& name, const Activation& x) {
  return b.Concat(name + ".concat", {Chain(b, name + ".3x3", x,
                                           {{.channels = 384, .kernel = 3, .stride = 2, .pad = 0}}),
                                     Chain(b, name + ".double", x,
                                           {{.channels = 64},
                                            {.channels = 96, .kernel = 3},
                                            {.channels = 96, .kernel = 3, .stride = 2, .pad = 0}}),
                                     b.MaxPool(name + ".pool", x, kHalve)});
}

Activation InceptionC(NetworkBuilder& b, const std::string& name, const Activation& x,
                      int64_t width) {
  const ConvShape narrow{.channels = width};
  return b.Concat(name + ".concat",
                  {Chain(b, name + ".1x1", x, {{.channels = 192}}),
                   Chain(b, name + ".7x7", x, {narrow, Wide(width, 7), Tall(192, 7)}),
                   Chain(b, name + ".double", x,
                         {narrow, Tall(width, 7), Wide(width, 7), Tall(width, 7), Wide(192, 7)}),
                   Chain(b, name + ".pooled", b.AveragePool(name + ".average", x, kSame),
                         {{.channels = 192}})});
}

Activation InceptionD(NetworkBuilder& b, const std::string& name, const Activation& x) {
  return b.Concat(
      name + ".concat",
      {Chain(b, name + ".3x3", x,
             {{.channels = 192}, {.channels = 320, .kernel = 3, .stride = 2, .pad = 0}}),
       Chain(b, name + ".7x7", x,
             {{.channels = 192},
              Wide(192, 7),
              Tall(192, 7),
              {.channels = 192, .kernel = 3, .stride = 2, .pad = 0}}),
       b.MaxPool(name + ".pool", x, kHalve)});
}

Activation InceptionE(NetworkBuilder& b, const std::string& name, const Activation& x) {
  const Activation one = Chain(b, name + ".3x3", x, {{.channels = 384}});
  const Activation two =
      Chain(b, name + ".double", x, {{.channels = 448}, {.channels = 384, .kernel = 3}});
  return b.Concat(name + ".concat",
                  {Chain(b, name + ".1x1", x, {{.channels = 320}}),
                   Chain(b, name + ".3x3.wide", one, {Wide(384, 3)}),
                   Chain(b, name + ".3x3.tall", one, {Tall(384, 3)}),
                   Chain(b, name + ".double.wide", two, {Wide(384, 3)}),
                   Chain(b, name + ".double.tall", two, {Tall(384, 3)}),
                   Chain(b, name + ".pooled", b.AveragePool(name + ".average", x, kSame),
                         {{.channels = 192}})});
}

struct FireStage {
  int64_t squeeze, expand, fires;
  bool pool;  // before it
};

/// `window`: of the first convolution, to so many channels.
void BuildFires(NetworkBuilder& builder, int64_t channels, int64_t window,
                std::span<const FireStage> stages) {
  constexpr PoolShape kPool{.pad = 0, .ceil = true};
  Activation x = builder.Conv("conv1", builder.Image(224),
                              {.channels = channels, .kernel = window, .stride = 2, .pad = 0},
                              Rectifier::kRelu);
  int64_t index = 1;
  for (const FireStage& stage : stages) {
    if (stage.pool) x = builder.MaxPool(StrCat("pool", index), x, kPool);
    for (int64_t fire = 0; fire < stage.fires; ++fire)
      x = Fire(builder, StrCat("fire", ++index), x, stage.squeeze, stage.expand);
  }
  x = builder.Conv("conv10", x, {.channels = 1000}, Rectifier::kRelu);
  builder.Output(builder.Flatten(builder.GlobalAverage(x)));
}

}  // namespace

void BuildSqueezenet(NetworkBuilder& builder) {
  constexpr FireStage kStages[] = {
      {16, 64, 2, true}, {32, 128, 2, true}, {48, 192, 2, true}, {64, 256, 2, false}};
  BuildFires(builder, 64, 3, kStages);
}

void BuildSqueezenet10(NetworkBuilder& builder) {
  constexpr FireStage kStages[] = {{16, 64, 2, true},   {32, 128, 1, false}, {32, 128, 1, true},
                                   {48, 192, 2, false}, {64, 256, 1, false}, {64, 256, 1, true}};
  BuildFires(builder, 96, 7, kStages);
}

void BuildDensenet121(NetworkBuilder& builder) {
  Activation x = builder.Conv("conv0", builder.Image(224),
                              {.channels = 64, .kernel = 7, .stride = 2}, Rectifier::kRelu);
  x = builder.MaxPool("pool0", x);
  constexpr int64_t kLayers[] = {6, 12, 24, 16};
  for (size_t block = 0; block < std::size(kLayers); ++block) {
    if (block > 0) {
      const std::string name = StrCat("transition", block);
      x = builder.Scale(name + ".norm", x, Rectifier::kRelu);
      x = builder.Conv(name + ".conv", x, {.channels = x.channels / 2}, Rectifier::kNone);
      x = builder.AveragePool(name + ".pool", x, {.kernel = 2, .stride = 2, .pad = 0});
    }
    for (int64_t layer = 1; layer <= kLayers[block]; ++layer)
      x = DenseLayer(builder, StrCat("block", block + 1, ".", layer), x);
  }
  builder.Classifier(builder.Scale("norm5", x, Rectifier::kRelu), 1000);
}

void BuildShufflenetV2(NetworkBuilder& builder) {
  Activation x = builder.Conv("conv1", builder.Image(224),
                              {.channels = 24, .kernel = 3, .stride = 2}, Rectifier::kRelu);
  x = builder.MaxPool("maxpool", x);
  struct Stage {
    int64_t channels, units;
  };
  constexpr Stage kStages[] = {{116, 4}, {232, 8}, {464, 4}};
  for (size_t stage = 0; stage < std::size(kStages); ++stage)
    for (int64_t unit = 0; unit < kStages[stage].units; ++unit)
      x = ShuffleUnit(builder, StrCat("stage", stage + 2, ".", unit), x, kStages[stage].channels,
                      unit == 0 ? 2 : 1);
  x = builder.Conv("conv5", x, {.channels = 1024}, Rectifier::kRelu);
  builder.Classifier(x, 1000);
}

void BuildInceptionV3(NetworkBuilder& builder) {
  Activation x = Chain(builder, "stem", builder.Image(299),
                       {{.channels = 32, .kernel = 3, .stride = 2, .pad = 0},
                        {.channels = 32, .kernel = 3, .pad = 0},
                        {.channels = 64, .kernel = 3}});
  x = builder.MaxPool("pool1", x, kHalve);
  x = Chain(builder, "stem2", x, {{.channels = 80}, {.channels = 192, .kernel = 3, .pad = 0}});
  x = builder.MaxPool("pool2", x, kHalve);
  x = InceptionA(builder, "mixed5b", x, 32);
  x = InceptionA(builder, "mixed5c", x, 64);
  x = InceptionA(builder, "mixed5d", x, 64);
  x = InceptionB(builder, "mixed6a", x);
  x = InceptionC(builder, "mixed6b", x, 128);
  x = InceptionC(builder, "mixed6c", x, 160);
  x = InceptionC(builder, "mixed6d", x, 160);
  x = InceptionC(builder, "mixed6e", x, 192);
  x = InceptionD(builder, "mixed7a", x);
  x = InceptionE(builder, "mixed7b", x);
  x = InceptionE(builder, "mixed7c", x);
  builder.Classifier(x, 1000);
}

}  // namespace vta::compiler
