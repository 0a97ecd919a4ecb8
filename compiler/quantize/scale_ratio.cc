#include "compiler/quantize/scale_ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::compiler {
namespace {

/// An odd number times a power of two.
struct Odd {
  int64_t number;
  int exponent;
};

Odd OddOf(double real) {
  constexpr int kBits = 53;
  Odd odd{};
  odd.number = static_cast<int64_t>(std::ldexp(std::frexp(real, &odd.exponent), kBits));
  for (odd.exponent -= kBits; odd.number % 2 == 0; ++odd.exponent) odd.number /= 2;
  return odd;
}

}  // namespace

std::optional<ScaleRatio> RatioOf(double x, double y) {
  if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y))) return std::nullopt;
  const Odd a = OddOf(x), b = OddOf(y);
  const int64_t common = std::gcd(a.number, b.number);
  const int shift = a.exponent - b.exponent;
  const double of_x = std::ldexp(static_cast<double>(a.number / common), std::max(shift, 0));
  const double of_y = std::ldexp(static_cast<double>(b.number / common), std::max(-shift, 0));
  if (std::max(of_x, of_y) >= 0x1p40) return std::nullopt;
  return ScaleRatio{static_cast<int64_t>(of_x), static_cast<int64_t>(of_y)};
}

}  // namespace vta::compiler
