// Ops that move elements and change none: identity, reshape, transpose, concat, pad.
#include <algorithm>
#include <cstring>

#include "compiler/graph/ops/convert.h"
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

/// result[i] = source[index[i]], whatever the element is.
Tensor Gather(const Tensor& source, const TensorType& type, const std::vector<int64_t>& index) {
  Tensor result(type);
  const int64_t size = Bytes(type.dtype);
  for (size_t i = 0; i < index.size(); ++i)
    std::memcpy(&result.mutable_bytes()[i * size], &source.bytes()[index[i] * size], size);
  return result;
}

/// The input coordinate that a padded coordinate reads, or kNone for the pad value.
int64_t PadSource(const std::string& mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size) return at;
  if (mode == "constant") return kNone;
  if (mode == "edge") return std::clamp<int64_t>(at, 0, size - 1);
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1);  // reflect
  const int64_t phase = ((at % period) + period) % period;
  return phase < size ? phase : period - phase;
}

}  // namespace

Tensor EvalIdentity(const EvalView& view) { return view.tensor(0); }

TensorType InferReshape(const OpView& view) {
  const std::vector<int64_t>& shape = view.Ints("shape");
  view.Require(CheckedElements(shape) == Elements(view.shape(0)), "shape", ToText(shape),
               StrCat("must have as many elements as ", ToText(view.shape(0))));
  return {view.dtype(0), shape};
}

Tensor EvalReshape(const EvalView& view) { return view.tensor(0).Reshaped(view.output.shape); }

TensorType InferTranspose(const OpView& view) {
  const Shape& x = view.shape(0);
  const std::vector<int64_t>& perm = view.Ints("perm");
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  bool sound = sorted.size() == x.size();
  for (size_t i = 0; sound && i < sorted.size(); ++i) sound = sorted[i] == static_cast<int64_t>(i);
  view.Require(sound, "perm", ToText(perm),
               StrCat("must be a permutation of the ", x.size(), " axes"));
  TensorType type{view.dtype(0), {}};
  for (int64_t axis : perm) type.shape.push_back(x[axis]);
  return type;
}

Tensor EvalTranspose(const EvalView& view) {
  const std::vector<int64_t>& perm = view.Ints("perm");
  const Shape strides = Strides(view.shape(0));
  std::vector<int64_t> index(view.tensor(0).elements());
  Shape position(perm.size(), 0);
  int64_t at = 0;
  for (int64_t& slot : index) {
    slot = at;
    for (size_t d = perm.size(); d-- > 0;) {
      at += strides[perm[d]];
      if (++position[d] < view.output.shape[d]) break;
      at -= strides[perm[d]] * view.output.shape[d];
      position[d] = 0;
    }
  }
  return Gather(view.tensor(0), view.output, index);
}

TensorType InferConcat(const OpView& view) {
  const int64_t axis = view.Int("axis"), rank = static_cast<int64_t>(view.shape(0).size());
  view.Require(axis >= 0 && axis < rank, "axis", StrCat(axis),
               StrCat("must be an axis of a tensor of rank ", rank));
  TensorType type = *view.inputs[0];
  type.shape[axis] = 0;
  for (const TensorType* input : view.inputs) {
    Shape expected = type.shape;
    bool same_rank = static_cast<int64_t>(input->shape.size()) == rank;
    if (same_rank) expected[axis] = input->shape[axis];
    view.Require(same_rank && input->dtype == type.dtype && input->shape == expected, "input",
                 ToText(*input),
                 StrCat("must agree with ", ToText(*view.inputs[0]), " in all but axis ", axis));
    type.shape[axis] += input->shape[axis];
  }
  return type;
}

Tensor EvalConcat(const EvalView& view) {
  const int64_t axis = view.Int("axis");
  Tensor result(view.output);
  uint8_t* out = result.mutable_bytes().data();
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= view.output.shape[i];
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor* input : view.tensors) {
      const int64_t chunk = static_cast<int64_t>(input->bytes().size()) / outer;
      std::memcpy(out, input->bytes().data() + i * chunk, chunk);
      out += chunk;
    }
  }
  return result;
}

TensorType InferPad(const OpView& view) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const Shape& x = view.shape(0);
  const std::vector<int64_t>& pads = view.Ints("pads");
  const std::string& mode = view.node.attributes.String("mode");
  view.Require(mode == "constant" || mode == "edge" || mode == "reflect", "mode", mode,
               "must be constant, edge or reflect");
  bool sound = pads.size() == 2 * x.size();
  for (int64_t pad : pads) sound &= pad > -kMost && pad < kMost;
  view.Require(sound, "pads", ToText(pads),
               StrCat("must be ", 2 * x.size(), " integers of at most 31 bits"));
  TensorType type = *view.inputs[0];
  for (size_t i = 0; i < x.size(); ++i) type.shape[i] += pads[i] + pads[i + x.size()];
  return type;
}

Tensor EvalPad(const EvalView& view) {
  const Shape& in = view.shape(0);
  const Shape& out = view.output.shape;
  const std::vector<int64_t>& pads = view.Ints("pads");
  const std::string& mode = view.node.attributes.String("mode");
  const Shape strides = Strides(in);
  const int64_t size = Bytes(view.output.dtype);
  Tensor result(view.output);
  DispatchDType(view.output.dtype, [&](auto zero) {
    for (auto& v : result.mutable_data<decltype(zero)>())
      v = Convert<decltype(zero)>(view.node.attributes.Double("value"));
  });
  Shape position(out.size(), 0);
  for (int64_t i = 0; i < result.elements(); ++i) {
    int64_t source = 0;
    for (size_t d = 0; d < out.size() && source != kNone; ++d) {
      const int64_t at = PadSource(mode, position[d] - pads[d], in[d]);
      source = at == kNone ? kNone : source + at * strides[d];
    }
    if (source != kNone)
      std::memcpy(&result.mutable_bytes()[i * size], &view.tensor(0).bytes()[source * size], size);
    for (size_t d = out.size(); d-- > 0;) {
      if (++position[d] < out[d]) break;
      position[d] = 0;
    }
  }
  return result;
}

}  // namespace vta::compiler::ops
