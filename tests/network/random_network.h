// Random integer networks and random accelerator variants: small, legal, and shaped to reach
// corners.
#pragma once

#include <cstdint>
#include <random>

#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace vta::test {

/// Draws that are the same on every platform.
class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed) {}

  /// In [low, high].
  int64_t Int(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  /// True once in `times`.
  bool Once(int64_t times) { return Int(1, times) == 1; }
  /// 2^k in [2^low, 2^high].
  int64_t Power(int low, int high) { return int64_t{1} << Int(low, high); }
  template <typename List>
  const auto& Of(const List& list) {
    return list[Int(0, static_cast<int64_t>(list.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

/// A legal variant: ISA 1.0 with requant, or an older one; scratchpads small enough to force tiles.
isa::Config RandomConfig(Draws& draw);

/// One to six layers of the integer normal form, here and there an operator of the CPU between
/// them. What nothing reads is an output.
compiler::Graph RandomNetwork(Draws& draw, isa::Rounding rounding);

/// Random codes; now and then all the same.
compiler::Tensor RandomCodes(Draws& draw, const compiler::TensorType& type);

}  // namespace vta::test
