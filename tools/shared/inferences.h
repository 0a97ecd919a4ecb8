// What runs of a model take and give, in files: one for each input or output, with as many samples
// as there are inferences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/package.h"
#include "tools/shared/samples.h"

namespace vta::tools {

using Inferences = std::vector<std::vector<std::vector<uint8_t>>>;  // [inference][tensor] bytes

/// What reads and writes a file: those of samples.h, or others that know more kinds of files.
using ParseFunction = decltype(ParseSamples);
using SerializeFunction = decltype(SerializeSamples);

/// An option that names files names one for each of these tensors. Errors: throws UsageError.
void RequireOneEach(const std::string& option, const std::vector<std::string>& files,
                    const std::vector<int64_t>& tensors);

/// One file for each of these tensors. Errors: throws Error naming the file, as the function; also
/// where it has another number of samples than the first.
Inferences ReadInferences(const isa::Package& package, const std::vector<int64_t>& tensors,
                          const std::vector<std::string>& files, const Encoding& encoding,
                          ParseFunction* parse = ParseSamples);

/// Those of the package's inputs, all finite. Without files one inference of random numbers, which
/// the log says. Errors: as ReadInferences, RequireFinite.
Inferences ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                      const Encoding& encoding, uint64_t seed, ParseFunction* parse = ParseSamples);

/// Each output of all inferences into its file, where there are files.
void WriteOutputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Inferences& outputs, SerializeFunction* serialize = SerializeSamples);

}  // namespace vta::tools
