// Spatial packing: what a tile of a convolution reads, copied to where it lies together.
#include <gmock/gmock.h>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/te/te.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::te {
namespace {

constexpr int64_t kIn = 3, kOut = 2, kSize = 12;

/// A convolution of windows of k x k over what is padded already.
loop::Function Windows(int64_t k) {
  const int64_t padded = kSize + k - 1;
  const Tensor x = Placeholder("x", {kIn, padded, padded}), w = Placeholder("w", {kOut, kIn, k, k});
  const ReduceAxis c("c", kIn), ky("ky", k), kx("kx", k);
  const Tensor y =
      Compute("y", {{"o", kOut}, {"h", kSize}, {"j", kSize}}, [&](Expr o, Expr h, Expr j) {
        return ReduceSum(
            Cast(DType::kInt32, x(c, h + ky, j + kx)) * Cast(DType::kInt32, w(o, c, ky, kx)),
            {c, ky, kx});
      });
  return Lower("windows", {x, w, y});
}

/// Elements of a buffer that the function allocates.
int64_t AllocatedElements(const loop::Function& function, const std::string& name) {
  const std::string text = Print(function), head = StrCat("alloc ", name, ": int8[");
  const size_t at = text.find(head);
  if (at == std::string::npos) return 0;
  int64_t elements = 1;
  std::istringstream numbers(text.substr(at + head.size()));
  for (int64_t extent = 0; numbers >> extent; numbers.ignore()) elements *= extent;
  return elements;
}

TEST(SpatialPack, CopiesWhatTheFormulaSays) {
  struct Tile {
    int64_t k, rows, columns;
  };
  // The first is im2col: as many copies of the input as the window has taps.
  for (const auto& [k, rows, columns] :
       {Tile{3, 1, 1}, {3, 2, 4}, {3, 4, 3}, {5, 6, 2}, {1, 3, 12}, {3, 12, 12}}) {
    SCOPED_TRACE(StrCat(k, ": ", rows, "x", columns));
    loop::Schedule schedule(Windows(k));
    schedule.Do("tile", "y", "h", "j", rows, columns);
    schedule.Replay("reorder y ho jo o\ncache_read y x local\ncompute_at x_local y jo");
    const int64_t tiles = kSize / rows * (kSize / columns);
    const int64_t packed = tiles * AllocatedElements(schedule.function(), "x_local");
    // (VH + K - 1) (VW + K - 1) / (VH VW) of the elements that there are without borders.
    EXPECT_EQ(packed * rows * columns, kIn * kSize * kSize * (rows + k - 1) * (columns + k - 1));
    if (rows * columns == 1) {
      EXPECT_EQ(packed, k * k * kIn * kSize * kSize);
    }
    const int64_t padded = kSize + k - 1;
    auto x = loop::Random<int8_t>(static_cast<size_t>(kIn * padded * padded), 1);
    auto w = loop::Random<int8_t>(static_cast<size_t>(kOut * kIn * k * k), 2);
    std::vector<int32_t> got(kOut * kSize * kSize), want = got;
    loop::RunOn(schedule.function(), x, w, got);
    loop::RunOn(Windows(k), x, w, want);
    EXPECT_EQ(got, want);
  }
}

}  // namespace
}  // namespace vta::compiler::te
