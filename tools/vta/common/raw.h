// Raw folders: the launches of a network as flat DRAM images, for machines and simulators that know
// nothing of packages. Each launch has an image (file offset = address, all base registers 0), the
// image as it must be after it, and its entry in launches.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/package.h"

namespace vta::tools {

struct RawLaunch {
  std::string name;             // of the package's step
  std::string image, expected;  // files
  uint64_t address = 0;         // of the first instruction
  int64_t count = 0;
};

struct RawFolder {
  isa::Config config;
  std::vector<RawLaunch> launches;
};

/// Runs one inference on random inputs drawn from `seed` on the functional engine, and writes every
/// launch: what it loads, its instructions after the arena, zeros elsewhere. `file` names the
/// package in errors. launches.json is written last. Returns the number of launches.
/// Errors: throws Error where something cannot be written, or as runtime::Session.
int64_t WriteRawFolder(const isa::Package& package, const std::string& file,
                       const std::string& folder, uint64_t seed);

/// Whether a path is a folder.
bool IsRawFolder(const std::string& path);
/// Errors: throws Error naming file, place, value and rule.
RawFolder ReadRawFolder(const std::string& folder);

}  // namespace vta::tools
