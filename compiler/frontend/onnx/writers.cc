#include "compiler/frontend/onnx/writers.h"

#include <cmath>
#include <limits>

namespace vta::compiler {
namespace {

/// The operator of the same inputs without attributes.
void WriteAs(OnnxWriter& w, std::string_view type) { w.Add(type, w.Inputs(), w.Output()); }

void WriteConv(OnnxWriter& w, std::string_view type) {
  const Node& node = w.node();
  const Shape& weight = w.type(1).shape;
  w.Add(type, w.Inputs(), w.Output())
      .Ints("kernel_shape", {weight[2], weight[3]})
      .Ints("strides", node.Ints("strides"))
      .Ints("pads", node.Ints("pads"))
      .Ints("dilations", node.Ints("dilations"))
      .Int("group", node.Int("groups"));
}

/// ONNX has float attributes.
float AsFloat(OnnxWriter& w, std::string_view attribute) {
  const double value = w.node().attributes.Double(attribute);
  const auto rounded = static_cast<float>(value);
  if (rounded != value)
    throw w.Fail(StrCat("attribute ", attribute), ToText(AttributeValue(value)),
                 "must be a float32 in ONNX");
  return rounded;
}

void WriteGemm(OnnxWriter& w, std::string_view type) {
  w.Add(type, w.Inputs(), w.Output())
      .Float("alpha", AsFloat(w, "alpha"))
      .Float("beta", AsFloat(w, "beta"))
      .Int("transA", w.node().Int("trans_a"))
      .Int("transB", w.node().Int("trans_b"));
}

/// Of numbers without a sign it changes nothing, and ONNX has it for the others alone.
void WriteRelu(OnnxWriter& w, std::string_view type) {
  const bool is_signed = DispatchDType(
      w.type(0).dtype, [](auto zero) { return std::numeric_limits<decltype(zero)>::is_signed; });
  w.Add(is_signed ? type : "Identity", w.Inputs(), w.Output());
}

/// A bound at infinity is left out.
void WriteClip(OnnxWriter& w, std::string_view type) {
  const double low = w.node().attributes.Double("low"), high = w.node().attributes.Double("high");
  std::vector<std::string> inputs = {w.Input(0), std::isinf(low) ? "" : w.Number("low", low)};
  if (!std::isinf(high)) inputs.push_back(w.Number("high", high));
  w.Add(type, inputs, w.Output());
}

OnnxAdded AddPool(OnnxWriter& w, std::string_view type) {
  return w.Add(type, w.Inputs(), w.Output())
      .Ints("kernel_shape", w.node().Ints("kernel"))
      .Ints("strides", w.node().Ints("strides"))
      .Ints("pads", w.node().Ints("pads"));
}

void WriteMaxPool(OnnxWriter& w, std::string_view type) {
  AddPool(w, type).Ints("dilations", w.node().Ints("dilations"));
}

void WriteAvgPool(OnnxWriter& w, std::string_view type) {
  AddPool(w, type).Int("count_include_pad", w.node().Int("count_include_pad"));
}

/// Over no axes it is the identity, and in ONNX over all. Axes became an input in opset 13 for
/// sums, in 18 for the others.
void WriteReduce(OnnxWriter& w, std::string_view type) {
  constexpr int64_t kAllByInput = 18;
  const std::vector<int64_t>& axes = w.node().Ints("axes");
  if (axes.empty()) return WriteAs(w, "Identity");
  std::vector<std::string> inputs = w.Inputs();
  const bool by_input = w.node().op == Op::kReduceSum || w.opset() >= kAllByInput;
  if (by_input) inputs.push_back(w.Constant("axes", axes));
  OnnxAdded added = w.Add(type, inputs, w.Output()).Int("keepdims", w.node().Int("keepdims"));
  if (!by_input) added.Ints("axes", axes);
}

/// Over all of an image it has an operator that runtimes know in integers, too.
void WriteMean(OnnxWriter& w, std::string_view type) {
  const bool is_image = w.type(0).shape.size() == 4;
  if (is_image && w.node().Ints("axes") == std::vector<int64_t>{2, 3} && w.node().Int("keepdims"))
    return WriteAs(w, "GlobalAveragePool");
  WriteReduce(w, type);
}

void WriteArgMax(OnnxWriter& w, std::string_view type) {
  w.Add(type, w.Inputs(), w.Output())
      .Int("axis", w.node().Int("axis"))
      .Int("keepdims", 1)
      .Int("select_last_index", w.node().Int("last"));
}

void WriteTopK(OnnxWriter& w, std::string_view type) {
  const std::string values = w.Temporary("values");
  w.Add(type, {w.Input(0), w.Constant("k", {w.node().Int("k")})}, values)
      .Output(w.Output())
      .Int("axis", w.node().Int("axis"))
      .Int("largest", 1)
      .Int("sorted", 1);
}

void WriteAlongAxis(OnnxWriter& w, std::string_view type) {
  w.Add(type, w.Inputs(), w.Output()).Int("axis", w.node().Int("axis"));
}

void WriteCast(OnnxWriter& w, std::string_view type) {
  w.Add(type, w.Inputs(), w.Output()).Type("to", w.output_type().dtype);
}

/// Of int32 ONNX knows no zero point but 0.
void WriteDequantize(OnnxWriter& w, std::string_view type) {
  if (w.type(0).dtype == DType::kInt32) {
    const Tensor* const zero_point = w.constant(2);
    if (!zero_point) throw w.Fail("zero point of int32", w.Input(2), "must be a constant in ONNX");
    for (const int32_t zero : zero_point->data<int32_t>())
      if (zero != 0) throw w.Fail("zero point of int32", StrCat(zero), "must be 0 in ONNX");
  }
  OnnxAdded added = w.Add(type, w.Inputs(), w.Output());
  if (!w.type(1).shape.empty()) added.Int("axis", w.node().Int("axis"));
}

void WriteQuantize(OnnxWriter& w, std::string_view type) {
  OnnxAdded added = w.Add(type, w.Inputs(), w.Output());
  if (!w.type(1).shape.empty()) added.Int("axis", w.node().Int("axis"));
}

void WriteShaped(OnnxWriter& w, std::string_view type) {
  w.Add(type, {w.Input(0), w.Constant("shape", w.node().Ints("shape"))}, w.Output());
}

void WriteTranspose(OnnxWriter& w, std::string_view type) {
  w.Add(type, w.Inputs(), w.Output()).Ints("perm", w.node().Ints("perm"));
}

void WritePad(OnnxWriter& w, std::string_view type) {
  const std::string& mode = w.node().attributes.String("mode");
  std::vector<std::string> inputs = {w.Input(0), w.Constant("pads", w.node().Ints("pads"))};
  if (mode == "constant") inputs.push_back(w.Number("value", w.node().attributes.Double("value")));
  w.Add(type, inputs, w.Output()).String("mode", mode);
}

/// An end before the first element has no number of its own: those below 0 count from the back.
void WriteSlice(OnnxWriter& w, std::string_view type) {
  constexpr int64_t kBeforeAll = std::numeric_limits<int64_t>::min();
  const auto &starts = w.node().Ints("starts"), &shape = w.node().Ints("shape");
  std::vector<int64_t> ends, axes, steps = w.node().Ints("steps");
  for (size_t d = 0; d < steps.size(); ++d) {
    if (shape[d] == 1) steps[d] = 1;
    if (steps[d] == 0)
      throw w.Fail("steps", ToText(w.node().Ints("steps")), "must not be 0 in ONNX");
    const int64_t last = starts[d] + (shape[d] - 1) * steps[d];
    ends.push_back(steps[d] > 0 ? last + 1 : last > 0 ? last - 1 : kBeforeAll);
    axes.push_back(static_cast<int64_t>(d));
  }
  w.Add(type,
        {w.Input(0), w.Constant("starts", starts), w.Constant("ends", ends),
         w.Constant("axes", axes), w.Constant("steps", steps)},
        w.Output());
}

/// The cut is an operator of its own, and so is each of the moves where blocks are not squares in
/// one of ONNX's two orders of channels.
void WriteDepthToSpace(OnnxWriter& w, std::string_view type) {
  const std::vector<int64_t>&blocks = w.node().Ints("blocks"), &crops = w.node().Ints("crops");
  const int64_t groups = w.node().Int("groups"), axes = std::ssize(blocks);
  const Shape &x = w.type(0).shape, &y = w.output_type().shape;
  Shape whole = {y[0], y[1]}, ends, places;
  for (int64_t i = 0; i < axes; ++i) {
    whole.push_back(x[2 + i] * blocks[i]);
    places.push_back(2 + i);
    ends.push_back(crops[i] + y[2 + i]);
  }
  const std::string made = whole == y ? w.Output() : w.Temporary("whole");
  if (axes == 2 && blocks[0] == blocks[1] && (groups == 1 || groups == y[1])) {
    w.Add(type, {w.Input(0)}, made)
        .Int("blocksize", blocks[0])
        .String("mode", groups == 1 ? "DCR" : "CRD");
  } else {
    Shape apart = {x[0], groups};
    apart.insert(apart.end(), blocks.begin(), blocks.end());
    apart.push_back(y[1] / groups);
    apart.insert(apart.end(), x.begin() + 2, x.end());
    std::vector<int64_t> perm = {0, 1, 2 + axes};
    for (int64_t i = 0; i < axes; ++i) perm.insert(perm.end(), {3 + axes + i, 2 + i});
    const std::string split = w.Temporary("apart"), moved = w.Temporary("moved");
    w.Add("Reshape", {w.Input(0), w.Constant("apart_shape", apart)}, split);
    w.Add("Transpose", {split}, moved).Ints("perm", perm);
    w.Add("Reshape", {moved, w.Constant("whole_shape", whole)}, made);
  }
  if (whole != y)
    w.Add("Slice",
          {made, w.Constant("starts", {crops.begin(), crops.begin() + axes}),
           w.Constant("ends", ends), w.Constant("axes", places)},
          w.Output());
}

using enum DType;
constexpr TypeSet kFloats = SetOf(kFloat32) | SetOf(kFloat64);
constexpr TypeSet kWide = kFloats | SetOf(kInt32) | SetOf(kUint32) | SetOf(kInt64);
constexpr TypeSet kBytes = SetOf(kInt8) | SetOf(kUint8);
constexpr TypeSet kShorts = SetOf(kInt16) | SetOf(kUint16);
constexpr TypeSet kNarrow = kBytes | kShorts;
constexpr TypeSet kNumbers = kWide | kNarrow;
constexpr TypeSet kUnsigned = SetOf(kUint8) | SetOf(kUint16) | SetOf(kUint32);
constexpr TypeSet kSigned = kNumbers & ~(kUnsigned | kFloats);
constexpr TypeSet kBools = SetOf(kBool);
constexpr TypeSet kAll = kNumbers | kBools;

// In the order of the enumeration: op, ONNX operator, what writes it, the input whose type decides,
// its types in opset 13; a later opset and what it adds.
constexpr OnnxWriterRow kWriters[] = {
    {Op::kConv2d, "Conv", WriteConv, 0, kFloats},
    {Op::kGemm, "Gemm", WriteGemm, 0, kFloats},
    {Op::kMatMul, "MatMul", WriteAs, 0, kWide},
    {Op::kAdd, "Add", WriteAs, 0, kWide, 14, kNarrow},
    {Op::kSub, "Sub", WriteAs, 0, kWide, 14, kNarrow},
    {Op::kMul, "Mul", WriteAs, 0, kWide, 14, kNarrow},
    {Op::kDiv, "Div", WriteAs, 0, kWide, 14, kNarrow},
    {Op::kMod, "Mod", WriteAs, 0, kNumbers & ~kFloats},
    {Op::kMin, "Min", WriteAs, 0, kNumbers},
    {Op::kMax, "Max", WriteAs, 0, kNumbers},
    {Op::kPow, "Pow", WriteAs, 0, kFloats},
    {Op::kEqual, "Equal", WriteAs, 0, kAll},
    {Op::kLess, "Less", WriteAs, 0, kNumbers},
    {Op::kLessEqual, "LessOrEqual", WriteAs, 0, kNumbers},
    {Op::kAnd, "And", WriteAs, 0, kBools},
    {Op::kOr, "Or", WriteAs, 0, kBools},
    {Op::kNot, "Not", WriteAs, 0, kBools},
    {Op::kWhere, "Where", WriteAs, 1, kAll},
    {Op::kRelu, "Relu", WriteRelu, 0, kFloats | kUnsigned, 14, kSigned},
    {Op::kClip, "Clip", WriteClip, 0, kNumbers},
    {Op::kAbs, "Abs", WriteAs, 0, kNumbers},
    {Op::kSign, "Sign", WriteAs, 0, kNumbers},
    {Op::kFloor, "Floor", WriteAs, 0, kFloats},
    {Op::kRound, "Round", WriteAs, 0, kFloats},
    {Op::kExp, "Exp", WriteAs, 0, kFloats},
    {Op::kLog, "Log", WriteAs, 0, kFloats},
    {Op::kSqrt, "Sqrt", WriteAs, 0, kFloats},
    {Op::kTanh, "Tanh", WriteAs, 0, kFloats},
    {Op::kErf, "Erf", WriteAs, 0, kFloats},
    {Op::kGelu, "Gelu", WriteAs, 0, 0, 20, kFloats},
    {Op::kSigmoid, "Sigmoid", WriteAs, 0, kFloats},
    {Op::kSin, "Sin", WriteAs, 0, kFloats},
    {Op::kCos, "Cos", WriteAs, 0, kFloats},
    {Op::kMaxPool, "MaxPool", WriteMaxPool, 0, kFloats | kBytes},
    {Op::kAvgPool, "AveragePool", WriteAvgPool, 0, kFloats},
    {Op::kReduceMean, "ReduceMean", WriteMean, 0, kFloats},
    {Op::kReduceSum, "ReduceSum", WriteReduce, 0, kWide},
    {Op::kReduceMax, "ReduceMax", WriteReduce, 0, kWide | kBytes},
    {Op::kReduceMin, "ReduceMin", WriteReduce, 0, kWide | kBytes},
    {Op::kArgMax, "ArgMax", WriteArgMax, 0, kNumbers},
    {Op::kTopK, "TopK", WriteTopK, 0, kNumbers},
    {Op::kSoftmax, "Softmax", WriteAlongAxis, 0, kFloats},
    {Op::kCast, "Cast", WriteCast, 0, kAll},
    {Op::kQuantize, "QuantizeLinear", WriteQuantize, 2, kBytes, 21, kShorts},
    {Op::kDequantize, "DequantizeLinear", WriteDequantize, 0, kBytes | SetOf(kInt32), 21, kShorts},
    {Op::kIdentity, "Identity", WriteAs, 0, kAll},
    {Op::kReshape, "Reshape", WriteShaped, 0, kAll},
    {Op::kTranspose, "Transpose", WriteTranspose, 0, kAll},
    {Op::kConcat, "Concat", WriteAlongAxis, 0, kAll},
    {Op::kPad, "Pad", WritePad, 0, kAll},
    {Op::kSlice, "Slice", WriteSlice, 0, kAll},
    {Op::kGather, "Gather", WriteAlongAxis, 0, kAll},
    {Op::kExpand, "Expand", WriteShaped, 0, kAll},
    {Op::kDepthToSpace, "DepthToSpace", WriteDepthToSpace, 0, kAll},
};

}  // namespace

const OnnxWriterRow* FindOnnxWriter(Op op) {
  for (const OnnxWriterRow& row : kWriters) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

}  // namespace vta::compiler
