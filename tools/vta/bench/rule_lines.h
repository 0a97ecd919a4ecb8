// How much is written for each target: counted when the tool is built.
#pragma once

#include <cstdint>

namespace vta::tools {

struct RuleLines {
  const char* target;
  int64_t lines;  // of C++, in its folder of compiler/targets
};
extern const RuleLines kRuleLines[3];

}  // namespace vta::tools
