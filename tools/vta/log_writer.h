// Messages, as the logging library writes them.
#pragma once

#include "tools/shared/log.h"

namespace vta::tools {

/// "PROGRAM: MESSAGE" on stderr; with colours the program's name has that of the level.
LogWriter LibraryWriter(const LogOptions& options);

}  // namespace vta::tools
