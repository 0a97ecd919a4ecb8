// Samples of a model's tensors in files: raw values, sample after sample, in the tensor's layout;
// or an array of NumPy with its type and shape (npy.h), of one sample or several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/package.h"
#include "tools/shared/encoding.h"
#include "tools/shared/npy.h"

namespace vta::tools {

/// Every sample of a file, converted to the tensor's type: to the nearest integer, if to an
/// integer. A file that says its type and shape must have the tensor's type, unless the encoding
/// names its own, and its shape in the encoding's layout, once or along the first dimension.
/// Errors: throws Error naming the file, its size and the size of a sample; or the first
/// value that the tensor's type does not hold.
std::vector<std::vector<uint8_t>> ParseSamples(std::span<const uint8_t> bytes,
                                               const std::string& file,
                                               const isa::PackageTensor& tensor,
                                               const Encoding& encoding = {});
/// The samples of a tensor that `file` held.
std::vector<std::vector<uint8_t>> SamplesOf(const StoredTensor& stored, const std::string& file,
                                            const isa::PackageTensor& tensor,
                                            const Encoding& encoding = {});

/// All samples of a tensor as one, along the first dimension.
StoredTensor Joined(const std::vector<std::vector<uint8_t>>& samples,
                    const isa::PackageTensor& tensor);
/// The bytes of a file `path` that holds the samples of a tensor.
std::vector<uint8_t> SerializeSamples(const std::vector<std::vector<uint8_t>>& samples,
                                      const isa::PackageTensor& tensor, const std::string& path);

/// Errors: throws Error at `where` naming the first element of a sample that is NaN or infinite.
void RequireFinite(const std::vector<uint8_t>& sample, const isa::PackageTensor& tensor,
                   const std::string& where);

/// Values drawn from a seed: integers over their whole range, floats in [0, 1).
std::vector<uint8_t> RandomSample(const isa::PackageTensor& tensor, uint64_t seed);

/// The index of the largest of these values; the first of equal ones.
int64_t ArgMax(std::span<const uint8_t> values, isa::ElementType type);

/// One of these values.
double ValueAt(std::span<const uint8_t> values, int64_t index, isa::ElementType type);

/// How one output differs from what was expected.
struct Difference {
  int64_t elements = 0, differing = 0;
  double largest = 0;  // |got - expected|
};
Difference Compare(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected,
                   isa::ElementType type);

/// The labels of a text file, one a line: each names one of `classes` classes.
/// Errors: throws Error naming file and line.
std::vector<int64_t> LoadLabels(const std::string& path, int64_t classes);
std::vector<int64_t> ParseLabels(std::string_view text, const std::string& file, int64_t classes);

}  // namespace vta::tools
