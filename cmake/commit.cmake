# Writes OUTPUT, a C++ file with the commit of the clone SOURCE, where it would differ from what is there: called at each build.
set(commit unknown)
if(EXISTS ${SOURCE}/.git)  # not that of a clone around an unpacked archive
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "tools/shared/version.h"

namespace vta::tools {
const char kCommit[] = "@commit@";
}  // namespace vta::tools
]])
