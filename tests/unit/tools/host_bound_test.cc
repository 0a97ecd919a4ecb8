// What conversions at a network's border move, counted by hand.
#include "tools/host/host_bound.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

using Kind = isa::PackageStep::Kind;

isa::PackageStep Step(Kind kind, std::vector<int64_t> inputs, int64_t output) {
  isa::PackageStep step;
  step.kind = kind;
  step.inputs = std::move(inputs);
  step.outputs = {output};
  return step;
}

TEST(HostBound, OfAPictureItsBlocksAndScores) {
  isa::Package package;
  package.tensors = {{"picture", isa::ElementType::kFloat32, {1, 3, 4, 4}},
                     {"codes", isa::ElementType::kInt8, {1, 3, 4, 4}},
                     {"blocks", isa::ElementType::kInt8, {1, 1, 4, 4, 1, 16}},
                     {"made", isa::ElementType::kInt8, {1, 1, 1, 1, 1, 16}},
                     {"scores", isa::ElementType::kFloat32, {1, 10}},
                     {"size", isa::ElementType::kInt8, {1, 2}}};
  package.inputs = {0, 5};
  package.outputs = {4};
  package.steps = {Step(Kind::kKernel, {0}, 1), Step(Kind::kKernel, {1}, 2),
                   Step(Kind::kProgram, {2, 5}, 3), Step(Kind::kKernel, {3}, 4)};
  // 48 numbers and codes; the codes and 256 bytes of blocks; 10 numbers and codes.
  EXPECT_EQ(HostBytesBound(package), 48 * 5 + 48 + 256 + 10 * 5);
  EXPECT_EQ(HostStepsBound(package), 3);  // the second input is read as it is
  // What stays on the host is converted alone.
  package.steps = {Step(Kind::kKernel, {0}, 1), Step(Kind::kKernel, {1}, 4)};
  EXPECT_EQ(HostBytesBound(package), 48 * 5 + 10 * 5);
  EXPECT_EQ(HostStepsBound(package), 2);
}

}  // namespace
}  // namespace vta::tools
