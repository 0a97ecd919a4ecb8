// Random programs for any config, legal and illegal, made from the rows of the spec.
#pragma once

#include <cstdint>

#include "tests/support/test_program.h"

namespace vta::test {

enum class ProgramKind : uint8_t {
  kSerial,  // random instructions, each module's turn handed on by tokens: free of races
  kTokens,  // instructions that move no data, with random tokens: deadlocks and full queues
};

/// The same arguments give the same program.
TestProgram RandomRtlProgram(const isa::Config& config, ProgramKind kind, uint64_t seed);

}  // namespace vta::test
