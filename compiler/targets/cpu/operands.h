// The tensors that a kernel of the CPU takes, in order, and how its expressions see them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/targets/code_target.h"
#include "compiler/targets/codes.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

class Operands {
 public:
  explicit Operands(const Graph& graph) : graph_(graph) {}

  /// What lies in memory of a value that the kernel reads.
  te::Tensor Stored(ValueId value);
  /// The value with the graph's shape (a scalar is [1]) and type, however it lies.
  te::Tensor Of(ValueId value);
  /// A constant of the kernel's own.
  te::Tensor Constant(const std::string& name, Tensor tensor);
  /// A constant of one dimension, filled up with 0 to whole blocks of lanes.
  te::Tensor FilledUp(const std::string& name, Tensor tensor);
  te::Tensor FilledUp(ValueId value);

  const std::vector<te::Tensor>& params() const { return params_; }
  const std::vector<KernelInput>& inputs() const { return inputs_; }

 private:
  te::Tensor Add(const TensorType& type, KernelInput input);

  const Graph& graph_;
  std::vector<te::Tensor> params_;
  std::vector<KernelInput> inputs_;
  std::map<ValueId, te::Tensor> stored_;
};

}  // namespace vta::compiler::targets
