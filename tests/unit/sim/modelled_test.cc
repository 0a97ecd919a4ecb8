// A parameter that the cycle model does not know is refused, unless it says what was always so.
#include "sim/cycle/core/modelled.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"

namespace vta::sim::cycle {
namespace {

TEST(Modelled, EveryParameterOfToday) {
  isa::Config config;
  for (const auto& row : isa::kUarchParameters) config.uarch.*row.member = row.high;
  for (const auto& row : isa::kMemoryParameters) config.memory.*row.member = row.high;
  EXPECT_NO_THROW(RequireModelled(config));
}

TEST(Modelled, AnotherOneIsRefusedUnlessAtItsDefault) {
  const std::span<const isa::Parameter<isa::Uarch>> rows = isa::kUarchParameters;
  for (const isa::Parameter<isa::Uarch>& row : rows) {
    std::vector<std::string_view> others;
    for (const std::string_view key : kModelledUarch)
      if (key != row.key) others.push_back(key);
    EXPECT_EQ(FirstUnknown<isa::Uarch>(rows, others, {}), std::nullopt);
    isa::Uarch uarch;
    uarch.*row.member = uarch.*row.member == row.high ? row.low : row.high;
    const auto found = FirstUnknown<isa::Uarch>(rows, others, uarch);
    ASSERT_TRUE(found) << row.key;
    EXPECT_EQ(found->key, row.key);
  }
}

}  // namespace
}  // namespace vta::sim::cycle
