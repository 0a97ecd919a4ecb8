#include "tools/host/host_bound.h"

#include <algorithm>
#include <set>

namespace vta::tools {
namespace {

using Kind = isa::PackageStep::Kind;

bool HasCodes(const isa::PackageTensor& tensor) { return isa::ElementTypeBytes(tensor.type) == 1; }

/// The bytes of real numbers and of a code for each.
int64_t Conversion(const isa::PackageTensor& tensor) {
  return HasCodes(tensor) ? 0 : tensor.bytes() + tensor.elements();
}

/// What the first program that reads any of it reads of what kernels make of an input; 0 where none
/// does, or where it reads the input itself.
int64_t FirstRead(const isa::Package& package, int64_t input) {
  std::set<int64_t> made = {input};
  for (const isa::PackageStep& step : package.steps) {
    const auto read =
        std::ranges::find_if(step.inputs, [&](int64_t i) { return made.contains(i); });
    if (read == step.inputs.end()) continue;
    if (step.kind == Kind::kProgram) return *read == input ? 0 : package.tensors[*read].bytes();
    made.insert(step.outputs.begin(), step.outputs.end());
  }
  return 0;
}

}  // namespace

int64_t HostBytesBound(const isa::Package& package) {
  int64_t bytes = 0;
  for (const int64_t input : package.inputs) {
    const isa::PackageTensor& tensor = package.tensors[input];
    const int64_t read = FirstRead(package, input);
    bytes += Conversion(tensor) + (read > 0 ? tensor.elements() + read : 0);
  }
  for (const int64_t output : package.outputs) bytes += Conversion(package.tensors[output]);
  return bytes;
}

int64_t HostStepsBound(const isa::Package& package) {
  auto steps = static_cast<int64_t>(package.outputs.size());
  for (const int64_t input : package.inputs)
    steps += !HasCodes(package.tensors[input]) + (FirstRead(package, input) > 0);
  return steps;
}

}  // namespace vta::tools
