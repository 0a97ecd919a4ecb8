// Random programs for any config, legal and illegal, made from the rows of the spec.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/support/test_program.h"

namespace vta::test {

enum class ProgramKind : uint8_t {
  kOverlapped,  // pipelines of load, compute and store over a few slots, ordered by tokens
  kSerial,      // random instructions, each module's turn handed on by tokens
  kIllegal,     // one of these two with encodings, indices, addresses or tokens that are wrong
  kTokens,      // instructions that move no data, with random tokens: deadlocks and full queues
  kRacy,    // pipelines with wrong tokens: values depend on timing, how the launch ends does not
  kBeside,  // ALU instructions in a bank, and what may run beside them, or must not
};
inline constexpr int kProgramKinds = 6;
std::string_view ProgramKindName(ProgramKind kind);

/// A program, and how it lies in memory.
struct RtlProgram {
  TestProgram program;
  int64_t code_offset = 0;  // bytes from a page to the first instruction, a multiple of 16
  /// The stream ends where the memory does, and the launch asks for so many instructions more.
  int64_t fetch_past = 0;
};

/// The same arguments give the same program. All but racy ones are free of races.
RtlProgram RandomRtlProgram(const isa::Config& config, ProgramKind kind, uint64_t seed);

/// Writes every row of every scratchpad.
RtlProgram RefillProgram(const isa::Config& config, uint64_t seed);

}  // namespace vta::test
