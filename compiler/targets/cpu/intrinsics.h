// Dot products of bytes and words as tensor intrinsics: what CPUs have instructions for.
#pragma once

#include <vector>

#include "compiler/loop/types.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::targets {

/// Channels that kernels compute together: as many sums as one vector of the widest machine holds;
/// narrower ones take several vectors, so that a function fits all of them.
inline constexpr int64_t kLanes = 16;

/// acc[o] += sum over i of x[i] * w[o][i], in int32: the same x for all o; or x[i][o], of each its
/// own. Named after the instruction that does it; machines without it do the same by other ones.
struct DotRow {
  std::string_view name;
  loop::DType x, w;
  int64_t group;  // values of i: 32 bits of them
  bool by_lane = false;
};
inline constexpr DotRow kDots[] = {
    {"vpdpbusd", loop::DType::kUint8, loop::DType::kInt8, 4},
    {"sdot", loop::DType::kInt8, loop::DType::kInt8, 4},
    {"vpdpwssd", loop::DType::kInt16, loop::DType::kInt16, 2},
    {"vpdpbusd_by_lane", loop::DType::kUint8, loop::DType::kInt8, 4, true},
};

/// Shape: acc [kLanes], x [group] or by lane [group, kLanes], w [kLanes, group]; all of them in any
/// scope.
tensorize::IntrinsicRef DotIntrinsic(const DotRow& row);
/// All of kDots.
std::vector<tensorize::IntrinsicRef> DotIntrinsics();

}  // namespace vta::compiler::targets
