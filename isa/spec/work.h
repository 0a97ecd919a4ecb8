// What kernels of a CPU compute, by kinds of operations that cost alike: packages count by them.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace vta::isa {

enum class WorkKind : uint8_t {
  kFloatProducts,
  kCodeProducts,
  kChannelProducts,
  kElements,
  kFunctions,
};

struct WorkSpec {
  WorkKind code;
  std::string_view name;  // in packages and reports
  std::string_view meaning;
};

inline constexpr WorkSpec kWorkTable[] = {
    {WorkKind::kFloatProducts, "float_products",
     "multiply-accumulates in float, of convolutions and products of matrices"},
    {WorkKind::kCodeProducts, "code_products", "the same of codes and other integers"},
    {WorkKind::kChannelProducts, "channel_products",
     "multiply-accumulates of windows in one channel, in float or of codes: what is loaded has few "
     "uses"},
    {WorkKind::kElements, "elements",
     "sums, products, comparisons and conversions of an element: as many as its formula has"},
    {WorkKind::kFunctions, "functions",
     "exponentials, roots, quotients and what is made of them, of an element"},
};
inline constexpr int kWorkKinds = std::size(kWorkTable);

using WorkCounts = std::array<int64_t, kWorkKinds>;

static_assert([] {
  for (int i = 0; i < kWorkKinds; ++i)
    if (static_cast<int>(kWorkTable[i].code) != i) return false;
  return true;
}());

}  // namespace vta::isa
