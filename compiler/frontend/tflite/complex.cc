// Converters of Fourier transforms and of complex numbers, which are two tensors in the graph.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/operators.h"

namespace vta::compiler {
namespace {

/// cos and -sin of 2 pi * i * k / turn, for i < rows and k < columns.
struct Waves {
  ValueId cosine, sine;
};

Waves WavesOf(TfliteNode& node, int64_t rows, int64_t columns, int64_t turn) {
  const TensorType type{DType::kFloat32, {rows, columns}};
  if (!CheckedElements(type.shape))
    throw node.Fail("input fft_length", ToText(type.shape), "must have at most 2^40 waves");
  node.Require(type);
  Tensor cosine(type), sine(type);
  const double unit = 2 * std::acos(-1.0) / static_cast<double>(turn);
  for (int64_t i = 0; i < cosine.elements(); ++i) {
    const double angle = unit * static_cast<double>(i / columns * (i % columns) % turn);
    cosine.mutable_data<float>()[i] = static_cast<float>(std::cos(angle));
    sine.mutable_data<float>()[i] = static_cast<float>(-std::sin(angle));
  }
  return {node.AddConstant("cosine", std::move(cosine)), node.AddConstant("sine", std::move(sine))};
}

}  // namespace

/// Along the last axis, of which the result has one half, then along the one before. The input is
/// cut or filled up with zeros to fft_length.
void ConvertRfft2d(TfliteNode& node) {
  const std::vector<int64_t> length = node.ConstantInts(1, "input fft_length");
  constexpr int64_t kMost = 1 << 24;
  if (length.size() != 2 || std::ranges::min(length) < 1 || std::ranges::max(length) > kMost)
    throw node.Fail("input fft_length", ToText(length), "must be two numbers from 1 to 2^24");
  const Shape x = node.InputShape(0);
  const int64_t rank = std::ssize(x);
  if (rank < 2 || node.Type(0).dtype != DType::kFloat32)
    throw node.Fail("input", ToText(node.Type(0)), "must be float32 [...,H,W]");
  const int64_t high = std::min(x[rank - 2], length[0]), wide = std::min(x[rank - 1], length[1]);
  ValueId part = Slice(node, node.Stored(0), rank - 2, 0, high);
  part = Slice(node, part, rank - 1, 0, wide);
  const Math m{node, part};
  const Waves along = WavesOf(node, wide, length[1] / 2 + 1, length[1]);
  const ValueId real = m(Op::kMatMul, part, along.cosine);
  const ValueId imaginary = m(Op::kMatMul, part, along.sine);
  if (length[0] == 1) return node.ResultComplex({real, imaginary});
  const Waves across = WavesOf(node, length[0], high, length[0]);
  const auto product = [&](ValueId waves, ValueId value) { return m(Op::kMatMul, waves, value); };
  node.ResultComplex({m(Op::kSub, product(across.cosine, real), product(across.sine, imaginary)),
                      m(Op::kAdd, product(across.cosine, imaginary), product(across.sine, real))});
}

void ConvertRealPart(TfliteNode& node) { node.Result(node.Complex(0).real); }

void ConvertImaginaryPart(TfliteNode& node) { node.Result(node.Complex(0).imaginary); }

void ConvertComplexAbs(TfliteNode& node) {
  const TfliteComplex x = node.Complex(0);
  const Math m{node, x.real};
  const ValueId squares =
      m(Op::kAdd, m(Op::kMul, x.real, x.real), m(Op::kMul, x.imaginary, x.imaginary));
  node.Result(m(Op::kSqrt, squares));
}

}  // namespace vta::compiler
