#include "tools/shared/nearest.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <vector>

namespace vta::tools {
namespace {

TEST(TypingErrorsTest, CountsByHand) {
  EXPECT_EQ(TypingErrors("", ""), 0u);
  EXPECT_EQ(TypingErrors("run", "run"), 0u);
  EXPECT_EQ(TypingErrors("", "abc"), 3u);
  EXPECT_EQ(TypingErrors("rnu", "run"), 1u);         // swapped
  EXPECT_EQ(TypingErrors("comple", "compile"), 1u);  // left out
  EXPECT_EQ(TypingErrors("ruun", "run"), 1u);        // put in
  EXPECT_EQ(TypingErrors("ran", "run"), 1u);         // exchanged
  EXPECT_EQ(TypingErrors("kitten", "sitting"), 3u);
  EXPECT_EQ(TypingErrors("ca", "abc"), 3u);  // a swapped pair is not edited again
}

// The same number by search: all words that so many errors lead to.
size_t BySearch(const std::string& from, const std::string& to) {
  const std::function<size_t(size_t, size_t)> least = [&](size_t i, size_t j) -> size_t {
    if (i == from.size()) return to.size() - j;
    if (j == to.size()) return from.size() - i;
    if (from[i] == to[j]) return least(i + 1, j + 1);
    size_t best = 1 + std::min({least(i + 1, j), least(i, j + 1), least(i + 1, j + 1)});
    if (i + 1 < from.size() && j + 1 < to.size() && from[i] == to[j + 1] && from[i + 1] == to[j])
      best = std::min(best, 1 + least(i + 2, j + 2));
    return best;
  };
  return least(0, 0);
}

TEST(TypingErrorsTest, EqualsTheSearchOnRandomWords) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string a(random() % 7, ' '), b(random() % 7, ' ');
    for (std::string* word : {&a, &b})
      for (char& c : *word) c = static_cast<char>('a' + random() % 3);
    ASSERT_EQ(TypingErrors(a, b), BySearch(a, b)) << a << " " << b;
    ASSERT_EQ(TypingErrors(b, a), TypingErrors(a, b)) << a << " " << b;
  }
}

TEST(NearestTest, NamesOneOrTwoErrorsAwayAndNotTheWholeWord) {
  const std::vector<std::string> names = {"run", "--engine", "-c", "compile"};
  EXPECT_EQ(Nearest("rnu", names), "run");
  EXPECT_EQ(Nearest("--enigne", names), "--engine");
  EXPECT_EQ(Nearest("engine", names), "--engine");
  EXPECT_EQ(Nearest("comple", names), "compile");
  EXPECT_EQ(Nearest("COMPILE", names), "compile");
  EXPECT_EQ(Nearest("-C", names), "-c");
  EXPECT_EQ(Nearest("xyz", names), "");
  EXPECT_EQ(Nearest("x", names), "");
  EXPECT_EQ(Nearest("-x", names), "");
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("--", names), "");
  EXPECT_EQ(Nearest(std::string(1 << 20, 'r'), names), "");
  EXPECT_EQ(DidYouMean("rnu", names), "; did you mean run?");
  EXPECT_EQ(DidYouMean("xyz", names), "");
}

}  // namespace
}  // namespace vta::tools
