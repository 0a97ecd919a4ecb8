#include "compiler/tensorize/declare.h"

#include "compiler/loop/analysis.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"

namespace vta::compiler::tensorize {

IntrinsicRef Declare(const std::string& name, const te::Tensor& result,
                     const std::vector<te::Tensor>& inputs, Lowering lowering,
                     int64_t cost_cycles) {
  std::vector<te::Tensor> params = {result};
  params.insert(params.end(), inputs.begin(), inputs.end());
  Intrinsic intrinsic{.name = name, .lowering = std::move(lowering), .cost_cycles = cost_cycles};
  intrinsic.description = te::Lower(name, params);
  loop::Verify(intrinsic.description);
  if (loop::Sites(intrinsic.description.body).size() != 1)
    throw Error(StrCat("intrinsic ", name), "description", result.name(),
                "must be one compute over the inputs");
  for (const loop::Buffer& param : intrinsic.description.params) {
    Operand operand{param->name, param->dtype, {}, param->scope};
    for (int64_t extent : param->shape)
      if (extent > 1) operand.shape.push_back(extent);
    if (param->scope == kImmediate && !operand.shape.empty())
      throw Error(StrCat("intrinsic ", name), "immediate", param->name, "must have one element");
    intrinsic.operands.push_back(std::move(operand));
  }
  return std::make_shared<const Intrinsic>(std::move(intrinsic));
}

}  // namespace vta::compiler::tensorize
