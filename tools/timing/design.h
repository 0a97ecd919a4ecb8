// Which hardware a config is, whatever it is called and however fast its clock: what figures that
// are kept of a design belong to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/support/hash.h"
#include "isa/support/json.h"

namespace vta::tools {

/// All of arch, and uarch but for the clock.
bool IsSameHardware(const isa::Config& a, const isa::Config& b);

/// Of a config what says which hardware it is, and its name: what ParseConfig takes.
Json HardwareJson(const isa::Config& config);

/// The RTL and the config's package without their comments, and a script of hw/synth.
/// Errors: throws Error when a file of `sources` cannot be read.
Hasher HashDesign(const isa::Config& config, const std::string& script, const std::string& sources);

/// A row of hw/synth/*.txt: its words, of which it has one at least, and where it stands.
struct KeptRow {
  std::string place;  // "line 3"
  std::vector<std::string> words;
};
/// Those of such a text; '#' begins a comment.
std::vector<KeptRow> KeptRows(std::string_view text);

/// The rows of such a file, with this one in place of the one that has its first `keys` words, or
/// at the end.
std::string WithRow(const std::string& text, const std::string& row, size_t keys);

}  // namespace vta::tools
