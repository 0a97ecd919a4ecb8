// The registers of isa/spec/registers.h as packagers want them: one entry for what two words hold
// together, and for each word or pair of an array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/spec/registers.h"

namespace vta::isa {

struct HostRegister {
  std::string name;  // "instruction_address", "base_wgt", "counter_3"
  int64_t offset_bytes = 0;
  int64_t bits = 32;  // 64 where a low and a high word make one value
  Access access = Access::kRead;
  bool is_address = false;  // of memory, that the accelerator reads or writes there
  std::string meaning;

  /// The host sets it for a launch; control and interrupts are not of that kind.
  bool IsArgument() const;
};

/// All of them, in order of their offsets.
std::vector<HostRegister> HostRegisters();

}  // namespace vta::isa
