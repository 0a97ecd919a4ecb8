#include "compiler/models/transformer.h"

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

Activation Blocks(NetworkBuilder& b, Activation x, int64_t blocks, int64_t heads) {
  constexpr int64_t kWider = 4;
  for (int64_t i = 0; i < blocks; ++i) {
    const std::string name = StrCat("block", i);
    const Activation attended =
        b.Attention(name + "/attention", b.Normalize(name + "/norm1", x), heads);
    x = b.Add(name + "/sum1", x, attended, Rectifier::kNone);
    const Activation wide =
        b.Gelu(name + "/gelu",
               b.Project(name + "/wide", b.Normalize(name + "/norm2", x), kWider * x.channels));
    x = b.Add(name + "/sum2", x, b.Project(name + "/narrow", wide, x.channels), Rectifier::kNone);
  }
  return b.Normalize("norm", x);
}

}  // namespace

void BuildVitTiny(NetworkBuilder& builder) {
  constexpr int64_t kSize = 224, kPatch = 16, kWidth = 192, kBlocks = 12, kHeads = 3,
                    kClasses = 1000;
  const Activation patches = builder.Conv(
      "patches", builder.Image(kSize),
      {.channels = kWidth, .kernel = kPatch, .stride = kPatch, .pad = 0}, Rectifier::kNone);
  const Activation x = Blocks(builder, builder.Tokens("tokens", patches), kBlocks, kHeads);
  builder.Output(
      builder.Dense("classifier", builder.FirstToken("class", x), kClasses, Rectifier::kNone));
}

void BuildTinyTransformer(NetworkBuilder& builder) {
  constexpr int64_t kTokens = 64, kWidth = 128, kBlocks = 4, kHeads = 4, kClasses = 10;
  const Activation x =
      Blocks(builder, builder.TokenInput("tokens", kTokens, kWidth), kBlocks, kHeads);
  builder.Output(
      builder.Dense("classifier", builder.FirstToken("class", x), kClasses, Rectifier::kNone));
}

}  // namespace vta::compiler
