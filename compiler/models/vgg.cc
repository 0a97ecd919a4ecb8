#include "compiler/models/vgg.h"

#include "isa/support/error.h"

namespace vta::compiler {

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

}  // namespace vta::compiler
