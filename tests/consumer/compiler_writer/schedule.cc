// Chapter 2: how it is computed. Schedule primitives, each of which leaves the result as it is.
#include "compiler/loop/schedule/schedule.h"

#include <sstream>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/te/te.h"
#include "compiler_writer/native.h"

using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::ReduceSum, te::Tensor;

namespace {

loop::Function Add(int64_t n) {
  const Tensor a = te::Placeholder("a", {n}, DType::kInt32);
  const Tensor b = te::Placeholder("b", {n}, DType::kInt32);
  const Tensor c = te::Compute("c", {{"i", n}}, [&](Expr i) { return a(i) + b(i); });
  return te::Lower("add", {a, b, c});
}

/// Applies the steps to the sum of two vectors, and runs what comes of it.
loop::Function AddBy(int64_t n, const std::string& steps) {
  loop::Schedule schedule(Add(n));
  schedule.Replay(steps);
  std::vector<int32_t> a = Random<int32_t>(n, 1), b = Random<int32_t>(n, 2), got(n), want(n);
  for (int i = 0; i < n; ++i) want[i] = a[i] + b[i];
  Run(schedule.function(), a, b, got);
  ExpectSame(vta::StrCat("n = ", n), got, want);
  return schedule.function();
}

void Vectors() {
  std::cout << Print(AddBy(37, "split c i 32"));
  std::cout << Print(AddBy(64, "split c i 32").body, 2);
  std::cout << Print(AddBy(37, "split c i 32\nreorder c ii io").body, 2);
  std::cout << Print(AddBy(37, "split c i 32\npartition c io 1").body, 2);
  std::cout << Print(
      AddBy(64, "cache_write c local\nsplit c_copy i 32\ncompute_at c c_copy io").body, 2);
}

void FuseAndSplit() {
  const Tensor x = te::Placeholder("x", {6, 40}, DType::kInt32);
  const Tensor y =
      te::Compute("y", {{"i", 6}, {"j", 40}}, [&](Expr i, Expr j) { return Max(x(i, j), 0); });
  loop::Schedule schedule(te::Lower("relu", {x, y}));
  for (const char* step : {"fuse y i j", "split y ij 40"}) {
    schedule.Replay(step);
    std::cout << Print(schedule.function().body, 2);
  }
}

/// relu(a b^T), whose sums are a tensor of their own.
loop::Function Matmul(int64_t size) {
  const Tensor a = te::Placeholder("a", {size, size}), b = te::Placeholder("b", {size, size});
  const ReduceAxis k("k", size);
  const Tensor sum = te::Compute("sum", {{"i", size}, {"j", size}}, [&](Expr i, Expr j) {
    return ReduceSum(Cast(DType::kInt32, a(i, k)) * Cast(DType::kInt32, b(j, k)), {k});
  });
  const Tensor y = te::Compute("y", {{"i", size}, {"j", size}},
                               [&](Expr i, Expr j) { return Max(sum(i, j), 0); });
  return te::Lower("matmul", {a, b, y});
}

const std::string kSteps = R"(
tile y i j 8 16                # blocks of 8 rows and 16 columns,
fuse y io jo                   # one loop over all of them,
compute_at sum y iojo          # the sums of a block where it is used,
set_scope sum local            # in registers;
cache_read sum b local         # and a copy of the rows of b
compute_at b_local y iojo      # that it reads.
reorder sum k i j              # A column of products after the other,
vectorize sum j                # 16 of them at once,
unroll sum i                   # 8 vectors without a loop.
vectorize y ji
parallel y iojo                # Blocks on any thread.
)";

void Steps() {
  constexpr int64_t kSize = 40;
  std::vector<int8_t> a = Random<int8_t>(kSize * kSize, 3), b = Random<int8_t>(kSize * kSize, 4);
  std::vector<int32_t> want(kSize * kSize);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      int32_t& sum = want[i * kSize + j];
      for (int k = 0; k < kSize; ++k) sum += a[i * kSize + k] * b[j * kSize + k];
      sum = std::max(sum, 0);
    }
  loop::Schedule schedule(Matmul(kSize));
  std::istringstream lines(kSteps);
  for (std::string step; std::getline(lines, step);) {
    if (step.empty()) continue;
    schedule.Replay(step);
    std::vector<int32_t> got(kSize * kSize);
    Run(schedule.function(), a, b, got);
    ExpectSame(Print(schedule.trace().back()), got, want);
  }
  std::cout << Print(schedule.function());
}

void All() {
  for (const loop::Primitive& row : loop::Primitives())
    std::cout << row.name << " " << row.params << (row.makes.empty() ? "" : " -> ") << row.makes
              << "\n    " << row.meaning << "\n";
}

}  // namespace

int main() {
  return Chapter([] {
    Vectors();
    FuseAndSplit();
    Steps();
    All();
  });
}
