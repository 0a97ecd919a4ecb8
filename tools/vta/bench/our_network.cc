#include "tools/vta/bench/our_network.h"

#include <algorithm>

#include "isa/support/error.h"
#include "tools/report/layout_changes.h"
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

runtime::Timing OurNetwork::Time(const runtime::TimerOptions& options) {
  const std::vector<std::span<const uint8_t>> inputs(inputs_.begin(), inputs_.end());
  return session_.Time(inputs, options);
}

std::vector<int64_t> OurNetwork::StepTimes(int64_t runs) {
  std::vector<int64_t> times(session_.package().steps.size(), INT64_MAX);
  runtime::RunProfile profile;
  for (int64_t run = 0; run < runs; ++run) {
    session_.Run(inputs_, &profile);
    for (size_t i = 0; i < times.size(); ++i)
      times[i] = std::min<int64_t>(times[i], profile.steps[i].wall.count());
  }
  return times;
}

int64_t OurNetwork::Macs() const {
  int64_t macs = 0;
  for (const isa::PackageStep& step : session_.package().steps) macs += step.facts.macs;
  return macs;
}

int64_t TimeOfCompute(const compiler::Graph& graph, int64_t runs) {
  ModelOptions model;
  model.model = graph.name();
  model.targets = "cpu";
  model.graph = &graph;
  model.threads = 1;
  EngineOptions engine;
  engine.threads = 1;
  OurNetwork ours(model, engine);
  const std::vector<int64_t> times = ours.StepTimes(runs);
  int64_t sum = 0;
  for (size_t i = 0; i < times.size(); ++i)
    if (!IsLayoutChange(ours.package().steps[i])) sum += times[i];
  return sum;
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
