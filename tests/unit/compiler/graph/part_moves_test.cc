// Slices of codes that leave blocks: which of them move their own.
#include <map>

#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

const std::string kHead = R"(%x : int8[1,2,3,3,1,4] = input
%z : int8[1,8,3,3] = input
%u : int8[1,8,3,3] = unpack(%x) {shape=[1,8,3,3]} "u"
%c : int8[1,16,3,3] = concat(%z, %u) {axis=1} "c"
%f : int8[1,2,8,3,3] = reshape(%c) {shape=[1,2,8,3,3]} "f"
%t : int8[1,8,2,3,3] = transpose(%f) {perm=[0,2,1,3,4]} "t"
%s : int8[1,16,3,3] = reshape(%t) {shape=[1,16,3,3]} "s"
)";

std::string Slice(const std::string& name, int64_t from, int64_t channels,
                  const std::string& of = "s") {
  return StrCat("%", name, " : int8[1,", channels, ",3,3] = slice(%", of, ") {shape=[1,", channels,
                ",3,3], starts=[0,", from, ",0,0], steps=[1,1,1,1]} \"", name, "\"\noutput \"",
                name, "\" = %", name, "\n");
}

using Ops = std::map<Op, int>;

Ops After(const std::string& text) {
  const Graph parted = PartMoves(Parse(text), {});
  ExpectPass(PartMoves, text, Body(parted), 0, {});
  Ops ops;
  for (const Node& node : parted.nodes()) ++ops[node.op];
  return ops;
}

TEST(PartMoves, EachSliceMovesItsOwn) {
  EXPECT_EQ(After(kHead + Slice("l", 0, 8) + Slice("r", 8, 8)), (Ops{{Op::kUnpack, 2},
                                                                     {Op::kConcat, 2},
                                                                     {Op::kReshape, 4},
                                                                     {Op::kTranspose, 2},
                                                                     {Op::kSlice, 2}}));
  EXPECT_EQ(After(kHead + Slice("l", 0, 5) + Slice("m", 5, 5) + Slice("r", 10, 6))[Op::kUnpack], 3);
}

TEST(PartMoves, BeginWithWhatAnotherSliceTook) {
  // As in a chain of halves that are shuffled: the left one of each goes on to the next.
  const std::string other = R"(%y : int8[1,2,3,3,1,4] = input
%v : int8[1,8,3,3] = unpack(%y) {shape=[1,8,3,3]} "v"
)";
  const std::string left =
      R"(%l : int8[1,8,3,3] = slice(%s) {shape=[1,8,3,3], starts=[0,0,0,0], steps=[1,1,1,1]} "l"
)" + Slice("r", 8, 8);
  const std::string next = "%d : int8[1,16,3,3] = concat(%l, %v) {axis=1} \"d\"\n" +
                           Slice("m", 0, 8, "d") + Slice("n", 8, 8, "d");
  const Ops ops{
      {Op::kUnpack, 4}, {Op::kConcat, 4}, {Op::kReshape, 4}, {Op::kTranspose, 2}, {Op::kSlice, 4}};
  EXPECT_EQ(After(kHead + left + other + next), ops);
  EXPECT_EQ(After(kHead + other + left + next), ops);
}

TEST(PartMoves, OneOfSeveralInputsAndTheOthersOnce) {
  const std::string two = R"(%x : int8[1,2,3,3,1,4] = input
%y : int8[1,2,3,3,1,4] = input
%u : int8[1,8,3,3] = unpack(%x) {shape=[1,8,3,3]} "u"
%v : int8[1,8,3,3] = unpack(%y) {shape=[1,8,3,3]} "v"
%s : int8[1,16,3,3] = concat(%v, %u) {axis=1} "s"
)";
  EXPECT_EQ(After(two + Slice("l", 0, 8) + Slice("r", 8, 8)),
            (Ops{{Op::kUnpack, 3}, {Op::kConcat, 2}, {Op::kSlice, 2}}));
}

TEST(PartMoves, NotWhereMoreIsMovedThanThereIsOrOthersReadIt) {
  const Ops whole{
      {Op::kUnpack, 1}, {Op::kConcat, 1}, {Op::kReshape, 2}, {Op::kTranspose, 1}, {Op::kSlice, 2}};
  EXPECT_EQ(After(kHead + Slice("l", 0, 9) + Slice("r", 8, 8)), whole);
  EXPECT_EQ(After(kHead + Slice("l", 0, 8) + Slice("r", 8, 8) + "output \"s\" = %s\n"), whole);
  // What another one reads is moved once; it is no part of what leaves blocks.
  EXPECT_EQ(After(kHead + Slice("l", 0, 8) + Slice("r", 8, 8) + "output \"u\" = %u\n"), whole);
  const std::string plain =
      "%x : int8[1,8,3,3] = input\n%p : int8[1,10,3,3] = pad(%x) {mode=\"constant\", "
      "pads=[0,1,0,0,0,1,0,0], value=0.0} \"p\"\n";
  EXPECT_EQ(After(plain + Slice("l", 0, 5, "p") + Slice("r", 5, 5, "p"))[Op::kPad], 1);
}

}  // namespace
}  // namespace vta::compiler
