// What runs of a model take and give, in files: one for each input or output, with as many samples
// as there are inferences.
#pragma once

#include <cstdint>
#include <limits>
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

inline constexpr int64_t kAllSamples = std::numeric_limits<int64_t>::max();

/// What a model is to run on.
struct Inputs {
  Inferences samples;
  int64_t in_files = 1;               // samples that the files hold, of which those are the first
  std::vector<std::string> pictures;  // the files of the first input that has any, else none
  std::vector<int64_t> labels;        // of them, where their list has them
  std::string list;                   // that list
};

/// The first `most` samples of the package's inputs, all finite, out of files that `parse` knows or
/// that hold pictures. Without files one inference of random numbers, which it says on stderr.
/// Errors: as ReadInferences, RequireFinite and PictureSamples; throws UsageError where raw values
/// may have channels first or last and the encoding does not say, or where it is of pictures and
/// there are none.
Inputs ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Encoding& encoding, uint64_t seed, ParseFunction* parse = ParseSamples,
                  int64_t most = kAllSamples);

/// The inferences that one run of a package is: the first dimension that all its inputs and outputs
/// share, where every input has another one; otherwise 1.
int64_t BatchOf(const isa::Package& package);
/// The same, of their shapes.
int64_t BatchOf(const std::vector<std::vector<int64_t>>& inputs,
                const std::vector<std::vector<int64_t>>& outputs);

/// The labels of all inferences: those of a file, or else those that a list of pictures has; none
/// where there are neither. Each names one of `classes`.
/// Errors: as LoadLabels; throws Error where there is another number than `count`, or where both
/// have labels.
std::vector<int64_t> LabelsOf(const Inputs& inputs, const std::string& file, int64_t count,
                              int64_t classes);

/// Each output of all inferences into its file, where there are files.
void WriteOutputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Inferences& outputs, SerializeFunction* serialize = SerializeSamples);

}  // namespace vta::tools
