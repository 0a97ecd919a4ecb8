#include "compiler/targets/gpu/words.h"

#include "compiler/targets/codes.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

constexpr loop::DType kWord = loop::DType::kInt32;
constexpr int64_t kBitsOfHalf = 16;

/// The `block`-th two of so many channels; what is beyond them is 0.
Expr WordOfHalves(const Expr& block, int64_t channels,
                  const std::function<Expr(const Expr& channel)>& element) {
  const Expr above = loop::IntConst(kWord, int64_t{1} << kBitsOfHalf);
  Expr word = loop::IntConst(kWord, 0);
  for (int64_t i = 0; i < std::min(channels, kHalvesOfWord); ++i) {
    const Expr channel = block * kHalvesOfWord + i;
    Expr real = element(channel);
    if (channels % kHalvesOfWord != 0 && channels > kHalvesOfWord)
      real = Select(channel < Expr(channels), real, loop::FloatConst(0));
    const Expr half = Cast(kWord, loop::Apply(loop::Op::kFloatToHalf, {real}));
    word = word + (i == 0 ? FloorMod(half, above) : half * above);
  }
  return word;
}

}  // namespace

Expr HalfOf(const Expr& word, const Expr& i) {
  const Expr shift = Cast(kWord, i) * loop::IntConst(kWord, kBitsOfHalf);
  return loop::Apply(loop::Op::kHalfToFloat,
                     {Cast(loop::DType::kInt16, loop::Apply(loop::Op::kShr, {word, shift}))});
}

Shape WordsShape(const Shape& shape, const Storage& storage) {
  return {shape[0], (shape[1] + storage.channels - 1) / storage.channels, shape[2], shape[3]};
}

te::Tensor OfWords(const te::Tensor& words, const Shape& shape, const Storage& storage) {
  return te::View(words.name() + "_elements", shape,
                  storage.halves ? loop::DType::kFloat32 : loop::DType::kInt8,
                  [=](const std::vector<Expr>& at) {
                    const Expr all(storage.channels);
                    const Expr word = words(at[0], FloorDiv(at[1], all), at[2], at[3]);
                    const Expr which = FloorMod(at[1], all);
                    return storage.halves ? HalfOf(word, which) : Unbiased(ByteOf(word, which));
                  });
}

te::Tensor InWords(const te::Tensor& value, const Storage& storage) {
  const int64_t channels = value.shape()[1];
  return te::View(
      "words", WordsShape(value.shape(), storage), kWord, [=](const std::vector<Expr>& at) {
        const auto element = [&](const Expr& c) { return value(at[0], c, at[2], at[3]); };
        if (storage.halves) return WordOfHalves(at[1], channels, element);
        return WordAt(at[1], channels, [&](const Expr& c) { return Biased(element(c)); });
      });
}

}  // namespace vta::compiler::targets
