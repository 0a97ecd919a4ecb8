#include "compiler/models/vgg.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

/// The last three stages have `layers` each.
void BuildVgg(NetworkBuilder& builder, int64_t layers) {
  struct Stage {
    int64_t channels, layers;
  };
  const Stage stages[] = {{64, 2}, {128, 2}, {256, layers}, {512, layers}, {512, layers}};
  Activation x = builder.Image(224);
  int64_t index = 0;
  for (const Stage& stage : stages) {
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

}  // namespace

void BuildVgg16(NetworkBuilder& builder) { BuildVgg(builder, 3); }

void BuildVgg19(NetworkBuilder& builder) { BuildVgg(builder, 4); }

}  // namespace vta::compiler
