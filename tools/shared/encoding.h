// How a file stores values that a model takes in another way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/package.h"

namespace vta::tools {

/// Channels behind the axes over which windows move, as images lie in files, or before them.
inline constexpr char kChannelsLast[] = "nhwc", kChannelsFirst[] = "nchw";

/// How pictures become as large as a network wants them.
struct PictureSize {
  std::string resize = {};          // stretch, crop or pad; empty: they have the size
  std::string filter = "bilinear";  // a name of FilterNames()
  int64_t shorter = 0;              // crop: what the shorter side becomes first; 0: just enough
};

/// value = ((stored - zero_point) * scale - mean) / std, in float64; rounded once, to the tensor's
/// type.
struct Encoding {
  std::string type;  // empty: as the tensor
  double scale = 1;
  double zero_point = 0;
  std::string layout = {};                  // where files have channels; empty: as the tensor
  std::string model_layout = {};            // where the model has them, if its shape does not say
  std::vector<double> mean = {}, std = {};  // one, or one for each channel; empty: 0 and 1
  bool blue_first = false;                  // of pictures: channels go in as blue, green, red
  PictureSize size = {};

  bool converts_values() const {
    return scale != 1 || zero_point != 0 || !mean.empty() || !std.empty();
  }
};

/// The types that Encoding::type may name.
std::vector<std::string> StoredTypeNames();
/// Errors: throws Error for a name that is not one of them.
isa::ElementType StoredType(const std::string& name);

/// Where a tensor has its channels, as far as its shape tells: nchw or nhwc where, of four axes,
/// either the second or the last alone has one or three elements; nothing where both or neither
/// have.
std::optional<std::string> LayoutOf(std::span<const int64_t> shape);
/// Whether the same bytes would be another picture with channels at the other end: of four axes,
/// one that may be channels has three elements, and there is more than one pixel.
bool LayoutMatters(std::span<const int64_t> shape);

/// The shape that a file of this encoding has for a sample of the tensor: its channels are at the
/// other end where the shape says that the model has them elsewhere than the file, or does not say.
/// Errors: throws Error naming the file where a layout needs more axes than the tensor has.
std::vector<int64_t> StoredShape(const isa::PackageTensor& tensor, const Encoding& encoding,
                                 const std::string& file);

/// For each element of the tensor, its place in a stored sample; empty where all lie as they are.
std::vector<int64_t> StoredPlaces(const isa::PackageTensor& tensor, const Encoding& encoding);

/// Of an encoding with means or deviations for each channel: the channel of each element of the
/// tensor; empty where all are alike.
/// Errors: throws UsageError where the tensor has another number of channels, or does not say
/// which axis they are.
std::vector<int64_t> ChannelsOf(const isa::PackageTensor& tensor, const Encoding& encoding);

}  // namespace vta::tools
