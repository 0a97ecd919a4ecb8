// A program with the memory around it: what the checker proves and what machines run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/check/check.h"
#include "isa/codec.h"

namespace vta::test {

struct TestProgram {
  isa::Config config;
  std::vector<isa::Instruction> instructions;
  std::vector<uint8_t> memory;  // DRAM before the launch, micro-ops included
  std::array<int64_t, isa::kBaseRegisters> bases = {};
  int64_t instruction_address = -1;

  isa::Report Check() const;
};

/// Appends a micro-op table to the memory (aligned to 4 bytes); returns its first micro-op's index
/// from base 0.
int64_t AppendUops(TestProgram& program, const std::vector<isa::Uop>& uops);

/// Names of the findings in order, for messages and comparisons.
std::vector<std::string> KindsOf(const isa::Report& report);

}  // namespace vta::test
