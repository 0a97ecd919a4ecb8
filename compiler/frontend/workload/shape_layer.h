// A layer of which a workload says the shape alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vta::compiler {

/// The largest size that a workload may have in a place.
inline constexpr int64_t kMostShape = int64_t{1} << 31;

struct ShapeLayer {
  enum class Kind {
    kProduct,  // with weights: a convolution, or a matrix product where there is one pixel
    kSum,      // of two inputs
  };

  std::string name, where;  // the latter in messages
  Kind kind = Kind::kProduct;
  int64_t batch = 1, groups = 1;
  int64_t channels = 1, filters = 1;      // of a group
  std::array<int64_t, 2> input = {1, 1};  // height and width, as those below
  std::array<int64_t, 2> kernel = {1, 1}, strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 4> pads = {0, 0, 0, 0};  // before both, behind both
};

/// A workload, and what of it is no layer of a network: why, in a phrase.
struct ShapeLayers {
  std::string name;
  std::vector<ShapeLayer> layers;
  std::vector<std::string> left_out;
};

}  // namespace vta::compiler
