// The one instruction of x86-64 with which a program may touch a register of a device: a mov of
// 32 bits between memory and a register, or of a constant.
#pragma once

#include <cstdint>
#include <optional>

namespace vta::test::uio {

struct Mov {
  bool is_load = false;
  int bytes = 0;  // of the instruction
  int reg = -1;   // its number in the processor's encoding; none: a constant
  uint32_t constant = 0;
};

/// Nothing where it is another instruction, or of another width.
std::optional<Mov> DecodeMov(const uint8_t* code);

}  // namespace vta::test::uio
