#include "compiler/tune/space.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/unit/compiler/tune/fake_space.h"

namespace vta::compiler::tune {
namespace {

TEST(Space, PointsAsText) {
  const FakeSpace space;
  EXPECT_EQ(SizeOf(space), 20);
  EXPECT_EQ(Print(space.Choices(), {4, 1}), "digit=4 bit=1");
  EXPECT_EQ(ParsePoint(space.Choices(), "digit=4 bit=1"), (Point{4, 1}));
  EXPECT_EQ(ParsePoint(space.Choices(), "  bit=0   digit=9 "), (Point{9, 0}));
}

TEST(Space, TextThatIsNoPoint) {
  const FakeSpace space;
  const auto error = [&](const std::string& text) {
    return ErrorOf([&] { ParsePoint(space.Choices(), text); });
  };
  EXPECT_EQ(error("digit=4"), "point: choice = bit: is missing");
  EXPECT_EQ(error("digit=4 bit=1 bit=1"), "point: choice = bit: is given twice");
  EXPECT_EQ(error("digit=4 bit"), "point: choice = bit: must be NAME=VALUE of the space");
  EXPECT_EQ(error("digit=4 bite=1"), "point: choice = bite=1: must be NAME=VALUE of the space");
  EXPECT_EQ(error("digit=10 bit=1"), "digit: value = 10: must be one of 10 values from 0 to 9");
  EXPECT_EQ(error("digit=1x bit=1"), "digit: value = 1x: must be one of 10 values from 0 to 9");
}

}  // namespace
}  // namespace vta::compiler::tune
