// Converters of attention: softmax(queries . keys + bias) . values, head by head.
// Shape: inside, queries [N, heads, L, size], keys and values [N, key heads, M, size].
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

ValueId SwapMiddle(OnnxNode& node, ValueId x) {
  return node.Emit(Op::kTranspose, {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

/// [N, L, heads * size] -> [N, heads, L, size].
ValueId SplitHeads(OnnxNode& node, ValueId x, int64_t heads) {
  const Shape s = node.type(x).shape;
  if (s.size() != 3 || heads < 1 || s[2] % heads != 0)
    throw node.Fail("input shape", ToText(s),
                    StrCat("must be [N,L,C], with the channels of ", heads, " heads"));
  return SwapMiddle(node, node.Reshape(x, {s[0], s[1], heads, s[2] / heads}));
}

/// The other way round.
ValueId JoinHeads(OnnxNode& node, ValueId x) {
  const Shape s = node.type(x).shape;
  return node.Reshape(SwapMiddle(node, x), {s[0], s[2], s[1] * s[3]});
}

ValueId Joined(OnnxNode& node, ValueId a, ValueId b, int64_t axis) {
  return node.Emit(Op::kConcat, {a, b}, {{"axis", axis}});
}

struct Operands {
  ValueId queries, keys, values;
  int64_t batch, heads, key_heads, length, key_length;

  Operands(OnnxNode& node, ValueId q, ValueId k, ValueId v) : queries(q), keys(k), values(v) {
    const Shape qs = node.type(q).shape, ks = node.type(k).shape, vs = node.type(v).shape;
    const bool sound = qs.size() == 4 && ks.size() == 4 && vs.size() == 4 && qs[0] == ks[0] &&
                       ks[0] == vs[0] && ks[1] == vs[1] && ks[2] == vs[2] && qs[3] == ks[3] &&
                       qs[1] % ks[1] == 0;
    if (!sound)
      throw node.Fail("shapes of queries, keys and values",
                      StrCat(ToText(qs), ", ", ToText(ks), ", ", ToText(vs)),
                      "must be of one batch, keys of one size, and heads that share keys evenly");
    batch = qs[0], heads = qs[1], key_heads = ks[1], length = qs[2], key_length = ks[2];
  }

  /// [N, heads, L, ...] with heads that share keys beside each other: of a product with those.
  ValueId Grouped(OnnxNode& node, ValueId x) const {
    const Shape s = node.type(x).shape;
    return node.Reshape(x, {batch, key_heads, heads / key_heads * length, s[3]});
  }
  ValueId Ungrouped(OnnxNode& node, ValueId x) const {
    return node.Reshape(x, {batch, heads, length, node.type(x).shape[3]});
  }
  /// [N, heads, L, M].
  ValueId Scores(OnnxNode& node, double scale) const {
    const ValueId turned =
        node.Emit(Op::kTranspose, {keys}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const ValueId scaled = node.Emit(Op::kMul, {queries, node.Number(queries, scale)});
    return Ungrouped(node, node.Emit(Op::kMatMul, {Grouped(node, scaled), turned}));
  }
  ValueId Weighted(OnnxNode& node, ValueId weights) const {
    return Ungrouped(node, node.Emit(Op::kMatMul, {Grouped(node, weights), values}));
  }
};

ValueId AsBias(OnnxNode& node, ValueId like, ValueId allowed) {
  return node.Emit(Op::kWhere, {allowed, node.Number(like, 0), node.Number(like, kMinusInfinity)});
}

/// How far behind and ahead of its place among the keys a query looks; nothing: without an end.
struct Reach {
  std::optional<int64_t> behind, ahead;
};

Reach ReadReach(OnnxNode& node) {
  Reach reach;
  if (node.opset() >= 25) {
    const auto read = [&](const char* name) -> std::optional<int64_t> {
      const int64_t size = node.Int(name, -1);
      if (size < -1)
        throw node.Fail(StrCat("attribute ", name), StrCat(size), "must be -1 or more");
      return size < 0 ? std::nullopt : std::optional(size);
    };
    reach = {read("left_window_size"), read("right_window_size")};
  }
  if (node.Int("is_causal", 0) != 0) reach.ahead = 0;
  return reach;
}

/// Whether query i, which lies at place i + `first`, may look at key j. Shape: first is one number
/// or [N,1,1,1].
ValueId Allowed(OnnxNode& node, const Operands& x, const Reach& reach, ValueId first) {
  Tensor ahead(TensorType{DType::kInt64, {x.length, x.key_length}});
  for (int64_t i = 0; i < ahead.elements(); ++i)
    ahead.mutable_data<int64_t>()[i] = i % x.key_length - i / x.key_length;
  const Math m{node, node.Emit(Op::kSub, {node.AddConstant("ahead", std::move(ahead)), first})};
  ValueId allowed = kNone;
  if (reach.ahead) allowed = m(Op::kLessEqual, m.x, static_cast<double>(*reach.ahead));
  if (!reach.behind) return allowed;
  const ValueId near = m(Op::kLessEqual, -static_cast<double>(*reach.behind), m.x);
  return allowed == kNone ? near : m(Op::kAnd, allowed, near);
}

/// What is added to scores: the mask, what lies out of reach, and keys that are only padding.
ValueId ReadBias(OnnxNode& node, const Operands& x, int64_t past) {
  constexpr int64_t kMask = 3, kKeyLengths = 6;
  ValueId bias = kNone;
  const auto add = [&](ValueId more) {
    bias = bias == kNone ? more : node.Emit(Op::kAdd, {bias, more});
  };
  if (node.Has(kMask)) {
    ValueId mask = node.Input(kMask);
    const Shape s = node.type(mask).shape;
    if (s.empty() || s.size() > 4)
      throw node.Fail("mask shape", ToText(s), "must be [L,M], [heads,L,M] or [N,heads,L,M]");
    if (node.type(mask).dtype == DType::kBool) mask = AsBias(node, x.queries, mask);
    const int64_t missing = x.key_length - s.back();
    std::vector<int64_t> pads(2 * s.size(), 0);
    if (missing > 0) pads.back() = missing;
    if (missing > 0)
      mask = node.Emit(Op::kPad, {mask},
                       {{"mode", "constant"}, {"pads", pads}, {"value", kMinusInfinity}});
    add(mask);
  }
  ValueId first = node.AddConstant("first", Tensor::Scalar<int64_t>(past));
  if (node.Has(kKeyLengths)) {
    const ValueId lengths = node.Reshape(
        node.Emit(Op::kCast, {node.Input(kKeyLengths)}, {{"to", "int64"}}), {x.batch, 1, 1, 1});
    const ValueId keys = node.AddConstant("keys", Places(x.key_length));
    first = node.Emit(Op::kSub, {lengths, node.Number(lengths, static_cast<double>(x.length))});
    add(AsBias(node, x.queries, node.Emit(Op::kLess, {keys, lengths})));
  }
  const Reach reach = ReadReach(node);
  if (reach.ahead || reach.behind) add(AsBias(node, x.queries, Allowed(node, x, reach, first)));
  return bias;
}

/// Rows of which no key is left are 0.
ValueId SoftmaxOf(OnnxNode& node, ValueId scores, ValueId bias) {
  const int64_t last = std::ssize(node.type(scores).shape) - 1;
  const ValueId y = node.Emit(Op::kSoftmax, {scores}, {{"axis", last}});
  if (bias == kNone) return y;
  const std::vector<int64_t> axes = {std::ssize(node.type(bias).shape) - 1};
  const ValueId most =
      node.Emit(Op::kReduceMax, {bias}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  const ValueId none = node.Emit(Op::kEqual, {most, node.Number(most, kMinusInfinity)});
  return node.Emit(Op::kWhere, {none, node.Number(y, 0), y});
}

/// Keys or values of earlier runs go before those of this one; both are an output.
ValueId WithPast(OnnxNode& node, ValueId now, int64_t input, int64_t output) {
  if (node.Has(input)) now = Joined(node, node.Input(input), now, 2);
  node.Result(now, output);
  return now;
}

double ScaleOf(OnnxNode& node, ValueId queries) {
  const double size = static_cast<double>(node.type(queries).shape.back());
  const double scale = node.Float("scale", 0);
  return scale == 0 ? 1 / std::sqrt(size) : scale;
}

}  // namespace

void ConvertAttention(OnnxNode& node) {
  constexpr int64_t kPastKey = 4, kPastValue = 5;
  const bool flat = node.Rank(0) == 3;
  const auto heads = [&](int64_t input, const char* name) {
    const int64_t count = node.Int(name, 0);
    return flat ? SplitHeads(node, node.Input(input), count) : node.Input(input);
  };
  if (node.Has(kPastKey) != node.Has(kPastValue))
    throw node.Fail("inputs past_key and past_value", "one", "must be given together");
  const ValueId queries = heads(0, "q_num_heads");
  const ValueId own_keys = heads(1, "kv_num_heads");
  const ValueId keys = WithPast(node, own_keys, kPastKey, 1);
  const ValueId values = WithPast(node, heads(2, "kv_num_heads"), kPastValue, 2);
  const Operands x(node, queries, keys, values);
  const int64_t past = x.key_length - node.type(own_keys).shape[2];
  node.Ignore("softmax_precision");  // float32, as all
  const Math m{node, x.Scores(node, ScaleOf(node, queries))};
  const double cap = node.Float("softcap", 0);
  const ValueId capped = cap > 0 ? m(Op::kMul, m(Op::kTanh, m(Op::kDiv, m.x, cap)), cap) : m.x;
  const ValueId bias = ReadBias(node, x, past);
  const ValueId biased = bias == kNone ? capped : m(Op::kAdd, capped, bias);
  const ValueId weights = SoftmaxOf(node, biased, bias);
  const int64_t mode = node.Int("qk_matmul_output_mode", 0);
  const ValueId shown[] = {m.x, capped, biased, weights};
  if (mode < 0 || mode >= std::ssize(shown))
    throw node.Fail("attribute qk_matmul_output_mode", StrCat(mode), "must be 0 to 3");
  node.Result(shown[mode], 3);
  const ValueId y = x.Weighted(node, weights);
  node.Result(flat ? JoinHeads(node, y) : y);
}

/// Of ONNX Runtime. Inputs: query, key, value, bias, key_padding_mask, attention_bias, past_key,
/// past_value.
void ConvertMultiHeadAttention(OnnxNode& node) {
  const int64_t heads = node.Int("num_heads", 0);
  for (int64_t input : {1, 2})
    if (!node.Has(input))
      throw node.Fail(StrCat("input ", input), "missing",
                      "packed queries, keys and values are not supported");
  int64_t done = 0;
  const auto split = [&](int64_t input) {
    ValueId x = node.Input(input);
    if (node.Rank(input) != 3) return x;
    if (node.Has(3)) {
      const int64_t channels = node.type(x).shape.back();
      x = node.Emit(Op::kAdd, {x, Slice(node, node.Input(3), 0, done, channels)});
      done += channels;
    }
    return SplitHeads(node, x, heads);
  };
  const ValueId queries = split(0), own_keys = split(1), own_values = split(2);
  const ValueId keys = WithPast(node, own_keys, 6, 1), values = WithPast(node, own_values, 7, 2);
  const Operands x(node, queries, keys, values);
  ValueId scores = x.Scores(node, ScaleOf(node, queries)), bias = kNone;
  if (node.Has(4)) {
    ValueId mask = node.Input(4);
    const Shape s = node.type(mask).shape;
    if (s != Shape{x.batch, x.key_length})
      throw node.Fail("key_padding_mask shape", ToText(s),
                      StrCat("must be ", ToText(Shape{x.batch, x.key_length})));
    mask = node.Reshape(mask, {x.batch, 1, 1, x.key_length});
    const ValueId kept = node.Emit(Op::kLess, {node.Number(mask, 0), mask});
    const ValueId filter = node.Number(scores, node.Float("mask_filter_value", -10000));
    scores = node.Emit(Op::kAdd,
                       {scores, node.Emit(Op::kWhere, {kept, node.Number(scores, 0), filter})});
  }
  if (node.Has(5)) scores = node.Emit(Op::kAdd, {scores, node.Input(5)});
  if (node.Int("unidirectional", 0) != 0) {
    const ValueId first = node.AddConstant("first", Tensor::Scalar(x.key_length - x.length));
    bias = AsBias(node, scores, Allowed(node, x, {{}, 0}, first));
    scores = node.Emit(Op::kAdd, {scores, bias});
  }
  node.Result(JoinHeads(node, x.Weighted(node, SoftmaxOf(node, scores, bias))));
}

/// Pairs of elements turned by an angle, whose cosine and sine are given for each place.
void ConvertRotaryEmbedding(OnnxNode& node) {
  ValueId x = node.Input(0);
  const bool flat = node.Rank(0) == 3;
  if (flat) x = SplitHeads(node, x, node.Int("num_heads", 0));
  const Shape s = node.type(x).shape;
  if (s.size() != 4)
    throw node.Fail("input shape", ToText(s), "must be [N,L,C] or [N,heads,L,size]");
  const int64_t asked = node.Int("rotary_embedding_dim", 0), turned = asked == 0 ? s[3] : asked;
  if (turned < 2 || turned > s[3] || turned % 2 != 0)
    throw node.Fail("attribute rotary_embedding_dim", StrCat(turned),
                    StrCat("must be even and at most ", s[3]));
  const bool interleaved = node.Int("interleaved", 0) != 0;
  const int64_t half = turned / 2;
  const auto table = [&](int64_t input) {
    ValueId angles = node.Input(input);
    if (node.Has(3))
      angles = node.Emit(Op::kGather, {angles, node.Input(3)}, {{"axis", int64_t{0}}});
    const Shape given = node.type(angles).shape;
    if (given.size() != 3 || given[0] != s[0] || given[1] != s[2] || given[2] != half)
      throw node.Fail(StrCat("shape of the angles"), ToText(given),
                      StrCat("must be ", ToText(Shape{s[0], s[2], half})));
    return node.Reshape(
        angles, interleaved ? Shape{s[0], 1, s[2], half, 1} : Shape{s[0], 1, s[2], 1, half});
  };
  // The two of a pair lie beside each other, or half of all apart.
  const int64_t axis = interleaved ? 4 : 3;
  const Shape apart =
      interleaved ? Shape{s[0], s[1], s[2], half, 2} : Shape{s[0], s[1], s[2], 2, half};
  const ValueId pairs = node.Reshape(Slice(node, x, 3, 0, turned), apart);
  const ValueId a = Slice(node, pairs, axis, 0, 1), b = Slice(node, pairs, axis, 1, 1);
  const ValueId cosine = table(1), sine = table(2);
  const Math m{node, a};
  const ValueId real = m(Op::kSub, m(Op::kMul, cosine, a), m(Op::kMul, sine, b));
  const ValueId imaginary = m(Op::kAdd, m(Op::kMul, sine, a), m(Op::kMul, cosine, b));
  ValueId y = node.Reshape(Joined(node, real, imaginary, axis), {s[0], s[1], s[2], turned});
  if (turned < s[3]) y = Joined(node, y, Slice(node, x, 3, turned, s[3] - turned), 3);
  node.Result(flat ? JoinHeads(node, y) : y);
}

}  // namespace vta::compiler
