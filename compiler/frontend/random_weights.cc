#include "compiler/frontend/random_weights.h"

#include <cmath>
#include <type_traits>

#include "isa/support/hash.h"

namespace vta::compiler {
namespace {

// SplitMix64.
uint64_t NextBits(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

Uniform WeightRange(int64_t summed) {
  const double reach = std::sqrt(6.0 / static_cast<double>(summed));  // of deviation sqrt(2 / n)
  return {-reach, reach};
}

Tensor RandomTensor(const TensorType& type, const Uniform& range, uint64_t seed,
                    std::string_view name) {
  constexpr double kUnit = 0x1p-53;
  uint64_t state = Hasher().Number(seed).Text(name).value();
  Tensor tensor(type);
  DispatchDType(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    VTA_CHECK(std::is_floating_point_v<T>, Name(type.dtype));
    for (T& value : tensor.mutable_data<T>())
      value = static_cast<T>(range.low + (range.high - range.low) * kUnit *
                                             static_cast<double>(NextBits(&state) >> 11));
  });
  return tensor;
}

}  // namespace vta::compiler
