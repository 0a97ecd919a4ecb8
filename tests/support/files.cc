#include "tests/support/files.h"

#include <cstdlib>

namespace vta {

std::string SourcePath(std::string_view name) {
  return std::string(VTA_SOURCE_DIR "/").append(name);
}

std::filesystem::path CasesFolder() {
  const char* given = std::getenv("VTA_CASES");
  return given ? given : SourcePath("../shared/cases");
}

}  // namespace vta
