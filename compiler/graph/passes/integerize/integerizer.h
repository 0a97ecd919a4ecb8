// Shared by the files of the integerize pass: real values as int8 codes, and ops on codes.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/rebuild.h"
#include "compiler/quantize/multiplier.h"

namespace vta::compiler {

/// A real tensor as int8: real = (code - zero_point) * scale. uint8 codes are shifted by 128 first.
struct Codes {
  ValueId value;
  double scale;
  int64_t zero_point;
};

/// What an integer op must make: codes of this scale and zero point, clamped to [low, high].
struct WantedCodes {
  double scale;
  int64_t zero_point;
  int64_t low = -128, high = 127;
  auto operator<=>(const WantedCodes&) const = default;
};

class Integerizer {
 public:
  /// With a context only products of two activations that one of its targets takes.
  explicit Integerizer(const Graph& graph, const PassContext* context = nullptr)
      : context_(context), rebuild_(graph), fresh_(rebuild_.fresh()) {}

  Graph Run();
  /// What is resized between codes, where a target takes it, becomes resize_i8; without a context
  /// of its own.
  Graph TakeResizing(const PassContext& context);

 private:
  /// The codes of a real value that is a dequantised tensor, perhaps moved, pooled by maximum or
  /// clamped.
  std::optional<Codes> AsCodes(ValueId real);
  std::optional<Codes> MakeCodes(const Node& node);
  std::optional<Codes> CodesOfDequantize(const Node& node);
  /// int8 codes of `real` for `target`, made by integer ops; kNone where that cannot be done.
  ValueId Quantise(ValueId real, const WantedCodes& target);
  ValueId MakeQuantised(const Node& node, const WantedCodes& target);
  /// What one op of the integer normal form makes.
  ValueId MakeByForm(const Node& node, const WantedCodes& target);
  ValueId ToInt8(ValueId codes);
  ValueId EmitMaxPool(const Node& node, ValueId codes);

  /// A model may chain any number of reshapes; what is deeper than this stays real-valued.
  static constexpr int64_t kMostDepth = 64;

  /// The constant operands of an integer layer, as graph values.
  struct Layer {
    ValueId weights, bias, multiplier, exponent;
  };

  // codes.cc
  /// What an op that moves 8-bit codes, or takes the greatest of them, makes of int8 codes; in the
  /// type of its own output. kNone for other nodes.
  ValueId OnCodes(const Node& node);

  // lookup.cc
  /// A function as a graph: of x, the reals that the codes stand for. Shape: [256, 1] -> [256, 1],
  /// or [256, C] where it is another one for each channel.
  struct CodeFunction {
    static constexpr size_t kMostNodes = 64;
    static constexpr int64_t kMostElements = 1 << 23;  // of all nodes: to compute them takes time

    Graph graph{"function"};
    ValueId x = graph.AddInput("x", {DType::kFloat32, {256, 1}});
    std::optional<Codes> codes;
    std::map<ValueId, ValueId> made;  // by real value
    int64_t elements = 0;
  };
  /// A function of one tensor's codes. Shape: reals [256, 1], values [256, C].
  struct CodeValues {
    Codes x;
    Tensor reals, values;
  };
  std::optional<CodeValues> ValuesOf(const Node& node);
  /// Of lines that are bent at 0: of each channel the slope below it, and the one above it, which
  /// is positive, of all.
  struct Slopes {
    std::vector<double> below;
    double above = 1;
  };
  static std::optional<Slopes> SlopesOf(std::span<const float> reals, const Tensor& values);
  /// The value of `function.graph` that a real value of this shape is; kNone if it is no function
  /// of one tensor's codes.
  ValueId Trace(ValueId real, const Shape& shape, CodeFunction& function);
  ValueId Lookup(const Node& node, const WantedCodes& target);
  bool Follows(ValueId made, const Codes& x, const Tensor& table) const;
  /// below * x where x is negative, above * x elsewhere.
  ValueId Bent(const std::string& name, const Codes& x, double below, double above,
               const WantedCodes& target);

  /// A convolution of one tap for each channel; kNone where a channel's function is no line.
  /// Shape: reals [256], values [256, C].
  ValueId ChannelLines(const Node& node, const Codes& x, std::span<const float> reals,
                       const Tensor& values, const WantedCodes& target);
  /// The same of lines that are bent at 0, below which each channel has a slope of its own.
  ValueId ChannelBends(const Node& node, const Codes& x, std::span<const float> reals,
                       const Tensor& values, const WantedCodes& target);

  // layers.cc
  ValueId EmitConv(const Node& node, const Codes& x, const Layer& layer, Attributes attributes,
                   const WantedCodes& target);
  ValueId Conv(const Node& node, const WantedCodes& target);
  ValueId Gemm(const Node& node, const WantedCodes& target);
  ValueId MatMul(const Node& node, const WantedCodes& target);

  // products.cc
  /// What a product makes, perhaps times a number; kNone for other nodes.
  ValueId MakeProduct(const Node& node, const WantedCodes& target);
  /// Of two activations: in blocks where a target takes it and one has the zero point 0, else of
  /// codes as reals; kNone where their sums may be no whole numbers.
  ValueId Product(const Node& node, const WantedCodes& target);
  struct Operands;
  ValueId EmitProduct(const Node& node, const Operands& of, int64_t block,
                      const WantedCodes& target);
  ValueId EmitProductOfCodes(const Node& node, const Operands& of, const WantedCodes& target);
  std::optional<Layer> MakeLayer(const Codes& x, Tensor weights, const std::vector<double>& scales,
                                 ValueId bias, const WantedCodes& target);
  std::optional<std::vector<int64_t>> BiasCodes(ValueId bias, const std::vector<double>& scales);
  ValueId Dense(const Node& node, const Codes& x, ValueId weight, bool transposed, ValueId bias,
                const WantedCodes& target);

  // elementwise.cc
  ValueId Requant(const std::string& name, const Codes& x, const WantedCodes& target);
  ValueId Add(const Node& node, const WantedCodes& target);
  /// add_i8 of codes whose scales may be negative; kNone where the small multiples that stand for
  /// them are too far off for the target.
  ValueId EmitSum(const std::string& name, const Codes& a, const Codes& b,
                  const WantedCodes& target);
  ValueId AddDouble(const Node& node, const Codes& a, const Codes& b, const WantedCodes& target);
  ValueId Mul(const Node& node, const WantedCodes& target);
  ValueId AvgPool(const Node& node, const WantedCodes& target);
  ValueId ReduceMean(const Node& node, const WantedCodes& target);
  ValueId EmitAvgPool(const Node& node, const std::vector<int64_t>& kernel,
                      const std::vector<int64_t>& strides, const std::vector<int64_t>& pads,
                      const WantedCodes& target);
  ValueId EmitBorderPool(const Node& node, const WantedCodes& target);
  ValueId Concat(const Node& node, const WantedCodes& target);

  // averages.cc
  /// A real tensor as whole numbers: real = value * scale / divisor. Of a mean, value is a quotient
  /// of whole numbers by at most `count`, rounded once.
  struct Whole {
    ValueId value = kNone;
    double scale = 1;
    int64_t divisor = 1, count = 0;
    double most = 0;  // of the whole numbers' magnitudes
  };
  /// Nothing for what is no sum of shares of codes of one scale.
  std::optional<Whole> WholeOf(ValueId real);
  std::optional<Whole> MakeWhole(const Node& node);
  std::optional<Whole> WholeCodes(const Node& node);
  std::optional<Whole> Weighed(const Node& node);
  std::optional<Whole> Summed(const Node& node);
  std::optional<Whole> Averaged(const Node& node);
  /// The codes of a quantize whose real is such a sum, divided once; kNone for others.
  ValueId Average(const Node& quantize);

  // resizing.cc
  /// What resize_i8 takes of a real value: real = code * scale, of codes less a zero point, or of
  /// the sum of two tensors' codes, times factors of each channel, less a zero point times `unit`.
  struct ToResize {
    std::vector<ValueId> inputs;
    double scale = 1;
    int64_t zero_point = 0, unit = 1;
  };
  /// Its codes or, of a function of some, those of a scale of which half is well below `most`.
  std::optional<ToResize> CodesToResize(ValueId real, double most);
  /// Of a function that is bent at 0: the codes before it, and what of them is positive. `sum` is
  /// what weights of a pixel add up to.
  std::optional<ToResize> BentToResize(ValueId real, double most, int64_t sum);
  ValueId Resized(const Node& quantize, const WantedCodes& target, const std::vector<int64_t>& uses,
                  const PassContext& context);

  const PassContext* const context_;  // borrowed
  Rebuild rebuild_;
  Graph& fresh_;
  std::map<ValueId, std::optional<Codes>> codes_;                 // by real value
  std::map<std::pair<ValueId, WantedCodes>, ValueId> quantised_;  // by real value and target
  std::map<ValueId, std::optional<Whole>> wholes_;                // by real value
  int64_t depth_ = 0;  // of the recursion, which follows chains of ops without a quantize between
  std::map<ValueId, ValueId> int8_;  // uint8 codes -> int8 codes
};

/// The code of a real value, as the op quantize computes it, within int8.
int64_t CodeOf(double real, const WantedCodes& target);

/// The target of a quantize or the codes of a dequantize, for 8 bits and one scale; int8 form.
std::optional<WantedCodes> ReadScale(const Graph& graph, const Node& node, DType codes);

inline bool Is8Bit(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }
/// Whether the node is a max pool that an int8 form has.
bool IsUndilatedMaxPool(const Node& node);

/// Sets zero_point, low and high.
void SetRange(Attributes& attributes, const WantedCodes& target);
/// Sets these and multiplier, exponent for the factor real.
void SetRequant(Attributes& attributes, double real, const WantedCodes& target);

}  // namespace vta::compiler
