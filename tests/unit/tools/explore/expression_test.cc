#include "tools/explore/expression.h"

#include <gmock/gmock.h>

#include <map>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double ValueOfText(const std::string& text) {
  const std::map<std::string, double> values = {{"arch.block_in", 16}, {"uarch.bus_bits", 64}};
  return Expression::Parse(text, "s.json", "arch.x.expr").Evaluate([&](const std::string& name) {
    return values.at(name);
  });
}

std::string TextErrorOf(const std::string& text) {
  try {
    ValueOfText(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Expression, ComputesAsSchoolDoes) {
  EXPECT_EQ(ValueOfText("1 + 2 * 3"), 7);
  EXPECT_EQ(ValueOfText("(1 + 2) * 3"), 9);
  EXPECT_EQ(ValueOfText("10 - 3 - 2"), 5);
  EXPECT_EQ(ValueOfText("64 / 4 / 2"), 8);
  EXPECT_EQ(ValueOfText("max(arch.block_in, uarch.bus_bits / 8)"), 16);
  EXPECT_EQ(ValueOfText("min(arch.block_in,min(9, 8)) * 2"), 16);
  EXPECT_EQ(ValueOfText("arch.block_in * 3 / 2"), 24);
}

TEST(Expression, ComparisonsAreOneOrZero) {
  for (const char* const holds : {"1 < 2", "2 <= 2", "3 > 2", "3 >= 3", "4 == 4", "4 != 5"})
    EXPECT_EQ(ValueOfText(holds), 1) << holds;
  for (const char* const fails : {"2 < 2", "3 <= 2", "2 > 2", "2 >= 3", "4 == 5", "4 != 4"})
    EXPECT_EQ(ValueOfText(fails), 0) << fails;
  EXPECT_EQ(ValueOfText("(arch.block_in > 8) * 5"), 5);
}

TEST(Expression, NamesWhatItNeeds) {
  EXPECT_THAT(Expression::Parse("arch.a * arch.b + min(arch.a, 2)", "s.json", "x").names(),
              ElementsAre("arch.a", "arch.b"));
}

TEST(Expression, RefusesWhatIsNone) {
  EXPECT_EQ(TextErrorOf("1 +"),
            "s.json: arch.x.expr = 1 +: must have a number, a name or a ( at character 4");
  EXPECT_THAT(TextErrorOf("2 3"), HasSubstr("an operator or its end at character 3"));
  EXPECT_THAT(TextErrorOf("max(1)"), HasSubstr("a , at character 6"));
  EXPECT_THAT(TextErrorOf("(1"), HasSubstr("a ) at character 3"));
  EXPECT_THAT(TextErrorOf("1 / (2 - 2)"), HasSubstr("1 / 0: must not divide by 0"));
  EXPECT_THAT(TextErrorOf("99999999999999999999"), HasSubstr("a number of 64 bits"));
  EXPECT_THAT(TextErrorOf(std::string(1000, '(')), HasSubstr("at most 64 levels"));
  std::string chain = "1";
  for (int i = 0; i < 100'000; ++i) chain += "+1";
  EXPECT_THAT(TextErrorOf(chain), HasSubstr("at most 1000 operators"));
  EXPECT_THAT(TextErrorOf("system(1)"), HasSubstr("an operator or its end at character 7"));
}

}  // namespace
}  // namespace vta::tools
