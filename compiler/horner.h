// Polynomials, of values of any kind.
#pragma once

#include <iterator>

namespace vta::compiler {

/// c[0] + c[1] * z + c[2] * z^2 + ..., where first(c) is c and more(sum, c) is sum * z + c.
template <typename Coefficients, typename First, typename More>
auto Horner(const Coefficients& c, First first, More more) {
  auto term = std::rbegin(c);
  auto sum = first(*term);
  for (++term; term != std::rend(c); ++term) sum = more(sum, *term);
  return sum;
}

}  // namespace vta::compiler
