// Which hardware a config is, whatever it is called and however fast its clock: what figures that
// are kept of a design belong to.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/support/hash.h"

namespace vta::tools {

/// All of arch, and uarch but for the clock.
bool IsSameHardware(const isa::Config& a, const isa::Config& b);

/// The RTL and the config's package without their comments, and a script of hw/synth.
/// Errors: throws Error when a file of `sources` cannot be read.
Hasher HashDesign(const isa::Config& config, const std::string& script, const std::string& sources);

/// The words of a row of hw/synth/*.txt; '#' begins a comment.
std::vector<std::string> RowWords(const std::string& line);

/// The rows of such a file, with this one in place of the one that has its first `keys` words, or
/// at the end.
std::string WithRow(const std::string& text, const std::string& row, size_t keys);

}  // namespace vta::tools
