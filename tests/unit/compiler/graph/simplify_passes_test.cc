// Text tests: fold_constants, remove_identities, sink_transposes, fuse_into_layers.
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

TEST(FoldConstants, ComputesOpsOnConstants) {
  ExpectPass(FoldConstants,
             R"(%x : float32[2] = input
%a : float32[2] = const [1.0,2.0]
%b : float32[1] = const [10.0]
%c : float32[2] = add(%a, %b) "add"
%d : float32[1,2] = reshape(%c) {shape=[1,2]} "reshape"
%y : float32[1,2] = mul(%x, %d) "mul"
output "y" = %y
)",
             R"(%x : float32[2] = input
%d : float32[1,2] = const [11.0,12.0]
%y : float32[1,2] = mul(%x, %d) "mul"
output "y" = %y
)");
}

TEST(FoldConstants, DequantisesWhatIsLeft) {
  ExpectPass(FoldDequantized,
             R"(%x : float32[1,1,1,2] = input
%w : uint8[2,1,1,2] = const [0,255,7,8]
%s : float32[2] = const [0.5,2.0]
%z : uint8[2] = const [128,7]
%wr : float32[2,1,1,2] = dequantize(%w, %s, %z) {axis=0} "wr"
%t : float32[2,1,2,1] = transpose(%wr) {perm=[0,1,3,2]} "t"
%c : float32[1,2,1,1] = conv2d(%x, %wr) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
output "y" = %c
output "t" = %t
)",
             R"(%x : float32[1,1,1,2] = input
%wr : float32[2,1,1,2] = const [-64.0,63.5,0.0,2.0]
%c : float32[1,2,1,1] = conv2d(%x, %wr) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
%t : float32[2,1,2,1] = const [-64.0,63.5,0.0,2.0]
output "y" = %c
output "t" = %t
)");
}

TEST(NormalizePipeline, DequantisesNoConstantAtRunTime) {
  // The first layer's result is quantised, the second's is not: it stays real-valued.
  const Graph graph = Parse(R"(%x : int8[1,1,1,2] = input
%s : float32[] = const [0.5]
%z : int8[] = const [0]
%w : uint8[1,1,1,1] = const [255]
%wz : uint8[] = const [3]
%xr : float32[1,1,1,2] = dequantize(%x, %s, %z) {axis=0} "xr"
%wr : float32[1,1,1,1] = dequantize(%w, %s, %wz) {axis=0} "wr"
%c : float32[1,1,1,2] = conv2d(%xr, %wr) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "a"
%q : int8[1,1,1,2] = quantize(%c, %s, %z) {axis=0} "q"
%r : float32[1,1,1,2] = dequantize(%q, %s, %z) {axis=0} "r"
%d : float32[1,1,1,2] = conv2d(%r, %wr) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "b"
output "y" = %d
)");
  const Graph normal = RunPasses(graph, NormalizePipeline(), {});
  EXPECT_NE(Print(normal).find("int16[1,1,1,1] = const [252]"), std::string::npos) << Print(normal);
  EXPECT_NE(Print(normal).find("float32[1,1,1,1] = const [126.0]"), std::string::npos);
  for (const Node& node : normal.nodes())
    EXPECT_FALSE(node.op == Op::kDequantize && normal.constant(node.inputs[0])) << Print(normal);
}

TEST(FoldConstants, KeepsWeightsAsCodes) {
  ExpectPass(FoldConstants,
             R"(%x : float32[1,2] = input
%w : int8[3,2] = const [1,2,3,4,5,6]
%s : float32[3] = const [0.5,0.25,2.0]
%z : int8[3] = const [0,1,2]
%d : float32[3,2] = dequantize(%w, %s, %z) {axis=0} "dq"
%t : float32[2,3] = transpose(%d) {perm=[1,0]} "t"
%y : float32[1,3] = matmul(%x, %t) "mm"
output "y" = %y
)",
             R"(%x : float32[1,2] = input
%w.1 : int8[2,3] = const [1,3,5,2,4,6]
%s : float32[3] = const [0.5,0.25,2.0]
%z : int8[3] = const [0,1,2]
%dq : float32[2,3] = dequantize(%w.1, %s, %z) {axis=1} "dq"
%y : float32[1,3] = matmul(%x, %dq) "mm"
output "y" = %y
)");
}

TEST(RemoveIdentities, DropsWhatChangesNothing) {
  ExpectPass(RemoveIdentities,
             R"(%x : float32[2,3] = input
%a : float32[2,3] = identity(%x) "dropout"
%b : float32[6] = reshape(%a) {shape=[6]} "r1"
%c : float32[3,2] = reshape(%b) {shape=[3,2]} "r2"
%d : float32[3,2] = transpose(%c) {perm=[0,1]} "t"
%e : float32[3,2] = cast(%d) {to="float32"} "cast"
%f : float32[3,2] = relu(%e) "relu"
%g : float32[2,3] = reshape(%f) {shape=[2,3]} "r3"
%h : float32[3,2] = reshape(%g) {shape=[3,2]} "r4"
output "y" = %h
output "x" = %a
)",
             R"(%x : float32[2,3] = input
%c : float32[3,2] = reshape(%x) {shape=[3,2]} "r2"
%f : float32[3,2] = relu(%c) "relu"
output "y" = %f
output "x" = %x
)");
}

TEST(RemoveIdentities, CutsAPictureWhereItIsInterleaved) {
  const std::string input = "%x : float32[1,8,3,4] = input\n";
  const auto picture = [](const std::string& type, const std::string& crops) {
    return type + " = depth_to_space(%x) {blocks=[2,2], crops=" + crops + ", groups=1} \"up\"\n";
  };
  ExpectPass(RemoveIdentities,
             input + picture("%a : float32[1,2,5,8]", "[1,0,0,0]") +
                 "%s : float32[1,2,3,7] = slice(%a) {shape=[1,2,3,7], starts=[0,0,1,0], "
                 "steps=[1,1,1,1]} \"cut\"\noutput \"y\" = %s\n",
             input + picture("%up : float32[1,2,3,7]", "[2,0,1,1]") + "output \"y\" = %up\n");
  // Channels and every second place are no border.
  for (const char* const cut : {"float32[1,1,5,8] = slice(%a) {shape=[1,1,5,8], starts=[0,1,0,0], "
                                "steps=[1,1,1,1]}",
                                "float32[1,2,5,4] = slice(%a) {shape=[1,2,5,4], starts=[0,0,0,0], "
                                "steps=[1,1,1,2]}"}) {
    const std::string text = input + picture("%a : float32[1,2,5,8]", "[1,0,0,0]") + "%s : " + cut +
                             " \"cut\"\noutput \"y\" = %s\n";
    ExpectPass(RemoveIdentities, text, text);
  }
}

TEST(SinkTransposes, CancelsThroughElementwiseOps) {
  ExpectPass(SinkTransposes,
             R"(%x : float32[1,2,3,4] = input
%v : float32[4] = const [1.0,2.0,3.0,4.0]
%a : float32[1,3,4,2] = transpose(%x) {perm=[0,2,3,1]} "to_nhwc"
%b : float32[1,3,4,2] = relu(%a) "relu"
%p : float32[1,3,5,2] = pad(%b) {mode="constant", pads=[0,0,1,0,0,0,0,0], value=0.0} "pad"
%m : float32[1,3,5,2] = mul(%p, %p) "square"
%c : float32[1,2,3,5] = transpose(%m) {perm=[0,3,1,2]} "to_nchw"
output "y" = %c
)",
             R"(%x : float32[1,2,3,4] = input
%relu : float32[1,2,3,4] = relu(%x) "relu"
%pad : float32[1,2,3,5] = pad(%relu) {mode="constant", pads=[0,0,0,1,0,0,0,0], value=0.0} "pad"
%square : float32[1,2,3,5] = mul(%pad, %pad) "square"
output "y" = %square
)");
}

TEST(SinkTransposes, MovesConstantsAxesAndMeans) {
  ExpectPass(SinkTransposes,
             R"(%x : float32[1,2,3,4] = input
%v : float32[2] = const [10.0,20.0]
%a : float32[1,3,4,2] = transpose(%x) {perm=[0,2,3,1]} "to_nhwc"
%b : float32[1,3,4,2] = add(%a, %v) "bias"
%c : float32[1,3,4,4] = concat(%b, %a) {axis=3} "concat"
%d : float32[1,4] = reduce_mean(%c) {axes=[1,2], keepdims=0} "mean"
output "y" = %d
)",
             R"(%x : float32[1,2,3,4] = input
%v.2 : float32[1,2,1,1] = const [10.0,20.0]
%bias.1 : float32[1,2,3,4] = add(%x, %v.2) "bias"
%concat : float32[1,4,3,4] = concat(%bias.1, %x) {axis=1} "concat"
%mean : float32[1,4] = reduce_mean(%concat) {axes=[2,3], keepdims=0} "mean"
output "y" = %mean
)",
             1e-5);
}

TEST(SinkTransposes, PassesSlicesReductionsAndOpsOfTwoOperands) {
  ExpectPass(SinkTransposes,
             R"(%x : float32[1,2,3,4] = input
%v : float32[2] = const [10.0,20.0]
%a : float32[1,3,4,2] = transpose(%x) {perm=[0,2,3,1]} "to_nhwc"
%s : float32[1,2,4,2] = slice(%a) {shape=[1,2,4,2], starts=[0,2,0,0], steps=[1,-1,1,1]} "slice"
%t : float32[1,2,4,2] = tanh(%s) "tanh"
%m : float32[1,2,4,2] = max(%t, %v) "most"
%r : float32[1,2,4] = reduce_max(%m) {axes=[3], keepdims=0} "greatest"
output "y" = %r
)",
             R"(%x : float32[1,2,3,4] = input
%slice : float32[1,2,2,4] = slice(%x) {shape=[1,2,2,4], starts=[0,0,2,0], steps=[1,1,-1,1]} "slice"
%tanh : float32[1,2,2,4] = tanh(%slice) "tanh"
%v.2 : float32[1,2,1,1] = const [10.0,20.0]
%most.1 : float32[1,2,2,4] = max(%tanh, %v.2) "most"
%greatest : float32[1,2,4] = reduce_max(%most.1) {axes=[1], keepdims=0} "greatest"
output "y" = %greatest
)",
             1e-5);
}

/// A gate of each channel that nothing transposes: no element of it moves.
TEST(SinkTransposes, PassesOpsWhoseOtherOperandHasOneAxis) {
  ExpectPass(SinkTransposes,
             R"(%x : float32[1,2,3,4] = input
%g : float32[1,1,1,2] = input
%a : float32[1,3,4,2] = transpose(%x) {perm=[0,2,3,1]} "to_nhwc"
%m : float32[1,3,4,2] = mul(%g, %a) "gate"
%c : float32[1,2,3,4] = transpose(%m) {perm=[0,3,1,2]} "to_nchw"
output "y" = %c
)",
             R"(%x : float32[1,2,3,4] = input
%g : float32[1,1,1,2] = input
%gate : float32[1,2,1,1] = reshape(%g) {shape=[1,2,1,1]} "gate"
%gate.1 : float32[1,2,3,4] = mul(%gate, %x) "gate"
output "y" = %gate.1
)");
}

TEST(SinkTransposes, OfUnitAxesIsAReshape) {
  ExpectPass(SinkTransposes,
             R"(%x : float32[1,4,1,1] = input
%a : float32[1,1,1,4] = transpose(%x) {perm=[0,2,3,1]} "to_nhwc"
output "y" = %a
)",
             R"(%x : float32[1,4,1,1] = input
%to_nhwc : float32[1,1,1,4] = reshape(%x) {shape=[1,1,1,4]} "to_nhwc"
output "y" = %to_nhwc
)");
}

TEST(FuseIntoLayers, TakesPadsAndBiases) {
  ExpectPass(FuseIntoLayers,
             R"(%x : float32[1,1,2,2] = input
%w : float32[2,1,2,1] = const [1.0,2.0,3.0,4.0]
%b : float32[2,1,1] = const [5.0,6.0]
%p : float32[1,1,3,4] = pad(%x) {mode="constant", pads=[0,0,1,0,0,0,0,2], value=0.0} "pad"
%c : float32[1,2,2,6] = conv2d(%p, %w) {dilations=[1,1], groups=1, pads=[0,1,0,1], strides=[1,1]} "conv"
%y : float32[1,2,2,6] = add(%b, %c) "add"
output "y" = %y
)",
             R"(%x : float32[1,1,2,2] = input
%w : float32[2,1,2,1] = const [1.0,2.0,3.0,4.0]
%b.1 : float32[2] = const [5.0,6.0]
%conv : float32[1,2,2,6] = conv2d(%x, %w, %b.1) {dilations=[1,1], groups=1, pads=[1,1,0,3], strides=[1,1]} "conv"
output "y" = %conv
)",
             1e-5);
}

TEST(FuseIntoLayers, TakesFactorsIntoWeightsAndBias) {
  // A batch normalisation: weights * [2, -0.5], bias (5, 6) * [2, -0.5] + (1, 1).
  ExpectPass(FuseIntoLayers,
             R"(%x : float32[1,1,2,2] = input
%w : float32[2,1,2,1] = const [1.0,2.0,3.0,4.0]
%b : float32[2] = const [5.0,6.0]
%f : float32[2,1,1] = const [2.0,-0.5]
%r : float32[2,1,1] = const [1.0,1.0]
%c : float32[1,2,1,2] = conv2d(%x, %w, %b) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
%m : float32[1,2,1,2] = mul(%c, %f) "mul"
%y : float32[1,2,1,2] = add(%m, %r) "add"
output "y" = %y
)",
             R"(%x : float32[1,1,2,2] = input
%w.1 : float32[2,1,2,1] = const [2.0,4.0,-1.5,-2.0]
%conv.bias : float32[2] = const [11.0,-2.0]
%conv.1 : float32[1,2,1,2] = conv2d(%x, %w.1, %conv.bias) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
output "y" = %conv.1
)",
             1e-5);
}

TEST(FuseIntoLayers, TakesFactorsAndBiasesThroughTheInterleavingOfPhases) {
  const auto text = [](const std::string& weights, const std::string& conv,
                       const std::string& end) {
    return "%x : float32[1,2,1,1] = input\n" + weights + conv +
           "{dilations=[1,1], groups=2, pads=[0,0,0,0], strides=[1,1]} \"conv\"\n" + end;
  };
  const std::string up =
      " : float32[1,4,1,2] = depth_to_space(%C) {blocks=[1,2], crops=[0,0,0,0], groups=2} \"up\"\n";
  const auto of = [&](const std::string& conv) {
    return std::string(up).replace(up.find("%C"), 2, conv);
  };
  // Channels 0 and 1 are those of the first phase of the first group, 2 and 3 of its second.
  ExpectPass(FuseIntoLayers,
             text("%w : float32[8,1,1,1] = const [1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]\n"
                  "%f : float32[4,1,1] = const [2.0,-1.0,0.5,3.0]\n"
                  "%r : float32[4,1,1] = const [1.0,2.0,3.0,4.0]\n",
                  "%c : float32[1,8,1,1] = conv2d(%x, %w) ",
                  "%u" + of("%c") +
                      "%m : float32[1,4,1,2] = mul(%u, %f) \"mul\"\n"
                      "%y : float32[1,4,1,2] = add(%m, %r) \"add\"\noutput \"y\" = %y\n"),
             text("%w.1 : float32[8,1,1,1] = const [2.0,-2.0,6.0,-4.0,2.5,18.0,3.5,24.0]\n"
                  "%r.1.1 : float32[8] = const [1.0,2.0,1.0,2.0,3.0,4.0,3.0,4.0]\n",
                  "%conv.1 : float32[1,8,1,1] = conv2d(%x, %w.1, %r.1.1) ",
                  "%up.1" + of("%conv.1") + "output \"y\" = %up.1\n"),
             1e-5);
}

TEST(FuseIntoLayers, TakesFactorsIntoMatricesEitherWayRound) {
  ExpectPass(FuseIntoLayers,
             R"(%x : float32[1,2] = input
%a : float32[2,2] = const [1.0,2.0,3.0,4.0]
%f : float32[2] = const [2.0,4.0]
%b : float32[2] = const [5.0,6.0]
%p : float32[1,2] = matmul(%x, %a) "p"
%q : float32[1,2] = mul(%f, %p) "scale_p"
%r : float32[1,2] = gemm(%q, %a, %b) {alpha=2.0, beta=3.0, trans_a=0, trans_b=1} "r"
%y : float32[1,2] = mul(%r, %f) "scale_r"
output "y" = %y
)",
             R"(%x : float32[1,2] = input
%a.1 : float32[2,2] = const [2.0,8.0,6.0,16.0]
%p.1 : float32[1,2] = gemm(%x, %a.1) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "p"
%a.2 : float32[2,2] = const [2.0,4.0,12.0,16.0]
%b.1 : float32[2] = const [10.0,24.0]
%r.1 : float32[1,2] = gemm(%p.1, %a.2, %b.1) {alpha=2.0, beta=3.0, trans_a=0, trans_b=1} "r"
output "y" = %r.1
)");
}

TEST(FuseIntoLayers, LeavesFactorsOfCodesAndOfWhatOthersRead) {
  for (const char* text : {
           R"(%x : float32[1,2] = input
%codes : int8[2,2] = const [1,2,3,4]
%s : float32[] = const [0.5]
%z : int8[] = const [0]
%w : float32[2,2] = dequantize(%codes, %s, %z) {axis=0} "w"
%p : float32[1,2] = matmul(%x, %w) "p"
%f : float32[2] = const [10.0,100.0]
%y : float32[1,2] = mul(%p, %f) "y"
output "y" = %y
)",
           R"(%x : float32[1,2] = input
%w : float32[2,2] = const [1.0,2.0,3.0,4.0]
%p : float32[1,2] = matmul(%x, %w) "p"
%f : float32[2] = const [10.0,100.0]
%y : float32[1,2] = mul(%p, %f) "y"
output "y" = %y
output "p" = %p
)",
           R"(%x : float32[2,2] = input
%w : float32[2,2] = const [1.0,2.0,3.0,4.0]
%p : float32[2,2] = matmul(%x, %w) "p"
%rows : float32[2,1] = const [10.0,100.0]
%y : float32[2,2] = mul(%p, %rows) "y"
output "y" = %y
)"})
    ExpectPass(FuseIntoLayers, text, text);
}

TEST(FuseIntoLayers, AddsToTheBiasThatIsThere) {
  // 4 * 0.25 + 5 and -8 * 0.25 + 6, then 0.5 for all channels.
  ExpectPass(FuseIntoLayers,
             R"(%x : float32[1,1,2,2] = input
%w : float32[2,1,1,1] = const [1.0,2.0]
%codes : int32[2] = const [4,-8]
%s : float32[] = const [0.25]
%z : int32[] = const [0]
%b : float32[2] = dequantize(%codes, %s, %z) {axis=0} "b"
%more : float32[1,2,1,1] = const [5.0,6.0]
%same : float32[] = const [0.5]
%c : float32[1,2,2,2] = conv2d(%x, %w, %b) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
%d : float32[1,2,2,2] = add(%c, %more) "add"
%y : float32[1,2,2,2] = add(%same, %d) "again"
output "y" = %y
)",
             R"(%x : float32[1,1,2,2] = input
%w : float32[2,1,1,1] = const [1.0,2.0]
%conv.bias.1 : float32[2] = const [6.5,4.5]
%conv.1 : float32[1,2,2,2] = conv2d(%x, %w, %conv.bias.1) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "conv"
output "y" = %conv.1
)",
             1e-5);
}

TEST(FuseIntoLayers, MatmulWithBiasIsGemm) {
  ExpectPass(FuseIntoLayers,
             R"(%x : float32[1,2] = input
%w : float32[2,3] = const [1.0,2.0,3.0,4.0,5.0,6.0]
%b : float32[3] = const [7.0,8.0,9.0]
%m : float32[1,3] = matmul(%x, %w) "mm"
%y : float32[1,3] = add(%m, %b) "add"
output "y" = %y
)",
             R"(%x : float32[1,2] = input
%w : float32[2,3] = const [1.0,2.0,3.0,4.0,5.0,6.0]
%b : float32[3] = const [7.0,8.0,9.0]
%mm : float32[1,3] = gemm(%x, %w, %b) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "mm"
output "y" = %mm
)",
             1e-5);
}

TEST(FuseIntoLayers, KeepsALayerThatOthersRead) {
  const std::string text = R"(%x : float32[1,2] = input
%w : float32[2,1] = const [1.0,2.0]
%m : float32[1,1] = matmul(%x, %w) "mm"
%b : float32[1] = const [7.0]
%y : float32[1,1] = add(%m, %b) "add"
output "y" = %y
output "m" = %m
)";
  ExpectPass(FuseIntoLayers, text, text);
}

TEST(FuseIntoLayers, AStackOfMatricesTakesABias) {
  const std::string x = "%x : float32[2,3,4] = input\n",
                    constants =
                        "%w : float32[4,2] = const [1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]\n"
                        "%b : float32[2] = const [7.0,-9.0]\n";
  const std::string text = x + constants + R"(%m : float32[2,3,2] = matmul(%x, %w) "mm"
%y : float32[2,3,2] = add(%m, %b) "add"
output "y" = %y
)";
  const Graph fused = FuseIntoLayers(Parse(text), {});
  EXPECT_EQ(std::ranges::count(fused.nodes(), Op::kGemm, &Node::op), 1);
  EXPECT_EQ(std::ranges::count(fused.nodes(), Op::kAdd, &Node::op), 0);
  ExpectPass(FuseIntoLayers, text, Body(fused), 1e-5);
}

/// A GELU of %x by these four lines, and what stands for them.
std::string GeluText(const std::string& lines, const std::string& reads) {
  return StrCat(R"(%x : float32[2,3] = input
%root : float32[] = const [1.4142135]
%rec : float32[1] = const [0.70710677]
%one : float32[] = const [1.0]
%half : float32[] = const [0.5]
)",
                lines, "output \"y\" = ", reads, "\n");
}

TEST(JoinGelu, FindsTheProductInEachOrder) {
  const std::string gate = R"(%s : float32[2,3] = div(%x, %root) "s"
%e : float32[2,3] = erf(%s) "e"
%g : float32[2,3] = add(%e, %one) "g"
)";
  const std::string other = R"(%s : float32[2,3] = mul(%rec, %x) "s"
%e : float32[2,3] = erf(%s) "e"
%g : float32[2,3] = add(%one, %e) "g"
)";
  for (const std::string& by : {gate, other})
    for (const char* product :
         {"%p : float32[2,3] = mul(%x, %half) \"p\"\n%y : float32[2,3] = mul(%p, %g) \"y\"\n",
          "%p : float32[2,3] = mul(%x, %g) \"p\"\n%y : float32[2,3] = mul(%half, %p) \"y\"\n",
          "%p : float32[2,3] = mul(%g, %half) \"p\"\n%y : float32[2,3] = mul(%p, %x) \"y\"\n"})
      ExpectPass(JoinGelu, GeluText(StrCat(by, product), "%y"), R"(%x : float32[2,3] = input
%y : float32[2,3] = gelu(%x) "y"
output "y" = %y
)",
                 1e-6);
}

TEST(JoinGelu, LeavesWhatIsNearlyOne) {
  const auto stays = [](const std::string& lines) {
    const std::string text = GeluText(lines, "%y");
    const Graph joined = JoinGelu(Parse(text), {});
    for (const Node& node : joined.nodes()) EXPECT_NE(node.op, Op::kGelu) << text;
  };
  const std::string e =
      "%e : float32[2,3] = erf(%s) \"e\"\n%g : float32[2,3] = add(%e, %one) \"g\"\n";
  const std::string s = "%s : float32[2,3] = mul(%x, %rec) \"s\"\n";
  // Twice as much; of another number than sqrt(2); another x; x twice; a half that is added.
  stays(s + e + "%y : float32[2,3] = mul(%x, %g) \"y\"\n");
  stays("%s : float32[2,3] = mul(%x, %half) \"s\"\n" + e +
        "%p : float32[2,3] = mul(%x, %half) \"p\"\n%y : float32[2,3] = mul(%p, %g) \"y\"\n");
  stays(s + e +
        "%p : float32[2,3] = mul(%e, %half) \"p\"\n%y : float32[2,3] = mul(%p, %g) \"y\"\n");
  stays(s + e +
        "%q : float32[2,3] = mul(%x, %x) \"q\"\n%p : float32[2,3] = mul(%q, %half) \"p\"\n" +
        "%y : float32[2,3] = mul(%p, %g) \"y\"\n");
  stays("%s : float32[2,3] = div(%root, %x) \"s\"\n" + e +
        "%p : float32[2,3] = mul(%x, %half) \"p\"\n%y : float32[2,3] = mul(%p, %g) \"y\"\n");
}

}  // namespace
}  // namespace vta::compiler
