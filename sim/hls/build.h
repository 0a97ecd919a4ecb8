// Compiles the kernels of hw/hls for a config when it is needed, and keeps what came of it.
#pragma once

#include <functional>
#include <string>

#include "isa/config.h"

namespace vta::sim {

struct HlsBuild {
  std::string cache_dir = {};   // see CacheFolder
  std::string source_dir = {};  // where hw/ and sim/hls/model/ lie; "": where they are shipped
  /// The folder of a vendor's hls_stream.h, whose streams never refuse a word. Kernels are then
  /// compiled without a warning, or not at all, and end at undefined behaviour. "": ours.
  std::string headers = {};
  std::function<void(const std::string&)> on_wait = {};  // as ModelOptions
};

/// The path of the shared object. Errors: throws Error when the hardware cannot be built for the
/// config, when there is no compiler, and as BuildOnce.
std::string BuildHls(const isa::Config& config, const HlsBuild& options = {});

}  // namespace vta::sim
