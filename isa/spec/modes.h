// The modes that SET changes, a row each. A launch starts with every mode 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/spec/modules.h"
#include "isa/spec/parameters.h"

namespace vta::isa {

enum class Mode : uint8_t { kPadLoad = 0, kPadCompute = 1, kRounding = 2 };
inline constexpr int kModes = 3;

struct ModeSpec {
  Mode code;
  std::string_view name;
  Module module;
  int64_t Arch::*flag;  // the extension it belongs to
  int64_t high;         // values 0..high are legal
  std::string_view meaning;
};

inline constexpr ModeSpec kModeTable[] = {
    {Mode::kPadLoad, "pad_load", Module::kLoad, &Arch::pad_value, 255,
     "the byte that a LOAD of inp or wgt with pad_select pads with"},
    {Mode::kPadCompute, "pad_compute", Module::kCompute, &Arch::pad_value, 255,
     "the byte, sign-extended to 32 bits, that a LOAD of acc or acc8 with pad_select pads with"},
    {Mode::kRounding, "rounding", Module::kCompute, &Arch::requant, 1,
     "rounding of requant: 0 single, 1 double"},
};

/// The row of a wire value, or nullptr where the value names nothing or its extension is off.
constexpr const ModeSpec* FindMode(const Arch& arch, int64_t code) {
  for (const ModeSpec& row : kModeTable)
    if (static_cast<int64_t>(row.code) == code) return arch.*row.flag ? &row : nullptr;
  return nullptr;
}

}  // namespace vta::isa
