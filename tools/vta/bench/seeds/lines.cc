// The table of vta bench seeds about how much is written for a device: the rules that make kernels
// here, beside kernels that were written by hand.
#include <algorithm>
#include <string_view>

#include "isa/support/error.h"
#include "tools/vta/bench/rule_lines.h"
#include "tools/vta/bench/seeds/seeds.h"

namespace vta::tools {

SeedsTable SeedsLines(const SeedsOptions&, Progress&) {
  constexpr int64_t kLinesByHand = 13'000;  // ncnn's, as S2 counts them
  constexpr struct {
    const char *target, *what;
  } kMade[] = {
      {"cpu", "rules for kernels of all operators, float32 and int8, x86 and Arm"},
      {"cuda", "rules for kernels of all operators, CUDA and OpenCL"},
      {"vta", "rules for programs of all operators, every variant of the accelerator"},
  };
  SeedsTable table{{{"what", "what"}, {"lines", "lines"}}, {}};
  for (const auto& made : kMade) {
    const auto rules =
        std::ranges::find(kRuleLines, std::string_view(made.target), &RuleLines::target);
    table.rows.push_back({made.what, rules->lines});
  }
  table.rows.push_back({"ncnn: kernels by hand, convolutions of 3x3, Arm", kLinesByHand});
  table.notes = {
      "lines of C++ with their comments, of compiler/targets; expressions, loops and the steps of "
      "schedules are all targets' and not counted"};
  return table;
}

}  // namespace vta::tools
