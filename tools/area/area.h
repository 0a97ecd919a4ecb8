// What a synthesised design takes of an FPGA, module by module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/support/json.h"

namespace vta::tools {

/// Units: lookup tables, flip-flops, DSP blocks, block RAMs of 36 kbit.
struct Resources {
  double lut = 0, ff = 0, dsp = 0, bram = 0;
  Resources& operator+=(const Resources& other);
  Resources operator*(double times) const;
  bool operator==(const Resources&) const = default;
};

/// A kind of resource: its key in JSON, and its name in text.
struct ResourceKind {
  std::string_view key, name;
  double Resources::*of;
};
inline constexpr ResourceKind kResourceKinds[] = {{"lut", "LUT", &Resources::lut},
                                                  {"ff", "FF", &Resources::ff},
                                                  {"dsp", "DSP", &Resources::dsp},
                                                  {"bram", "BRAM", &Resources::bram}};
/// A whole one as an integer; halves are of block RAMs.
Json CountJson(double count);
Json ToJson(const Resources& resources);
/// The keys of ToJson among others. Errors: throws Error naming what is no count.
Resources ReadResources(JsonReader& reader);

/// Of all scratchpads together.
int64_t ScratchpadBytes(const isa::Config& config);

struct Part {
  std::string_view name, family, speed, board;  // speed: the grade that timing is estimated for
  Resources offers;
};
std::vector<std::string> PartNames();
/// Errors: throws UsageError listing the parts there are.
const Part& FindPart(const std::string& name);

/// A module, all its instances together.
struct ModuleArea {
  std::string name;
  int64_t instances = 0;
  Resources resources;  // with those of the modules inside
  Resources own;        // without
};

/// The modules of what `stat -json` prints. Yosys 0.23 prints the hierarchy as plain text into it,
/// after them; that is left out.
/// Errors: throws Error where the modules are not JSON.
Json ParseStat(const std::string& text, const std::string& file);

/// From Yosys' `stat -json` of a design that keeps its hierarchy. The first row is `top`; modules
/// that only parameters tell apart are one row.
/// Errors: throws Error when `top` is not in it.
std::vector<ModuleArea> AreaOf(const Json& stat, const std::string& top);

std::string AreaTable(const isa::Config& config, const Part& part,
                      const std::vector<ModuleArea>& modules);

}  // namespace vta::tools
