// The fixture of the unit benches: one bench a config, random numbers from a fixed seed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/rtl/bench/bench.h"

namespace vta::test {

class BenchTest : public testing::TestWithParam<isa::Config> {
 protected:
  BenchTest() : bench_(std::make_unique<Bench>(GetParam())) {}
  int32_t Any() { return static_cast<int32_t>(random_()); }
  int64_t UpTo(int64_t high) { return static_cast<int64_t>(random_() % (high + 1)); }
  bool OneIn(int64_t n) { return UpTo(n - 1) == 0; }

  std::unique_ptr<Bench> bench_;
  std::mt19937_64 random_{20};
};

inline std::string ConfigName(const testing::TestParamInfo<isa::Config>& info) {
  return info.param.name;
}

}  // namespace vta::test

namespace vta::isa {
inline void PrintTo(const Config& config, std::ostream* out) { *out << config.name; }
}  // namespace vta::isa
