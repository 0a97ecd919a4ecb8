// How a file stores values that a model takes in another way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/package.h"

namespace vta::tools {

/// Channels behind the axes over which windows move, as images lie in files, or before them, and
/// the model has them at the other end of these axes.
inline constexpr char kChannelsLast[] = "nhwc", kChannelsFirst[] = "nchw";

/// value = (stored - zero_point) * scale.
struct Encoding {
  std::string type;  // empty: as the tensor
  double scale = 1;
  double zero_point = 0;
  std::string layout = {};  // empty: as the tensor

  bool converts_values() const { return scale != 1 || zero_point != 0; }
};

/// The types that Encoding::type may name.
std::vector<std::string> StoredTypeNames();
/// Errors: throws Error for a name that is not one of them.
isa::ElementType StoredType(const std::string& name);

/// The shape that a file of this encoding has for a sample of the tensor.
/// Errors: throws Error naming the file where a layout needs more axes than the tensor has.
std::vector<int64_t> StoredShape(const isa::PackageTensor& tensor, const Encoding& encoding,
                                 const std::string& file);

/// For each element of the tensor, its place in a stored sample; empty where all lie as they are.
std::vector<int64_t> StoredPlaces(const isa::PackageTensor& tensor, const Encoding& encoding);

}  // namespace vta::tools
