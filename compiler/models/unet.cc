#include "compiler/models/unet.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

Activation DoubleConv(NetworkBuilder& b, const std::string& name, const Activation& x,
                      int64_t channels) {
  const ConvShape shape{.channels = channels, .kernel = 3};
  return b.Conv(name + ".conv2", b.Conv(name + ".conv1", x, shape, Rectifier::kRelu), shape,
                Rectifier::kRelu);
}

}  // namespace

void BuildUnet(NetworkBuilder& builder) {
  constexpr int64_t kSize = 128, kFirst = 64, kHalvings = 4, kClasses = 2;
  Activation x = DoubleConv(builder, "down0", builder.Image(kSize), kFirst);
  std::vector<Activation> skipped;
  for (int64_t i = 1; i <= kHalvings; ++i) {
    skipped.push_back(x);
    x = builder.MaxPool(StrCat("down", i, ".pool"), x, {.kernel = 2, .stride = 2, .pad = 0});
    x = DoubleConv(builder, StrCat("down", i), x, kFirst << i);
  }
  for (int64_t i = kHalvings - 1; i >= 0; --i) {
    const std::string name = StrCat("up", i);
    const Activation up = builder.Double(name + ".double", x, kFirst << i);
    x = DoubleConv(builder, name, builder.Concat(name + ".concat", {skipped[i], up}), kFirst << i);
  }
  builder.Output(builder.Conv("classes", x, {.channels = kClasses}, Rectifier::kNone));
}

}  // namespace vta::compiler
