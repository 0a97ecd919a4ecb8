// Nouns after numbers.
#include "isa/support/plural.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

TEST(Plural, OneIsNoneOfMany) {
  EXPECT_EQ(Counted(0, "byte"), "0 bytes");
  EXPECT_EQ(Counted(1, "byte"), "1 byte");
  EXPECT_EQ(Counted(2, "byte"), "2 bytes");
  EXPECT_EQ(Counted(-1, "cycle"), "-1 cycles");
  EXPECT_EQ(VerbOf(1, 4, "differ"), "differs");
  EXPECT_EQ(VerbOf(0, 1, "differ"), "differs");
  EXPECT_EQ(VerbOf(0, 4, "differ"), "differ");
  EXPECT_EQ(VerbOf(4, 4, "differ"), "differ");
  EXPECT_EQ(Counted(21, "layer"), "21 layers");
  EXPECT_EQ(Counted(~uint64_t{0}, "byte"), "18446744073709551615 bytes");
}

TEST(Plural, WhatHissesHasASyllableMore) {
  EXPECT_EQ(Plural(2, "launch"), "launches");
  EXPECT_EQ(Plural(2, "class"), "classes");
  EXPECT_EQ(Plural(2, "inference"), "inferences");
  EXPECT_EQ(Plural(1, "launch"), "launch");
}

}  // namespace
}  // namespace vta
