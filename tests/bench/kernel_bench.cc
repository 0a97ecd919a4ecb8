// Speed of native kernels on one core, beside the peak of its multiply-adds: convolutions over
// blocks of 16 channels, each computed in tiles of columns and blocks of outputs that stay in
// registers until bias and relu, or requantisation, are applied to them. Runs on x86-64 with
// AVX-512 and VNNI; --dump FOLDER writes kernels' texts.
#include <cstdio>
#include <cstring>

#include "tests/bench/kernel_conv.h"

using namespace vta;
using namespace vta::compiler::bench;

namespace {

struct Row {
  const char* name;
  Conv conv;
};

// Columns times blocks, blocks and one must fit into the registers together: 32 of 512 bits, or 16
// of 256, where a block takes two.
constexpr Row kWide[] = {
    {"3x3", {64, 64, 56, 3, 1, 14, 2}},      {"3x3_s2", {64, 128, 28, 3, 2, 14, 2}},
    {"1x1", {64, 256, 56, 1, 1, 14, 2}},     {"1x1_s2", {256, 128, 28, 1, 2, 14, 2}},
    {"3x3_14", {256, 256, 14, 3, 1, 14, 2}}, {"3x3_7", {512, 512, 7, 3, 1, 7, 2}},
    {"1x1_7", {512, 2048, 7, 1, 1, 7, 2}},   {"tail", {64, 64, 54, 3, 1, 14, 2}}};
constexpr Row kNarrow[] = {{"3x3", {64, 64, 56, 3, 1, 6, 1}},
                           {"1x1", {64, 256, 56, 1, 1, 6, 1}},
                           {"3x3_7", {512, 512, 7, 3, 1, 4, 1}}};

}  // namespace

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512vnni"))
    return std::puts("this CPU has no AVX-512 with VNNI"), 0;
  const char* dump = argc > 2 && std::strcmp(argv[1], "--dump") == 0 ? argv[2] : nullptr;
  const Setting wide{"zen4", 512, dump}, narrow{"x86-64-v3", 256, dump};
  const double floats = FloatPeak(), bytes = BytePeak();
  std::printf("peak %.1f GFLOP/s\n", floats);
  for (const Row& row : kWide) MeasureFloat(wide, row.name, row.conv, floats);
  for (const Row& row : kNarrow) MeasureFloat(narrow, row.name, row.conv, floats);
  std::printf("peak of int8 %.1f GOP/s\n", bytes);
  for (const auto& [rounding, suffix] : {std::pair{isa::Rounding::kSingle, "_single"},
                                         std::pair{isa::Rounding::kDouble, "_double"}}) {
    for (const Row& row : kWide)
      MeasureBytes(wide, row.name + std::string(suffix), row.conv, bytes, rounding);
    for (const Row& row : kNarrow)
      MeasureBytes(narrow, row.name + std::string(suffix), row.conv, bytes, rounding);
  }
  return 0;
}
