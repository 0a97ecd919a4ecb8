// Normalisations of lines as networks write them.
#include "compiler/graph/ops.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

std::string NormText(const std::string& lines) {
  return StrCat(R"(%x : float32[2,3,5] = input
%epsilon : float32[] = const [1e-05]
%one : float32[] = const [1.0]
)",
                lines, "output \"y\" = %y\n");
}

const std::string kCentred = R"(%m : float32[2,3,1] = reduce_mean(%x) {axes=[2], keepdims=1} "m"
%d : float32[2,3,5] = sub(%x, %m) "d"
)",
                  kSpread = R"(%q : float32[2,3,5] = mul(%d, %d) "q"
%v : float32[2,3,1] = reduce_mean(%q) {axes=[2], keepdims=1} "v"
%e : float32[2,3,1] = add(%v, %epsilon) "e"
%s : float32[2,3,1] = sqrt(%e) "s"
)",
                  kQuotient = "%y : float32[2,3,5] = div(%d, %s) \"y\"\n";

TEST(JoinNorms, FindsQuotientsAndProducts) {
  const std::string inverse = "%r : float32[2,3,1] = div(%one, %s) \"r\"\n";
  for (const std::string& last : {kQuotient, inverse + "%y : float32[2,3,5] = mul(%d, %r) \"y\"\n",
                                  inverse + "%y : float32[2,3,5] = mul(%r, %d) \"y\"\n"})
    ExpectPass(JoinNorms, NormText(kCentred + kSpread + last), R"(%x : float32[2,3,5] = input
%y : float32[2,3,5] = normalize(%x) {axis=2, centred=1, epsilon=9.999999747378752e-06} "y"
output "y" = %y
)",
               1e-5);
}

TEST(JoinNorms, SquaresMayBePowers) {
  std::string spread = kSpread + kQuotient;
  spread.replace(spread.find("mul(%d, %d)"), 11, "pow(%d, %two)");
  const auto text = [&](const std::string& power) {
    return NormText(StrCat("%two : float32[] = const [", power, "]\n", kCentred, spread));
  };
  ExpectPass(JoinNorms, text("2.0"), R"(%x : float32[2,3,5] = input
%y : float32[2,3,5] = normalize(%x) {axis=2, centred=1, epsilon=9.999999747378752e-06} "y"
output "y" = %y
)",
             1e-5);
  EXPECT_EQ(JoinNorms(Parse(text("4.0")), {}).nodes().back().op, Op::kDiv);
}

TEST(JoinNorms, OfWhatIsNotCentredTheSquaresCount) {
  std::string spread = kSpread + kQuotient;
  for (size_t at; (at = spread.find("%d")) != std::string::npos;) spread.replace(at, 2, "%x");
  ExpectPass(JoinNorms, NormText(spread), R"(%x : float32[2,3,5] = input
%y : float32[2,3,5] = normalize(%x) {axis=2, centred=0, epsilon=9.999999747378752e-06} "y"
output "y" = %y
)",
             1e-5);
}

TEST(JoinNorms, LeavesWhatIsNearlyOne) {
  const auto ops = [](const std::string& lines) {
    std::vector<Op> found;
    const Graph joined = JoinNorms(Parse(NormText(lines)), {});
    for (const Node& node : joined.nodes()) found.push_back(node.op);
    return found;
  };
  const auto count = [&](const std::string& lines) {
    return std::ranges::count(ops(lines), Op::kNormalize);
  };
  const std::string whole = kCentred + kSpread + kQuotient;
  ASSERT_EQ(count(whole), 1);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  // Another dividend; a square of two; a variance over two axes.
  EXPECT_EQ(count(with("div(%d, %s)", "div(%x, %s)")), 0);
  EXPECT_EQ(count(with("mul(%d, %d)", "mul(%d, %x)")), 0);
  // Of the mean of another axis only the squares are joined.
  const std::string other =
      with("[2,3,1] = reduce_mean(%x) {axes=[2]", "[2,1,5] = reduce_mean(%x) {axes=[1]");
  const Graph joined = JoinNorms(Parse(NormText(other)), {});
  EXPECT_EQ(joined.nodes().back().Int("centred"), 0);
}

}  // namespace
}  // namespace vta::compiler
