#include "compiler/models/mobilenet.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

Activation Depthwise(NetworkBuilder& b, const std::string& name, const Activation& x,
                     int64_t stride, int64_t kernel = 3) {
  return b.Conv(name, x,
                {.channels = x.channels, .kernel = kernel, .stride = stride, .groups = x.channels},
                Rectifier::kRelu6);
}

struct Stage {
  int64_t expansion, channels, blocks, stride;  // the stride of its first block
  int64_t kernel = 3;
};

/// Expands the channels, filters each one, projects back; a shortcut where the shapes allow it.
Activation InvertedResidual(NetworkBuilder& b, const std::string& name, const Activation& x,
                            const Stage& stage, int64_t stride) {
  Activation y = x;
  if (stage.expansion > 1) {
    y = b.Conv(name + ".expand", x, {.channels = stage.expansion * x.channels}, Rectifier::kRelu6);
  }
  y = Depthwise(b, name + ".depthwise", y, stride, stage.kernel);
  y = b.Conv(name + ".project", y, {.channels = stage.channels}, Rectifier::kNone);
  if (stride > 1 || stage.channels != x.channels) return y;
  return b.Add(name + ".add", x, y, Rectifier::kNone);
}

void BuildInvertedResiduals(NetworkBuilder& b, int64_t size, int64_t stem_channels,
                            const std::vector<Stage>& stages, int64_t head_channels,
                            int64_t classes) {
  Activation x = b.Conv("stem", b.Image(size),
                        {.channels = stem_channels, .kernel = 3, .stride = 2}, Rectifier::kRelu6);
  int64_t index = 0;
  for (const Stage& stage : stages) {
    for (int64_t block = 0; block < stage.blocks; ++block) {
      x = InvertedResidual(b, StrCat("block", ++index), x, stage, block == 0 ? stage.stride : 1);
    }
  }
  x = b.Conv("head", x, {.channels = head_channels}, Rectifier::kRelu6);
  b.Classifier(x, classes);
}

}  // namespace

void BuildMobilenetV1(NetworkBuilder& builder) {
  struct Separable {
    int64_t channels, stride;
  };
  constexpr Separable kBlocks[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                   {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                   {512, 1}, {1024, 2}, {1024, 1}};
  Activation x = builder.Conv("stem", builder.Image(224),
                              {.channels = 32, .kernel = 3, .stride = 2}, Rectifier::kRelu6);
  int64_t index = 0;
  for (const Separable& block : kBlocks) {
    const std::string name = StrCat("block", ++index);
    x = Depthwise(builder, name + ".depthwise", x, block.stride);
    x = builder.Conv(name + ".pointwise", x, {.channels = block.channels}, Rectifier::kRelu6);
  }
  builder.Classifier(x, 1000);
}

void BuildMobilenetV2(NetworkBuilder& builder) {
  BuildInvertedResiduals(builder, 224, 32,
                         {{1, 16, 1, 1},
                          {6, 24, 2, 2},
                          {6, 32, 3, 2},
                          {6, 64, 4, 2},
                          {6, 96, 3, 1},
                          {6, 160, 3, 2},
                          {6, 320, 1, 1}},
                         1280, 1000);
}

void BuildEfficientnetLite0(NetworkBuilder& builder) {
  BuildInvertedResiduals(builder, 224, 32,
                         {{1, 16, 1, 1},
                          {6, 24, 2, 2},
                          {6, 40, 2, 2, 5},
                          {6, 80, 3, 2},
                          {6, 112, 3, 1, 5},
                          {6, 192, 4, 2, 5},
                          {6, 320, 1, 1}},
                         1280, 1000);
}

void BuildMobilenetTiny(NetworkBuilder& builder) {
  BuildInvertedResiduals(builder, 32, 12, {{1, 10, 1, 1}, {3, 20, 2, 2}}, 40, 10);
}

}  // namespace vta::compiler
