// Where the files and libraries lie that belong to the toolkit's programs.
#pragma once

#include <string>
#include <string_view>

namespace vta {

/// The path of a file or folder that is shipped, by its name in the source tree
/// ("isa/configs/default.json"): in $VTA_HOME, else in share/vta of the folder of the shared object
/// that this is in, as in Python's module, or of the two above it, as in lib/libvta_runtime.so,
/// else in share/vta beside the folder of this program (in a build folder that leads to the
/// sources), else where this build is installed. Errors: throws Error naming the file and the
/// places.
std::string ShippedPath(std::string_view name);

/// The same for a shared library that is a part of the toolkit, in lib/vta of these prefixes;
/// $VTA_HOME is share/vta of the first.
std::string ShippedLibrary(std::string_view name);

}  // namespace vta
