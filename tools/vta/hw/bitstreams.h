// bitstreams/manifest.json: for each board the variant that its bitstream has, and where it lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/support/json.h"
#include "tools/vta/hw/board.h"

namespace vta::tools {

struct Bitstream {
  std::string board, config;
  std::string arch_hash, timing_hash;  // in hexadecimal
  int64_t clock_mhz = 0;
  std::string file;  // relative to the manifest; it is there once somebody built it
};

/// What project.tcl counted in an implemented design (measured.json), as ResourcesJson says it.
/// Errors: throws Error naming file, key, value and rule, also where it is of another config.
Json MeasuredJson(std::string_view text, const std::string& file, const isa::Config& config,
                  const Part& part);

/// What a config takes of a board's part, who says so, and whether that was measured on an
/// implemented design; null where nobody has said anything.
/// Errors: throws Error for a measured.json of the board that is of another config.
Json ResourcesJson(const isa::Config& config, const Board& board);

/// The manifest of the shipped boards. Errors: those of their files.
std::string ManifestText();

/// Errors: throws Error naming file, key, value and rule.
std::vector<Bitstream> ParseManifest(std::string_view text, const std::string& file);

/// The path of a board's bitstream, for programs of a config.
/// Errors: throws Error where the manifest has no such board, where the bitstream is of another
/// variant (with both hashes), and where nobody has built it yet.
std::string RequireBitstreamFor(const isa::Config& config, const std::string& board,
                                const std::string& manifest);

}  // namespace vta::tools
