#include "compiler/targets/cpu/operands.h"

#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/layout.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

loop::DType LoopTypeOf(const TensorType& type) {
  if (const std::optional<loop::DType> found = operators::FindLoopType(type.dtype)) return *found;
  throw Error("", "element type", std::string(Name(type.dtype)), "no target has arithmetic for it");
}

}  // namespace

te::Tensor Operands::Add(const TensorType& type, KernelInput input) {
  const std::string name = StrCat("x", params_.size());
  params_.push_back(te::Placeholder(name, operators::LoopShape(type.shape), LoopTypeOf(type)));
  inputs_.push_back(std::move(input));
  return params_.back();
}

te::Tensor Operands::Stored(ValueId value) {
  if (const auto found = stored_.find(value); found != stored_.end()) return found->second;
  return stored_.emplace(value, Add(graph_.value(value).stored(), value)).first->second;
}

te::Tensor Operands::Of(ValueId value) {
  const te::Tensor stored = Stored(value);
  if (!graph_.value(value).storage) return stored;
  const Storage storage = *graph_.value(value).storage;
  return te::View(stored.name() + "_view", graph_.shape(value), LoopTypeOf(graph_.type(value)),
                  [=](const std::vector<Expr>& at) {
                    const Expr block(storage.channels);
                    const Expr code =
                        stored(at[0], FloorDiv(at[1], block), at[2] + storage.border[0],
                               at[3] + storage.border[1], FloorMod(at[1], block));
                    return storage.biased ? Unbiased(code) : code;
                  });
}

te::Tensor Operands::Constant(const std::string& name, Tensor tensor) {
  const TensorType type = tensor.type();
  return Add(type, KernelConstant{name, std::move(tensor)});
}

te::Tensor Operands::FilledUp(const std::string& name, Tensor tensor) {
  VTA_CHECK(tensor.shape().size() == 1, name);
  if (tensor.elements() % kLanes == 0) return Constant(name, std::move(tensor));
  Tensor full({tensor.dtype(), {BlocksOf(tensor.elements()) * kLanes}});
  std::copy(tensor.bytes().begin(), tensor.bytes().end(), full.mutable_bytes().begin());
  return Constant(name, std::move(full));
}

te::Tensor Operands::FilledUp(ValueId value) {
  const Tensor* tensor = graph_.constant(value);
  VTA_CHECK(tensor, graph_.value(value).name);
  return tensor->elements() % kLanes == 0 ? Stored(value)
                                          : FilledUp(graph_.value(value).name, *tensor);
}

}  // namespace vta::compiler::targets
