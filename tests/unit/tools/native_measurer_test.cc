// Kernels measured on this machine, in a process of their own.
#include "tools/vta/common/trials/native_measurer.h"

#include <gtest/gtest.h>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::tools {
namespace {

/// y[i] = x[i] + `added`, so many times.
compiler::tune::Trial Added(int64_t times, int64_t added, const std::string& workload) {
  const std::string text =
      StrCat("func f(x: int32[64], y: int32[64]) {\n  for t in ", times,
             " {\n    for i in 64 {\n      block y(vi: 64 = i) {\n        y[vi] = x[vi] + ", added,
             "i32\n      }\n    }\n  }\n}\n");
  return {.code = compiler::KernelCode{{compiler::loop::Parse(text)}, {}}, .workload = workload};
}

NativeMeasurer Measurer(int limit_ms = NativeMeasurer::kLimitMs) {
  return NativeMeasurer(NativeCpu(), AllowedCores().back(), limit_ms);
}

TEST(NativeMeasurer, TakesTimeAndComparesOutputs) {
  const NativeMeasurer measurer = Measurer();
  EXPECT_TRUE(measurer.is_noisy());
  EXPECT_EQ(measurer.Hash(), Measurer().Hash());
  const int64_t ns = measurer.Measure(Added(1, 7, "w"));
  EXPECT_GT(ns, 0);
  EXPECT_LT(ns, 1'000'000);
  measurer.Measure(Added(3, 7, "w"));
  EXPECT_EQ(ErrorOf([&] { measurer.Measure(Added(1, 8, "w")); }),
            "trial: outputs: must be those of the first trial");
  measurer.Measure(Added(1, 8, "other"));
  measurer.Measure(Added(1, 9, ""));
}

TEST(NativeMeasurer, StopsWhatTakesTooLong) {
  EXPECT_EQ(ErrorOf([&] { Measurer(0).Measure(Added(1, 7, "w")); }),
            "trial: time = more than 0 ms: is too long");
}

}  // namespace
}  // namespace vta::tools
