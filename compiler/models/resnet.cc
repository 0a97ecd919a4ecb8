#include "compiler/models/resnet.h"

#include <span>

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

/// A block's residual branch, before the shortcut is added.
using Branch = Activation (*)(NetworkBuilder&, const std::string& name, const Activation& x,
                              int64_t width, int64_t stride);

Activation BasicBranch(NetworkBuilder& b, const std::string& name, const Activation& x,
                       int64_t width, int64_t stride) {
  Activation y = b.Conv(name + ".conv1", x, {.channels = width, .kernel = 3, .stride = stride},
                        Rectifier::kRelu);
  return b.Conv(name + ".conv2", y, {.channels = width, .kernel = 3}, Rectifier::kNone);
}

Activation BottleneckBranch(NetworkBuilder& b, const std::string& name, const Activation& x,
                            int64_t width, int64_t stride) {
  constexpr int64_t kExpansion = 4;
  Activation y = b.Conv(name + ".conv1", x, {.channels = width}, Rectifier::kRelu);
  y = b.Conv(name + ".conv2", y, {.channels = width, .kernel = 3, .stride = stride},
             Rectifier::kRelu);
  return b.Conv(name + ".conv3", y, {.channels = kExpansion * width}, Rectifier::kNone);
}

Activation ResidualBlock(NetworkBuilder& b, const std::string& name, const Activation& x,
                         Branch branch, int64_t width, int64_t stride) {
  const Activation y = branch(b, name, x, width, stride);
  const bool same_shape = stride == 1 && x.channels == y.channels;
  const Activation shortcut =
      same_shape ? x
                 : b.Conv(name + ".downsample", x, {.channels = y.channels, .stride = stride},
                          Rectifier::kNone);
  return b.Add(name + ".add", y, shortcut, Rectifier::kRelu);
}

/// `blocks` holds the number of residual blocks of each stage; each stage has twice the channels of
/// the one before, and all but the first halve the image.
Activation Stages(NetworkBuilder& b, Activation x, int64_t width, Branch branch,
                  std::span<const int64_t> blocks) {
  for (size_t stage = 0; stage < blocks.size(); ++stage) {
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = ResidualBlock(b, StrCat("layer", stage + 1, ".", block), x, branch, width << stage,
                        stride);
    }
  }
  return x;
}

void BuildResnet(NetworkBuilder& b, int64_t size, int64_t width, Branch branch,
                 std::span<const int64_t> blocks, int64_t classes) {
  Activation x = b.Conv("conv1", b.Image(size), {.channels = width, .kernel = 7, .stride = 2},
                        Rectifier::kRelu);
  b.Classifier(Stages(b, b.MaxPool("maxpool", x), width, branch, blocks), classes);
}

constexpr int64_t kWidth = 64;  // of the first stage
constexpr int64_t kBlocksOf18[] = {2, 2, 2, 2}, kBlocksOf50[] = {3, 4, 6, 3},
                  kBlocksOfTiny[] = {1, 1};

}  // namespace

void BuildResnet18(NetworkBuilder& builder) {
  BuildResnet(builder, 224, kWidth, BasicBranch, kBlocksOf18, 1000);
}

void BuildResnet18C2ToC11(NetworkBuilder& builder) {
  constexpr int64_t kPooled = 56;
  builder.Output(
      Stages(builder, builder.Features(kWidth, kPooled), kWidth, BasicBranch, kBlocksOf18));
}

void BuildResnet50(NetworkBuilder& builder) {
  BuildResnet(builder, 224, kWidth, BottleneckBranch, kBlocksOf50, 1000);
}

void BuildResnetTiny(NetworkBuilder& builder) {
  BuildResnet(builder, 32, 16, BasicBranch, kBlocksOfTiny, 10);
}

}  // namespace vta::compiler
