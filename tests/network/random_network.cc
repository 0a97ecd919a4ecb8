#include "tests/network/random_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/graph/ops.h"

namespace vta::test {
namespace {

using compiler::Attributes;
using compiler::DType;
using compiler::Graph;
using compiler::Op;
using compiler::Shape;
using compiler::Tensor;
using compiler::ValueId;

constexpr int64_t kMostMacs = 1'500'000;
constexpr int64_t kMostElements = 12'000;  // of an activation

class Builder {
 public:
  Builder(Draws& draw, isa::Rounding rounding) : draw_(draw), graph_("random", rounding) {}

  Graph Run() {
    AddInput();
    if (draw_.Once(4)) AddInput();
    const int64_t layers = draw_.Int(1, 6);
    for (int64_t made = 0; made < layers;) made += AddLayer();
    const std::vector<int64_t> uses = graph_.UseCounts();
    for (const ValueId value : values_)
      if (uses[value] == 0 && graph_.Producer(value))
        graph_.AddOutput(graph_.value(value).name, value);
    return std::move(graph_);
  }

 private:
  void AddInput() {
    const int64_t most = draw_.Once(3) ? 70 : 20;
    Shape shape{draw_.Int(1, 3), draw_.Int(1, most), draw_.Int(1, 14), draw_.Int(1, 14)};
    if (draw_.Once(3)) shape[1] = 16 * draw_.Int(1, 3);
    if (draw_.Once(6)) shape = {1, draw_.Int(1, 4), draw_.Int(15, 50), draw_.Int(15, 50)};
    if (draw_.Once(8)) shape.resize(2);
    values_.push_back(graph_.AddInput("x", {DType::kInt8, shape}));
  }

  // The last value mostly.
  ValueId Pick() { return draw_.Once(5) ? draw_.Of(values_) : values_.back(); }

  /// False where the drawn layer does not fit the drawn operand.
  bool AddLayer() {
    const ValueId x = Pick();
    const bool spatial = graph_.shape(x).size() == 4;
    switch (draw_.Int(0, 20)) {
      case 0:
      case 1:
        return AddAdd(x, Other(x));
      case 2:
        return AddMul(x, Other(x));
      case 3:
        return spatial && AddMaxPool(x);
      case 4:
        return spatial && AddAvgPool(x);
      case 5:
        return Add(Op::kRequantI8, {x}, Requant(128));
      case 6:
        return AddDense(x);
      case 7:
        return spatial && draw_.Once(2) && AddPad(x);
      case 8:
        return spatial && draw_.Once(2) && AddConcat(x);
      case 16:
        return spatial && draw_.Once(2) && AddSlice(x);
      case 17:
        return spatial && AddBranches(x);
      case 9:
      case 10:
        return spatial && AddResidual(x);
      case 11:
        return AddLookup(x);
      case 12:
        return spatial && AddGate(x);
      case 18:
      case 19:
        return spatial && AddPhases(x);
      case 20:
        return spatial && AddResize(x);
      default:
        return spatial && AddConv(x);
    }
  }

  bool Add(Op op, std::vector<ValueId> inputs, Attributes attributes) {
    const ValueId y = graph_.Emit(op, std::string(compiler::Spec(op).name), std::move(inputs),
                                  std::move(attributes));
    values_.push_back(y);
    return true;
  }

  template <typename T, typename F>
  ValueId Constant(const std::string& name, const Shape& shape, F value) {
    std::vector<T> values(compiler::Elements(shape));
    for (T& v : values) v = static_cast<T>(value());
    return graph_.AddConstant(name, Tensor::Of<T>(shape, values));
  }

  Attributes Range() {
    const int64_t low = draw_.Once(3) ? draw_.Int(-128, 0) : -128;
    return {{"zero_point", draw_.Int(-128, 127)},
            {"low", low},
            {"high", draw_.Once(3) ? draw_.Int(low, 127) : int64_t{127}}};
  }
  /// An exponent that leaves sums of about this size in the range of codes, or nearly so.
  int64_t Exponent(double size) {
    if (draw_.Once(20)) return draw_.Int(-31, 30);
    const int64_t near = std::lround(-std::log2(size / 64));
    return std::clamp<int64_t>(near + draw_.Int(-1, 2), -31, 30);
  }
  int64_t Multiplier() {
    if (draw_.Once(20)) return draw_.Int(0, std::numeric_limits<int32_t>::max());
    return draw_.Int(int64_t{1} << 30, std::numeric_limits<int32_t>::max());
  }
  int64_t Bias(double size) {
    if (draw_.Once(50)) return draw_.Int(INT32_MIN, INT32_MAX);
    const auto most = static_cast<int64_t>(size) + 1;
    return draw_.Int(-most, most);
  }
  Attributes Requant(double size, bool biased = true) {
    Attributes attributes = Range();
    if (biased) attributes.Set("bias", Bias(size));
    attributes.Set("multiplier", Multiplier());
    attributes.Set("exponent", Exponent(size));
    return attributes;
  }

  /// Window attributes for an operand. Shape: kernel gets [kh, kw]. False where nothing would come
  /// out, or too much.
  bool DrawWindow(const Shape& x, bool dilates, Shape* kernel, Attributes* attributes) {
    Shape strides(2), dilations(2, 1), pads(4);
    *kernel = Shape(2);
    const bool square = draw_.Once(2), padded = !draw_.Once(3);
    int64_t out = x[0] * x[1];
    for (int axis = 0; axis < 2; ++axis) {
      const bool same = square && axis == 1;
      (*kernel)[axis] = same ? (*kernel)[0] : draw_.Once(3) ? draw_.Int(1, 7) : draw_.Int(1, 3);
      strides[axis] = same ? strides[0] : draw_.Once(2) ? 1 : draw_.Int(1, 3);
      if (dilates && draw_.Once(5)) dilations[axis] = draw_.Int(2, 3);
      const int64_t reach = ((*kernel)[axis] - 1) * dilations[axis] + 1;
      // Now and then more than a window, which no target has to take.
      const int64_t most = draw_.Once(20) ? reach + 2 : reach - 1;
      if (padded) {
        pads[axis] = draw_.Int(0, most);
        pads[axis + 2] = draw_.Int(0, most);
      }
      const int64_t size = x[2 + axis] + pads[axis] + pads[axis + 2];
      if (size < reach) return false;
      out *= (size - reach) / strides[axis] + 1;
    }
    attributes->Set("strides", strides);
    attributes->Set("pads", pads);
    if (dilates) attributes->Set("dilations", dilations);
    return out <= kMostElements;
  }

  /// Groups of `channels`: one, as many as channels, or something between.
  int64_t DrawGroups(int64_t channels) {
    if (draw_.Once(2)) return 1;
    if (draw_.Once(2)) return channels;
    int64_t groups = draw_.Int(1, channels);
    while (channels % groups) --groups;
    return groups;
  }

  /// int16 weights: all of 9 bits, or but a few.
  ValueId WideWeights(const Shape& w) {
    const bool all = draw_.Once(3);
    return Constant<int16_t>("w", w, [&] {
      return all || draw_.Once(100) ? draw_.Int(-255, 255) : draw_.Int(-128, 127);
    });
  }
  /// Weight, bias, multiplier and exponent behind `x`.
  std::vector<ValueId> Layer(ValueId x, const Shape& w) {
    const int64_t taps = compiler::Elements(w) / w[0];
    const bool wide = draw_.Once(3);
    const int64_t most = wide || draw_.Once(3) ? 128 : draw_.Int(1, 127);
    const double size = std::sqrt(static_cast<double>(taps)) * 74 * static_cast<double>(most) / 1.7;
    const Shape lanes{w[0]};
    return {x,
            wide ? WideWeights(w)
                 : Constant<int8_t>("w", w,
                                    [&] { return draw_.Int(-most, std::min<int64_t>(most, 127)); }),
            Constant<int32_t>("bias", lanes, [&] { return Bias(size / 2); }),
            Constant<int32_t>("multiplier", lanes, [&] { return Multiplier(); }),
            Constant<int32_t>("exponent", lanes, [&] { return Exponent(size); })};
  }

  bool AddConv(ValueId x) {
    const Shape in = graph_.shape(x);
    Attributes attributes = Range();
    Shape kernel;
    if (!DrawWindow(in, true, &kernel, &attributes)) return false;
    const int64_t groups = DrawGroups(in[1]);
    // Shapes that an add can join are drawn often.
    const int64_t out =
        draw_.Once(3) ? in[1]
                      : groups * draw_.Int(1, groups > 8 ? 2 : std::max<int64_t>(1, 40 / groups));
    const Shape w{out, in[1] / groups, kernel[0], kernel[1]};
    attributes.Set("groups", groups);
    attributes.Set("pad_value", draw_.Once(2) ? int64_t{0} : draw_.Int(-128, 127));
    if (compiler::Elements(w) * in[0] * in[2] * in[3] > kMostMacs) return false;
    return Add(Op::kConv2dI8, Layer(x, w), attributes);
  }

  /// A convolution of phases, of which some taps are absent, and what interleaves them.
  bool AddPhases(ValueId x) {
    const Shape in = graph_.shape(x);
    Attributes attributes = Range();
    Shape kernel;
    if (!DrawWindow(in, true, &kernel, &attributes)) return false;
    const Shape blocks{draw_.Int(1, 3), draw_.Int(1, 3)};
    const bool whole = !draw_.Once(4);  // blocks of channels, which an accelerator can interleave
    const int64_t groups = whole && in[1] % 16 != 0 ? 1 : DrawGroups(in[1]);
    const int64_t phases = blocks[0] * blocks[1];
    const int64_t per_group =
        whole ? std::lcm(groups, 16 * draw_.Int(1, 2)) / groups : draw_.Int(1, 4);
    const Shape w{groups * phases * per_group, in[1] / groups, kernel[0], kernel[1]};
    attributes.Set("groups", groups);
    attributes.Set("pad_value", draw_.Once(2) ? int64_t{0} : draw_.Int(-128, 127));
    if (compiler::Elements(w) * in[0] * in[2] * in[3] > kMostMacs) return false;
    std::vector<ValueId> operands = Layer(x, w);
    if (!draw_.Once(3)) operands[1] = WithoutTaps(operands[1], phases, per_group);
    Add(Op::kConv2dI8, std::move(operands), attributes);
    const Shape made = graph_.shape(values_.back());
    Shape crops(4);
    for (int axis = 0; axis < 2; ++axis) {
      const int64_t most = made[2 + axis] * blocks[axis] - 1;
      if (draw_.Once(2)) crops[axis] = draw_.Int(0, std::min<int64_t>(most, 3));
      if (draw_.Once(2)) crops[axis + 2] = draw_.Int(0, std::min<int64_t>(most - crops[axis], 3));
    }
    if (compiler::Elements(made) > 2 * kMostElements) return true;
    return Add(Op::kDepthToSpace, {values_.back()},
               {{"blocks", blocks}, {"crops", crops}, {"groups", groups}});
  }

  /// Weights of which half of the phases have not some of the taps.
  ValueId WithoutTaps(ValueId w, int64_t phases, int64_t per_group) {
    Tensor weights = *graph_.constant(w);
    const Shape& s = weights.shape();
    const int64_t taps = s[2] * s[3], size = weights.dtype() == DType::kInt8 ? 1 : 2;
    std::vector<bool> absent(phases * taps);
    for (size_t i = 0; i < absent.size(); ++i) absent[i] = draw_.Once(2);
    for (int64_t i = 0; i < weights.elements(); ++i) {
      const int64_t channel = i / (s[1] * taps);
      if (absent[channel / per_group % phases * taps + i % taps])
        std::fill_n(&weights.mutable_bytes()[i * size], size, uint8_t{0});
    }
    return graph_.AddConstant("w", std::move(weights));
  }

  /// A convolution that keeps the shape, or makes more channels, mostly with nothing between it and
  /// the sum with its input.
  bool AddResidual(ValueId x) {
    const Shape in = graph_.shape(x);
    const bool wider = draw_.Once(3);
    const int64_t half = draw_.Int(0, 1), kernel = 2 * half + 1,
                  groups = wider ? 1 : DrawGroups(in[1]), more = wider ? draw_.Int(1, 40) : 0;
    const Shape w{in[1] + more, in[1] / groups, kernel, kernel};
    if (compiler::Elements(w) * in[0] * in[2] * in[3] > kMostMacs) return false;
    Attributes attributes = Range();
    attributes.Set("strides", Shape{1, 1});
    attributes.Set("pads", Shape(4, half));
    attributes.Set("dilations", Shape{1, 1});
    attributes.Set("groups", groups);
    attributes.Set("pad_value", draw_.Once(2) ? int64_t{0} : draw_.Int(-128, 127));
    Add(Op::kConv2dI8, Layer(x, w), attributes);
    if (draw_.Once(8)) Add(Op::kRequantI8, {values_.back()}, Requant(128));
    const ValueId made = values_.back();
    if (wider) AddChannels(x, more);
    const ValueId other = wider ? values_.back() : x;
    return draw_.Once(2) ? AddAdd(made, other) : AddAdd(other, made);
  }

  /// Channels of one code behind those of x, mostly the code that a layer makes of zeros.
  bool AddChannels(ValueId x, int64_t more) {
    int64_t code = draw_.Int(-128, 127);
    if (const compiler::Node* const maker = graph_.Producer(x);
        maker && maker->op == Op::kConv2dI8 && !draw_.Once(4))
      code = std::clamp(maker->Int("zero_point"), maker->Int("low"), maker->Int("high"));
    return Add(Op::kPad, {x},
               {{"pads", Shape{0, 0, 0, 0, 0, more, 0, 0}},
                {"mode", std::string("constant")},
                {"value", static_cast<double>(code)}});
  }

  bool AddDense(ValueId x) {
    const Shape in = graph_.shape(x);
    if (in.size() == 4) {
      const Shape flat{in[0], in[1] * in[2] * in[3]};
      if (flat[1] > 600) return false;
      x = graph_.Emit(Op::kReshape, "flat", {x}, {{"shape", flat}});
    }
    return Add(Op::kDenseI8, Layer(x, {draw_.Int(1, 50), graph_.shape(x)[1]}), Range());
  }

  /// Another value of x's shape, x itself where there is none.
  ValueId Other(ValueId x) {
    std::vector<ValueId> same;
    for (const ValueId value : values_)
      if (graph_.shape(value) == graph_.shape(x)) same.push_back(value);
    if (!draw_.Once(8)) return draw_.Of(same);
    // A broadcast operand, or a constant one.
    Shape shape = graph_.shape(x);
    if (draw_.Once(2)) shape.back() = 1;
    return Constant<int8_t>("c", shape, [&] { return draw_.Int(-128, 127); });
  }

  bool AddAdd(ValueId a, ValueId b) {
    const int64_t most = draw_.Once(2) ? 8191 : draw_.Once(4) ? 1 : draw_.Int(1, 127);
    // With or without bits below those of the multipliers.
    const int64_t unit = draw_.Once(4) ? draw_.Power(1, 10) : 1;
    Attributes attributes = Requant(74.0 * static_cast<double>(most * unit));
    attributes.Set("multiplier_a", unit * draw_.Int(-most, most));
    attributes.Set("multiplier_b", unit * draw_.Int(-most, most));
    return Add(Op::kAddI8, {a, b}, attributes);
  }

  bool AddMul(ValueId a, ValueId b) {
    Attributes attributes = Requant(74.0 * 74.0, false);
    attributes.Set("zero_a", draw_.Int(-128, 127));
    attributes.Set("zero_b", draw_.Int(-128, 127));
    return Add(Op::kMulI8, {a, b}, attributes);
  }

  /// The means of planes, or codes made of them, times all that they are of, or added to it.
  bool AddGate(ValueId x) {
    const Shape in = graph_.shape(x);
    Attributes attributes = Requant(74.0 * std::sqrt(static_cast<double>(in[2] * in[3])));
    attributes.Set("kernel", Shape{in[2], in[3]});
    attributes.Set("strides", Shape{1, 1});
    attributes.Set("pads", Shape(4, 0));
    attributes.Set("pad_value", int64_t{0});
    attributes.Set("factor", int64_t{0});
    attributes.Set("divisor", int64_t{0});
    Add(Op::kAvgPoolI8, {x}, attributes);
    if (draw_.Once(2)) AddLookup(values_.back());
    const ValueId gate = values_.back();
    const auto [a, b] = draw_.Once(2) ? std::pair(x, gate) : std::pair(gate, x);
    return draw_.Once(3) ? AddAdd(a, b) : AddMul(a, b);
  }

  bool AddMaxPool(ValueId x) {
    Attributes attributes;
    Shape kernel;
    if (!DrawWindow(graph_.shape(x), false, &kernel, &attributes)) return false;
    attributes.Set("kernel", kernel);
    return Add(Op::kMaxPoolI8, {x}, attributes);
  }

  bool AddAvgPool(ValueId x) {
    const Shape& in = graph_.shape(x);
    Attributes window;
    Shape kernel;
    if (draw_.Once(3)) {  // of the whole plane
      kernel = {in[2], in[3]};
      window = {{"strides", Shape{1, 1}}, {"pads", Shape{0, 0, 0, 0}}};
    } else if (!DrawWindow(in, false, &kernel, &window)) {
      return false;
    }
    Attributes attributes = Requant(74.0 * std::sqrt(static_cast<double>(kernel[0] * kernel[1])));
    for (const auto& [name, value] : window) attributes.Set(name, value);
    attributes.Set("kernel", kernel);
    attributes.Set("pad_value", draw_.Once(2) ? int64_t{0} : draw_.Int(-128, 127));
    attributes.Set("factor", int64_t{0});
    attributes.Set("divisor", int64_t{0});
    return Add(Op::kAvgPoolI8, {x}, attributes);
  }

  /// Of one tensor, or of it and another one of its shape.
  bool AddResize(ValueId x) {
    const Shape in = graph_.shape(x), scales{draw_.Int(1, 4), draw_.Int(1, 4)};
    if (compiler::Elements(in) * scales[0] * scales[1] > kMostElements) return false;
    const bool two = draw_.Once(3);
    Attributes attributes =
        Requant(74.0 * static_cast<double>(scales[0] * scales[1]) * (two ? 1000 : 1));
    attributes.Set("scales", scales);
    attributes.Set("half_pixel", draw_.Int(0, 1));
    attributes.Set("factor", draw_.Once(4) ? draw_.Int(2, 9) : int64_t{1});
    if (!two) return Add(Op::kResizeI8, {x}, attributes);
    const ValueId drawn = Other(x), other = graph_.constant(drawn) ? x : drawn;
    const auto factors = [&] {
      return Constant<int32_t>("factors", {1, in[1], 1, 1}, [&] { return draw_.Int(-999, 999); });
    };
    return Add(Op::kResizeI8, {x, other, factors(), factors()}, attributes);
  }

  bool AddLookup(ValueId x) {
    const ValueId table = Constant<int8_t>("table", {256}, [&] { return draw_.Int(-128, 127); });
    return Add(Op::kLookupI8, {x, table}, {});
  }

  bool AddPad(ValueId x) {
    Shape pads(8);
    for (const int axis : {2, 3, 6, 7}) pads[axis] = draw_.Int(0, 2);
    return Add(Op::kPad, {x},
               {{"pads", pads},
                {"mode", std::string(draw_.Once(4) ? "edge" : "constant")},
                {"value", static_cast<double>(draw_.Int(-128, 127))}});
  }

  bool AddConcat(ValueId x) {
    if (graph_.shape(x)[1] > 48) return false;
    ValueId other = Other(x);
    if (graph_.shape(other) != graph_.shape(x)) other = x;
    return Add(Op::kConcat, {x, other}, {{"axis", int64_t{1}}});
  }

  /// Convolutions of one tap side by side, of whole blocks of channels mostly.
  bool AddBranches(ValueId x) {
    const Shape in = graph_.shape(x);
    std::vector<ValueId> parts;
    for (int64_t part = 0; part < 2; ++part) {
      const Shape w{draw_.Once(4) ? draw_.Int(1, 20) : 16 * draw_.Int(1, 2), in[1], 1, 1};
      if (compiler::Elements(w) * in[0] * in[2] * in[3] > kMostMacs) return false;
      Attributes attributes = Range();
      attributes.Set("strides", Shape{1, 1});
      attributes.Set("pads", Shape(4, 0));
      attributes.Set("dilations", Shape{1, 1});
      attributes.Set("groups", int64_t{1});
      attributes.Set("pad_value", int64_t{0});
      if (!Add(Op::kConv2dI8, Layer(x, w), attributes)) return false;
      parts.push_back(values_.back());
    }
    return Add(Op::kConcat, parts, {{"axis", int64_t{1}}});
  }

  /// Often of whole blocks of channels, which accelerators can cut.
  bool AddSlice(ValueId x) {
    const Shape from = graph_.shape(x);
    Shape starts(4), shape = from;
    for (const int axis : {1, 2, 3}) {
      if (axis > 1 && !draw_.Once(4)) continue;
      starts[axis] = draw_.Int(0, from[axis] - 1);
      if (axis == 1 && draw_.Once(2)) starts[axis] = starts[axis] / 8 * 8;
      shape[axis] = draw_.Int(1, from[axis] - starts[axis]);
    }
    return Add(Op::kSlice, {x}, {{"starts", starts}, {"steps", Shape(4, 1)}, {"shape", shape}});
  }

  Draws& draw_;
  Graph graph_;
  std::vector<ValueId> values_;  // activations, in order
};

}  // namespace

Graph RandomNetwork(Draws& draw, isa::Rounding rounding) { return Builder(draw, rounding).Run(); }

Tensor RandomCodes(Draws& draw, const compiler::TensorType& type) {
  Tensor tensor(type);
  const bool flat = draw.Once(10);
  const int64_t value = draw.Int(-128, 127);
  for (int8_t& code : tensor.mutable_data<int8_t>())
    code = static_cast<int8_t>(flat ? value : draw.Int(-128, 127));
  return tensor;
}

}  // namespace vta::test
