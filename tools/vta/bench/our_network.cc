#include "tools/vta/bench/our_network.h"

#include "isa/support/error.h"
#include "tools/shared/samples.h"

namespace vta::tools {
namespace {

compiler::Tensor TensorOf(const isa::PackageTensor& tensor, std::vector<uint8_t> bytes) {
  const auto type = compiler::DTypeFromName(isa::ElementTypeName(tensor.type));
  VTA_CHECK(type.has_value(), tensor.name);
  return {{*type, tensor.shape}, std::move(bytes)};
}

}  // namespace

OurNetwork::OurNetwork(const ModelOptions& model, const EngineOptions& engine)
    : session_(LoadModel(OpenModel(model).package, model.model, nullptr), engine) {
  const isa::Package& package = session_.package();
  for (size_t i = 0; i < package.inputs.size(); ++i)
    inputs_.push_back(RandomSample(package.tensors[package.inputs[i]], 1 + i));
}

std::vector<isa::PackageTensor> OurNetwork::InputTensors() const {
  std::vector<isa::PackageTensor> tensors;
  for (const int64_t input : session_.package().inputs)
    tensors.push_back(session_.package().tensors[input]);
  return tensors;
}

OurSide OurNetwork::Side() {
  return {[this] { outputs_ = session_.Run(inputs_); },
          [this] { return Named(session_.package().outputs, outputs_); }};
}

OurSide OurNetwork::SideInPlace() {
  runtime::Session& session = session_.local();
  return {[&session] { session.Run(); },
          [this, &session] {
            std::vector<std::vector<uint8_t>> bytes;
            for (const int64_t tensor : session_.package().outputs)
              bytes.push_back(session.ReadTensor(tensor));
            return Named(session_.package().outputs, bytes);
          },
          [this, &session] {
            for (size_t i = 0; i < inputs_.size(); ++i)
              session.SetInput(static_cast<int64_t>(i), inputs_[i]);
          }};
}

int64_t OurNetwork::Macs() const {
  int64_t macs = 0;
  for (const isa::PackageStep& step : session_.package().steps) macs += step.facts.macs;
  return macs;
}

NamedTensors OurNetwork::Named(const std::vector<int64_t>& list,
                               const std::vector<std::vector<uint8_t>>& bytes) const {
  NamedTensors named;
  for (size_t i = 0; i < list.size(); ++i) {
    const isa::PackageTensor& tensor = session_.package().tensors[list[i]];
    named.emplace(tensor.name, TensorOf(tensor, bytes[i]));
  }
  return named;
}

}  // namespace vta::tools
