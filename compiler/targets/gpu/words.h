// Activations of which GPUs have several channels in a word, an int32: codes of int8, 128 higher,
// or numbers of 16 bits.
#pragma once

#include "compiler/graph/storage.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// Numbers of 16 bits in a word.
inline constexpr int64_t kHalvesOfWord = 2;

/// The i-th of them, as a float32.
te::Expr HalfOf(const te::Expr& word, const te::Expr& i);

/// Of what is [N, C, H, W], in words: [N, C / channels of a word, H, W].
Shape WordsShape(const Shape& shape, const Storage& storage);
/// What the graph sees of words, and the words of that, filled up with 0.
te::Tensor OfWords(const te::Tensor& words, const Shape& shape, const Storage& storage);
te::Tensor InWords(const te::Tensor& value, const Storage& storage);

}  // namespace vta::compiler::targets
