#include "tools/shared/version.h"

#include "isa/config.h"
#include "isa/package_format.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "runtime/cpu_features.h"

// The build defines VTA_VERSION, VTA_BUILD, VTA_COMPILER, VTA_OPTIONS and VTA_LLVM.

namespace vta::tools {

std::string Version() { return VTA_VERSION; }

std::string VersionText(const std::string& program, const std::string& commit, bool compiles) {
  return StrCat(program, " ", Version(), "\ncommit: ", commit, "\nbuild: ", VTA_BUILD, ", ",
                VTA_COMPILER, ", ", runtime::kBuildArch, ", ", VTA_OPTIONS,
                "\npackage format: ", isa::kPackageMagic,
                "\nISA: ", isa::VersionName(isa::Version::k002), ", ",
                isa::VersionName(isa::Version::k100), compiles ? StrCat("\nLLVM: ", VTA_LLVM) : "");
}

std::string ThisBuild(const std::string& version_text, const std::string& file) {
  const uint64_t program = Hasher().Bytes(ReadFile(file)).value();
  return StrCat(version_text.substr(0, version_text.find('\n')), ", ", Hex(program, 16));
}

}  // namespace vta::tools
