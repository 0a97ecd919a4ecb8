#include "tools/shared/inferences.h"

#include <cstdio>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/usage.h"

namespace vta::tools {

void RequireOneEach(const std::string& option, const std::vector<std::string>& files,
                    const std::vector<int64_t>& tensors) {
  if (!files.empty() && files.size() != tensors.size())
    throw UsageError(option, "", Counted(files.size(), "file"),
                     StrCat("the model has ", tensors.size(), "; give ", option, " once for each"));
}

Inferences ReadInferences(const isa::Package& package, const std::vector<int64_t>& tensors,
                          const std::vector<std::string>& files, const Encoding& encoding,
                          ParseFunction* parse) {
  Inferences inferences;
  for (size_t t = 0; t < files.size(); ++t) {
    auto samples = parse(ReadFile(files[t]), files[t], package.tensors[tensors[t]], encoding);
    if (t > 0 && samples.size() != inferences.size())
      throw Error(files[t], "samples", std::to_string(samples.size()),
                  StrCat(files[0], " has ", inferences.size()));
    inferences.resize(samples.size());
    for (size_t i = 0; i < samples.size(); ++i) inferences[i].push_back(std::move(samples[i]));
  }
  return inferences;
}

Inferences ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                      const Encoding& encoding, uint64_t seed, ParseFunction* parse) {
  if (!files.empty()) {
    Inferences inputs = ReadInferences(package, package.inputs, files, encoding, parse);
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t t = 0; t < inputs[i].size(); ++t)
        RequireFinite(inputs[i][t], package.tensors[package.inputs[t]],
                      StrCat(files[t], ": sample ", i));
    return inputs;
  }
  std::fprintf(stderr, "no --input: one random sample from seed %llu\n",
               static_cast<unsigned long long>(seed));
  Inferences inputs(1);
  for (size_t t = 0; t < package.inputs.size(); ++t)
    inputs[0].push_back(RandomSample(package.tensors[package.inputs[t]], seed + t));
  return inputs;
}

void WriteOutputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Inferences& outputs, SerializeFunction* serialize) {
  for (size_t t = 0; t < files.size(); ++t) {
    std::vector<std::vector<uint8_t>> samples;
    for (const auto& inference : outputs) samples.push_back(inference[t]);
    WriteFileAtomically(files[t],
                        serialize(samples, package.tensors[package.outputs[t]], files[t]));
  }
}

}  // namespace vta::tools
