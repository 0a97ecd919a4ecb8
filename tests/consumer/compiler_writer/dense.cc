#include "compiler_writer/dense.h"

#include <algorithm>

#include "compiler/te/te.h"

using namespace vta::compiler;  // NOLINT: a program about it
using te::DType, te::Expr, te::ReduceAxis, te::Tensor;

loop::Function Dense::Define() const {
  const Tensor x = te::Placeholder("x", {rows, in, 16});
  const Tensor w = te::Placeholder("w", {out, in, 16, 16});
  const ReduceAxis k("k", in), c("c", 16);
  const std::vector<te::Axis> axes = {{"m", rows}, {"n", out}, {"o", 16}};
  const std::string acc = "acc";  // the scope of what lies in the accumulators
  const auto product = [&](Expr m, Expr n, Expr o) {
    return te::ReduceSum(Cast(DType::kInt32, x(m, k, c)) * Cast(DType::kInt32, w(n, k, o, c)),
                         {k, c});
  };
  const Tensor sum = te::Compute("sum", axes, product, acc);
  const auto stage = [&](const std::string& name, const auto& element) {
    return te::Compute(
        name, axes, [&](const std::vector<Expr>& at) { return element(at); }, acc);
  };
  using Index = const std::vector<Expr>&;
  const Tensor shifted = stage("shifted", [&](Index at) {
    return Apply(loop::Op::kShr, {sum.At(at), 7});
  });
  const Tensor relu = stage("relu", [&](Index at) { return Max(shifted.At(at), 0); });
  const Tensor clipped = stage("clipped", [&](Index at) { return Min(relu.At(at), 127); });
  const Tensor y =
      te::Compute("y", axes, [&](Index at) { return Cast(DType::kInt8, clipped.At(at)); });
  return te::Lower("dense", {x, w, y});
}

std::vector<int8_t> Dense::Compute(const std::vector<int8_t>& x,
                                   const std::vector<int8_t>& w) const {
  std::vector<int8_t> y(rows * out * 16);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < out; ++n)
      for (int64_t o = 0; o < 16; ++o) {
        int32_t sum = 0;
        for (int64_t k = 0; k < in; ++k)
          for (int64_t c = 0; c < 16; ++c)
            sum += x[(m * in + k) * 16 + c] * w[((n * in + k) * 16 + o) * 16 + c];
        y[(m * out + n) * 16 + o] = static_cast<int8_t>(std::clamp(sum >> 7, 0, 127));
      }
  return y;
}
