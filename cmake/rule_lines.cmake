# Writes OUTPUT, a C++ file with how many lines the rules of each target have, as they stand in ROOT, where it would differ from what
# is there.
set(rows)
foreach(target cpu cuda vta)
  file(GLOB_RECURSE files ${ROOT}/compiler/targets/${target}/*.cc ${ROOT}/compiler/targets/${target}/*.h)
  set(count 0)
  foreach(file ${files})
    file(READ ${file} text)
    string(REGEX MATCHALL "\n" ends "${text}")
    list(LENGTH ends lines)
    math(EXPR count "${count} + ${lines}")
  endforeach()
  list(APPEND rows "{\"${target}\", ${count}}")
endforeach()
list(JOIN rows ", " rows)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "tools/vta/bench/rule_lines.h"

namespace vta::tools {
const RuleLines kRuleLines[3] = {@rows@};
}  // namespace vta::tools
]])
