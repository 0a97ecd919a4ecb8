// Converters of pools.
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/sixteen.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"

namespace vta::compiler {
namespace {

void Pool(TfliteNode& node, Op op) {
  const auto& options = node.Options<tflite_schema::Pool2DOptions>();
  if (node.Rank(0) != 4)
    throw node.Fail("input shape", ToText(node.InputShape(0)), "must be [N,H,W,C]");
  const std::vector<int64_t> kernel = {options.filter_height(), options.filter_width()};
  const TfliteWindow window =
      PlaceWindow(node, node.InputShape(0), kernel, {options.stride_h(), options.stride_w()},
                  {1, 1}, static_cast<int>(options.padding()));
  const int activation = static_cast<int>(options.fused_activation_function());
  if (op == Op::kAvgPool && OfSixteenBits(node) &&
      SixteenScale(node, 0) == SixteenOutputScale(node))
    return PoolAverageSixteen(node, window, kernel, activation);
  Attributes attributes{{"kernel", kernel}};
  for (const auto& [name, value] : window.attributes())
    if (name != "dilations" || op == Op::kMaxPool) attributes.Set(name, value);
  if (op == Op::kAvgPool) attributes.Set("count_include_pad", int64_t{0});
  const ValueId y =
      Activate(node, node.Emit(op, {node.Real(0, kToChannelsFirst)}, attributes), activation);
  node.Result(node.Emit(Op::kTranspose, {y}, {{"perm", kToChannelsLast}}));
}

}  // namespace

void ConvertAveragePool2d(TfliteNode& node) { Pool(node, Op::kAvgPool); }
void ConvertMaxPool2d(TfliteNode& node) { Pool(node, Op::kMaxPool); }

}  // namespace vta::compiler
