#include "runtime/any_session.h"

#include <string>
#include <utility>

#include "isa/support/error.h"

namespace vta::runtime {

using std::chrono::steady_clock;

std::vector<std::vector<uint8_t>> OutputsOf(const isa::Package& package) {
  std::vector<std::vector<uint8_t>> outputs;
  for (const int64_t output : package.outputs)
    outputs.emplace_back(static_cast<size_t>(package.tensors[output].bytes()));
  return outputs;
}

void InferInto(AnySession& session, std::span<const std::span<const uint8_t>> inputs,
               std::span<std::vector<uint8_t>> outputs, RunProfile* profile) {
  const isa::Package& package = session.package();
  if (inputs.size() != package.inputs.size())
    throw Error(session.model().file(), "inputs", std::to_string(inputs.size()),
                StrCat("the model has ", package.inputs.size()));
  RunProfile measured;
  const auto start = steady_clock::now();
  for (size_t i = 0; i < inputs.size(); ++i) session.SetInput(static_cast<int64_t>(i), inputs[i]);
  measured.copy_in = steady_clock::now() - start;
  session.Run(profile ? &measured : nullptr);
  const auto ran = steady_clock::now();
  for (size_t i = 0; i < outputs.size(); ++i)
    session.GetOutput(static_cast<int64_t>(i), outputs[i]);
  measured.copy_out = steady_clock::now() - ran;
  measured.wall = steady_clock::now() - start;
  if (profile) *profile = std::move(measured);
}

std::vector<std::vector<uint8_t>> Infer(AnySession& session,
                                        std::span<const std::span<const uint8_t>> inputs,
                                        RunProfile* profile) {
  std::vector<std::vector<uint8_t>> outputs = OutputsOf(session.package());
  InferInto(session, inputs, outputs, profile);
  return outputs;
}

}  // namespace vta::runtime
