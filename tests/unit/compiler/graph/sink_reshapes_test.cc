// What is done to each element of a product of matrices comes before it is reshaped.
#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

const std::string kInputs = R"(%x : float32[6,5] = input
%r : float32[2,3,4] = input
%w : float32[5,4] = input
)",
                  kMade = R"(%p : float32[6,4] = matmul(%x, %w) "p"
)",
                  kBias = R"(%b : float32[4] = const [1.0,2.0,3.0,4.0]
)";

TEST(SinkReshapes, PastElementsAndLines) {
  const std::string half = "%half : float32[1,1,1] = const [0.5]\n";
  ExpectPass(SinkReshapes,
             StrCat(kInputs, kBias, half, kMade,
                    R"(%s : float32[2,3,4] = reshape(%p) {shape=[2,3,4]} "s"
%a : float32[2,3,4] = add(%s, %b) "a"
%m : float32[2,3,4] = mul(%half, %a) "m"
%t : float32[2,3,4] = add(%r, %m) "t"
%y : float32[2,3,4] = softmax(%t) {axis=2} "y"
output "y" = %y
)"),
             StrCat(kInputs, kMade, kBias, R"(%a : float32[6,4] = add(%p, %b) "a"
%half.1 : float32[1,1] = const [0.5]
%m : float32[6,4] = mul(%half.1, %a) "m"
%t : float32[6,4] = reshape(%r) {shape=[6,4]} "t"
%t.1 : float32[6,4] = add(%t, %m) "t"
%y : float32[6,4] = softmax(%t.1) {axis=1} "y"
%y.1 : float32[2,3,4] = reshape(%y) {shape=[2,3,4]} "y"
output "y" = %y.1
)"),
             1e-6);
}

TEST(SinkReshapes, OfReshapesAreOneOrNone) {
  ExpectPass(SinkReshapes,
             StrCat(kInputs, kMade, R"(%s : float32[2,3,4] = reshape(%p) {shape=[2,3,4]} "s"
%a : float32[2,3,4] = relu(%s) "a"
%t : float32[6,4] = reshape(%a) {shape=[6,4]} "t"
%y : float32[6,4] = abs(%t) "y"
output "y" = %y
)"),
             StrCat(kInputs, kMade, R"(%a : float32[6,4] = relu(%p) "a"
%y : float32[6,4] = abs(%a) "y"
output "y" = %y
)"));
}

/// Operands that are others for each of what the product has in a row, lines of another length, and
/// what no product made.
TEST(SinkReshapes, LeaveWhatIsNotAlike) {
  for (const std::string& kept : {R"(%s : float32[2,3,4] = reshape(%p) {shape=[2,3,4]} "s"
%o : float32[3,1] = const [1.0,2.0,3.0]
%y : float32[2,3,4] = mul(%s, %o) "y"
)",
                                  R"(%s : float32[3,8] = reshape(%p) {shape=[3,8]} "s"
%y : float32[3,8] = softmax(%s) {axis=1} "y"
)",
                                  R"(%s : float32[4,6] = reshape(%r) {shape=[4,6]} "s"
%y : float32[4,6] = relu(%s) "y"
)"}) {
    const Graph graph = Parse(kInputs + kMade + kept + "output \"y\" = %y\noutput \"p\" = %p\n");
    EXPECT_EQ(Body(SinkReshapes(graph, {})), Body(RemoveDead(graph)));
  }
}

}  // namespace
}  // namespace vta::compiler
