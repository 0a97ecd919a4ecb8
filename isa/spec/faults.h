// What can be illegal about an instruction, a row each. The module that meets it halts; the code is
// what the status register reports. Encoding faults are met before the instruction's tokens are
// popped, the others while it runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::isa {

enum class Fault : uint8_t {
  kNone = 0,
  kIllegalOpcode = 1,
  kIllegalMemoryType = 2,
  kIllegalDependency = 3,
  kIllegalPadding = 4,
  kIllegalAluOperation = 5,
  kIllegalMode = 6,
  kIndexOutOfRange = 7,
  kBusError = 8,
};

struct FaultSpec {
  Fault code;
  std::string_view name;
  bool at_decode;
  std::string_view meaning;
};

inline constexpr FaultSpec kFaults[] = {
    {Fault::kNone, "none", false, "no fault"},
    {Fault::kIllegalOpcode, "illegal opcode", true,
     "the opcode names no instruction of this config"},
    {Fault::kIllegalMemoryType, "illegal memory type", true,
     "LOAD or STORE of a type that does not exist, cannot move that way, or whose extension is "
     "off"},
    {Fault::kIllegalDependency, "illegal dependency", true,
     "a token bit towards a neighbour that the module does not have"},
    {Fault::kIllegalPadding, "illegal padding", true, "LOAD of uop with a pad size other than 0"},
    {Fault::kIllegalAluOperation, "illegal ALU operation", true,
     "the ALU opcode names no operation of this config, or requant or lut has an immediate"},
    {Fault::kIllegalMode, "illegal mode", true, "SET of a mode or value that does not exist"},
    {Fault::kIndexOutOfRange, "index out of range", false,
     "a scratchpad or micro-op index past its buffer; nothing of that micro-op or element is "
     "written"},
    {Fault::kBusError, "bus error", false,
     "the memory refused an address; nothing of that element is written"},
};

constexpr const FaultSpec& Spec(Fault fault) { return kFaults[static_cast<int>(fault)]; }

}  // namespace vta::isa
