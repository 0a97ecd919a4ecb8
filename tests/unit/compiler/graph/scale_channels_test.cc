// Depthwise convolutions of one tap as products and sums by channel.
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

const std::string kPlanes = R"(%x : float32[2,3,4,5] = input
)",
                  kFactors = R"(%w : float32[3,1,1,1] = const [1.5,-2.0,0.25]
)";
std::string DepthwiseText(const std::string& operands, const std::string& attributes) {
  return StrCat("%y : float32[2,3,4,5] = conv2d(", operands, ") {dilations=[1,1], ", attributes,
                "} \"y\"\noutput \"y\" = %y\n");
}

TEST(ScaleChannels, OfADepthwiseConvolutionOfOneTap) {
  const std::string bias = "%b : float32[3] = const [1.0,2.0,3.0]\n";
  const char* const kDepthwise = "groups=3, pads=[0,0,0,0], strides=[1,1]";
  ExpectPass(ScaleChannels, StrCat(kPlanes, kFactors, DepthwiseText("%x, %w", kDepthwise)),
             StrCat(kPlanes, R"(%w : float32[1,3,1,1] = const [1.5,-2.0,0.25]
%y : float32[2,3,4,5] = mul(%x, %w) "y"
output "y" = %y
)"));
  ExpectPass(ScaleChannels,
             StrCat(kPlanes, kFactors, bias, DepthwiseText("%x, %w, %b", kDepthwise)),
             StrCat(kPlanes, R"(%w : float32[1,3,1,1] = const [1.5,-2.0,0.25]
%y : float32[2,3,4,5] = mul(%x, %w) "y"
%b : float32[1,3,1,1] = const [1.0,2.0,3.0]
%y.1 : float32[2,3,4,5] = add(%y, %b) "y"
output "y" = %y.1
)"),
             1e-5);
}

/// Several taps, pads, and channels that are summed.
TEST(ScaleChannels, LeaveOthers) {
  const std::string six = " = const [1.5,-2.0,0.25,1.0,2.0,3.0]\n";
  for (const std::string& kept :
       {StrCat(kPlanes, "%w : float32[3,1,1,2]", six,
               DepthwiseText("%x, %w", "groups=3, pads=[0,1,0,0], strides=[1,1]")),
        StrCat("%x : float32[2,2,4,5] = input\n%w : float32[3,2,1,1]", six,
               DepthwiseText("%x, %w", "groups=1, pads=[0,0,0,0], strides=[1,1]")),
        StrCat("%x : float32[2,3,2,5] = input\n", kFactors,
               DepthwiseText("%x, %w", "groups=3, pads=[1,0,1,0], strides=[1,1]"))})
    ExpectPass(ScaleChannels, kept, kept);
}

}  // namespace
}  // namespace vta::compiler
