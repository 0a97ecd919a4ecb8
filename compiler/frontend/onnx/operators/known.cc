// Converters of operators whose results are known at compile time: shapes, and what is made of
// them.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"

namespace vta::compiler {

Shape ReadShape(OnnxNode& node, int64_t input, const char* what) {
  return CheckedShape(node, node.ConstantInts(input, what), what);
}

void ConvertShape(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t asked = node.Int(name, otherwise), rank = static_cast<int64_t>(x.size());
    return std::clamp<int64_t>(asked < 0 ? asked + rank : asked, 0, rank);
  };
  const int64_t start = bound("start", 0), end = bound("end", static_cast<int64_t>(x.size()));
  const Shape part(x.begin() + start, x.begin() + std::max(start, end));
  node.ResultConstant(Tensor::Of<int64_t>({static_cast<int64_t>(part.size())}, part));
}

void ConvertSize(OnnxNode& node) {
  node.ResultConstant(Tensor::Scalar<int64_t>(Elements(node.InputShape(0))));
}

void ConvertConstantOfShape(OnnxNode& node) {
  const Tensor value =
      node.HasAttribute("value") ? node.ConstantAttribute() : Tensor::Of<float>({1}, {0.0f});
  if (value.elements() != 1)
    throw node.Fail("attribute value", ToText(value.type()), "must have one element");
  const Shape shape = node.ConstantInts(0, "input shape");
  if (!shape.empty() && std::ranges::count(shape, 0) > 0 && std::ranges::min(shape) >= 0) {
    node.ResultConstant(Tensor(TensorType{value.dtype(), shape}));
    return;
  }
  constexpr int64_t kMost = 1 << 24;
  const TensorType type{value.dtype(), ReadShape(node, 0, "input shape")};
  if (Elements(type.shape) > kMost)
    throw node.Fail("input shape", ToText(shape), "must have at most 2^24 elements");
  Tensor filled(type);
  const int64_t size = Bytes(value.dtype());
  for (size_t i = 0; i < filled.bytes().size(); ++i)
    filled.mutable_bytes()[i] = value.bytes()[i % size];
  node.ResultConstant(std::move(filled));
}

void ConvertRange(OnnxNode& node) {
  const double delta = node.ConstantNumber(2, "input delta");
  auto range = RangeOf(node.ConstantNumber(0, "input start"), node.ConstantNumber(1, "input limit"),
                       delta, node.Constant(0, "input start").dtype());
  if (!range)
    throw node.Fail("input delta", StrCat(delta), "must lead to the limit in 2^24 steps or fewer");
  node.ResultConstant(*std::move(range));
}

void ConvertEyeLike(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  if (x.size() != 2) throw node.Fail("input shape", ToText(x), "must be a matrix");
  const int64_t k = node.Int("k", 0);
  DType dtype = node.Type(0).dtype;
  if (node.HasAttribute("dtype")) {
    const auto asked = DTypeFromOnnx(node.Int("dtype", 0));
    if (!asked)
      throw node.Fail("attribute dtype", OnnxTypeName(node.Int("dtype", 0)),
                      "is not a supported element type");
    dtype = *asked;
  }
  Tensor eye(TensorType{dtype, x});
  DispatchDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < eye.elements(); ++i)
      eye.mutable_data<T>()[i] = static_cast<T>(i % x[1] - i / x[1] == k);
  });
  node.ResultConstant(std::move(eye));
}

namespace {

/// The slices of a tensor along an axis, by their number; without an axis its elements.
template <typename T>
class Slices {
 public:
  Slices(const Tensor& x, std::optional<int64_t> axis) : data_(x.data<T>()), count_(x.elements()) {
    if (!axis) return;
    const Shape& s = x.shape();
    count_ = s[*axis];
    for (int64_t i = 0; i < *axis; ++i) outer_ *= s[i];
    for (int64_t i = *axis + 1; i < std::ssize(s); ++i) inner_ *= s[i];
  }

  int64_t count() const { return count_; }
  /// Whether one goes before the other, by the first elements that differ; NaNs are the last.
  bool Less(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < outer_; ++o)
      for (int64_t i = 0; i < inner_; ++i) {
        const T x = At(o, a, i), y = At(o, b, i);
        const bool x_is_number = x == x, y_is_number = y == y;
        if (x_is_number != y_is_number) return x_is_number;
        if (x < y || y < x) return x < y;
      }
    return false;
  }
  /// Those of the numbers beside each other, along the axis.
  std::vector<T> Chosen(const std::vector<int64_t>& numbers) const {
    std::vector<T> chosen;
    for (int64_t o = 0; o < outer_; ++o)
      for (int64_t number : numbers)
        for (int64_t i = 0; i < inner_; ++i) chosen.push_back(At(o, number, i));
    return chosen;
  }

 private:
  T At(int64_t outer, int64_t number, int64_t inner) const {
    return data_[(outer * count_ + number) * inner_ + inner];
  }

  std::span<const T> data_;
  int64_t count_, outer_ = 1, inner_ = 1;
};

/// Slices that are alike: the first of them, and how many they are; in order, or as they come.
struct Alike {
  std::vector<int64_t> first, counts, numbers;  // numbers: of each slice, that of those like it
};

template <typename T>
Alike FindAlike(const Slices<T>& slices, bool sorted) {
  std::vector<int64_t> order(slices.count());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return slices.Less(a, b); });
  Alike by_value{{}, {}, std::vector<int64_t>(order.size())};
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.Less(order[i - 1], order[i])) {
      by_value.first.push_back(order[i]);
      by_value.counts.push_back(0);
    }
    ++by_value.counts.back();
    by_value.numbers[order[i]] = std::ssize(by_value.first) - 1;
  }
  if (sorted) return by_value;
  Alike as_they_come{{}, {}, by_value.numbers};
  std::vector<int64_t> place(by_value.first.size());
  for (int64_t i = 0; i < slices.count(); ++i) {
    const int64_t number = by_value.numbers[i];
    if (by_value.first[number] == i) {
      place[number] = std::ssize(as_they_come.first);
      as_they_come.first.push_back(i);
      as_they_come.counts.push_back(by_value.counts[number]);
    }
    as_they_come.numbers[i] = place[number];
  }
  return as_they_come;
}

}  // namespace

void ConvertUnique(OnnxNode& node) {
  const Tensor& x = node.Constant(0, "input X");
  const int64_t sorted = node.Int("sorted", 1);
  std::optional<int64_t> axis;
  if (node.HasAttribute("axis")) axis = node.Axis(node.Int("axis", 0), std::ssize(x.shape()));
  DispatchDType(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Slices<T> slices(x, axis);
    const Alike alike = FindAlike(slices, sorted != 0);
    Shape shape = axis ? x.shape() : Shape(1);
    shape[axis.value_or(0)] = std::ssize(alike.first);
    Tensor unique(TensorType{x.dtype(), shape});
    std::ranges::copy(slices.Chosen(alike.first), unique.mutable_data<T>().begin());
    node.ResultConstant(std::move(unique));
    int64_t output = 1;
    for (const auto& list : {alike.first, alike.numbers, alike.counts})
      node.ResultConstant(Tensor::Of({std::ssize(list)}, list), output++);
  });
}

}  // namespace vta::compiler
