// Which vta this is.
#pragma once

#include <string>

namespace vta::tools {

/// The commit that a program was built from, "-dirty" behind it where files differed from it;
/// "unknown" outside a clone. cmake/commit.cmake writes it at each build, and only programs link
/// it.
extern const char kCommit[];

/// The project's version, "0.1.0": CMakeLists.txt has it.
std::string Version();

/// The first line of what --version prints, and a hash of the program that runs, or of the file
/// that has its code: of a build that makes other code, another text. Errors: as ReadFile.
std::string ThisBuild(const std::string& version_text, const std::string& file = "/proc/self/exe");

/// What --version prints: the program's version, its commit, how it was built, the package format
/// and the ISAs that it knows and, of one that `compiles`, the version of LLVM. No end of line.
std::string VersionText(const std::string& program, const std::string& commit, bool compiles);

}  // namespace vta::tools
