// Builds the model of a config with Verilator when it is needed, and keeps it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/config.h"

namespace vta::sim {

/// Another top than the machine, whose ports are found by name (vta_model_find).
struct ModelTop {
  std::string module;
  std::vector<std::string> files;  // beside the design's, from the top of the sources
  std::string flags = {};          // more of Verilator's
};

struct ModelOptions {
  bool waves = false;  // can write FST, several times slower
  /// Builds in a quarter of the time, runs four times slower; so does every model where
  /// $VTA_RTL_BUILD is "quick".
  bool quick = false;
  std::optional<ModelTop> top = {};
  std::string model = {};  // the path of one that is built: nothing is
  /// Where models are kept; empty: $VTA_CACHE_DIR, or vta/ in the user's cache folder.
  std::string cache_dir = {};
  std::string source_dir = {};  // see HardwareSources
  /// Is told what takes long, before it begins: a build, the wait for another process that builds.
  std::function<void(const std::string&)> on_wait = {};
};

/// The folder of the option, without it that of the user; it need not be there.
std::string CacheDir(const ModelOptions& options = {});

/// Where hw/ and sim/rtl/model/ lie: the option, or the first place of ShippedPath that has them.
/// Errors: as ShippedPath.
std::string HardwareSources(const ModelOptions& options = {});

/// The design's files (hw/vta.f), from the top of the sources.
std::vector<std::string> DesignFiles(const std::string& source_dir);

/// The path of the shared object of a config's model. Models are found by a hash of everything they
/// are made from; one that is not whole is built again, and a build that does not end leaves
/// nothing but its log. Those that shall run fast (none of the kinds above) are compiled twice, the
/// second time with what the first one counted in a launch (training.h). Where $VTA_COVERAGE_DIR
/// names a folder, models count lines and toggles, several times slower, and each instance writes a
/// file into it when it ends. Errors: throws Error when $VTA_RTL_BUILD is neither quick nor fast,
/// when the hardware cannot be built for the config, when that is no folder, when verilator is
/// missing, when the cache cannot be written, and when the build fails, with the tool's message and
/// where its log is; and Interrupted.
std::string BuildModel(const isa::Config& config, const ModelOptions& options = {});

}  // namespace vta::sim
