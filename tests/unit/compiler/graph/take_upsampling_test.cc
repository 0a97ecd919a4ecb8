// Gathers that repeat pixels of codes as upsampling, where a target takes that.
#include <gtest/gtest.h>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler {
namespace {

const std::string kPool = R"(%x : int8[1,16,2,3] = input
%p : int8[1,16,2,3] = max_pool_i8(%x) {kernel=[1,1], pads=[0,0,0,0], strides=[1,1]} "p"
)",
                  kRows = R"(%i : int64[4] = const [0,0,1,1]
%r : int8[1,16,4,3] = gather(%p, %i) {axis=2} "r"
)",
                  kColumns = R"(%j : int64[6] = const [0,0,1,1,2,2]
%y : int8[1,16,4,6] = gather(%r, %j) {axis=3} "y"
)",
                  kOutput = "output \"y\" = %y\n";

const targets::VtaTarget& Vta() {
  static const targets::VtaTarget target(targets::ConfigNamed("default"));
  return target;
}

TEST(TakeUpsampling, OfRowsAndColumnsIsOne) {
  const Target* const targets[] = {&Vta()};
  const PassContext context{targets, &kRest};
  ExpectPass(TakeUpsampling, StrCat(kPool, kRows, kColumns, kOutput),
             StrCat(kPool, R"(%y : int8[1,16,4,6] = upsample_i8(%p) {scales=[2,2]} "y"
output "y" = %y
)"),
             0, context);
  ExpectPass(TakeUpsampling, StrCat(kPool, kRows, "output \"r\" = %r\n"),
             StrCat(kPool, R"(%r : int8[1,16,4,3] = upsample_i8(%p) {scales=[2,1]} "r"
output "r" = %r
)"),
             0, context);
}

/// Other pixels, real numbers, an input's codes, and where no target is.
TEST(TakeUpsampling, LeavesOthers) {
  const Target* const targets[] = {&Vta()};
  const PassContext context{targets, &kRest};
  const std::string others = R"(%i : int64[4] = const [0,1,0,1]
%y : int8[1,16,4,3] = gather(%p, %i) {axis=2} "y"
output "y" = %y
)",
                    real = R"(%x : float32[1,16,2,3] = input
%p : float32[1,16,2,3] = relu(%x) "p"
%i : int64[4] = const [0,0,1,1]
%y : float32[1,16,4,3] = gather(%p, %i) {axis=2} "y"
output "y" = %y
)",
                    input = R"(%x : int8[1,16,2,3] = input
%i : int64[4] = const [0,0,1,1]
%y : int8[1,16,4,3] = gather(%x, %i) {axis=2} "y"
output "y" = %y
)";
  for (const std::string& kept : {kPool + others, real, input})
    ExpectPass(TakeUpsampling, kept, kept, 0, context);
  const std::string all = StrCat(kPool, kRows, kColumns, kOutput);
  ExpectPass(TakeUpsampling, all, all, 0, {{}, &kRest});
}

}  // namespace
}  // namespace vta::compiler
