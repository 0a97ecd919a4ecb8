// The table of the timing numbers has each that timing.h defines, under its name.
#include "isa/spec/timing_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "isa/support/file.h"
#include "tests/support/files.h"

namespace vta::isa::timing {
namespace {

TEST(TimingTable, HasEveryNumberOnce) {
  const std::string text = ReadTextFile(SourcePath("isa/spec/timing.h"));
  const std::regex defined("constexpr int64_t (k[A-Za-z]+) =\\s*([0-9]*)");
  size_t numbers = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), defined), end; it != end; ++it) {
    ++numbers;
    const auto has_name = [&](const Number& row) { return row.name == it->str(1); };
    EXPECT_EQ(std::ranges::count_if(kNumbers, has_name), 1) << it->str(1);
    if (!it->str(2).empty()) {
      EXPECT_EQ(Find(it->str(1)).value, std::stoll(it->str(2)));
    }
  }
  EXPECT_EQ(numbers, std::size(kNumbers));
}

}  // namespace
}  // namespace vta::isa::timing
