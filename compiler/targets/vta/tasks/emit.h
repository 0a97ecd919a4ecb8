// From task IR to the binary program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"
#include "compiler/targets/vta/tasks/tokens.h"
#include "isa/layout.h"

namespace vta::compiler::targets {

/// What a program is made of; nothing here is measured on a device.
struct ProgramStats {
  std::array<int64_t, isa::kModules> instructions{};
  int64_t uops = 0;  // executed: loop trips times kernel length
  int64_t macs = 0;  // executed, padding included
  std::array<int64_t, std::size(isa::kMemories)> dram_bytes{};  // moved, by memory type
  TokenStats tokens;
};

/// The instruction of one task; tensors lie at their offsets from the base registers.
/// Errors: throws Error if a tensor's offset is no multiple of its element size.
isa::Instruction ToInstruction(const isa::Config& config, const TaskProgram& program,
                               const Task& task);

/// The words of a program whose micro-ops and tokens are placed.
std::vector<isa::Word> EncodeTasks(const isa::Layout& layout, const TaskProgram& program);
/// The same with the tensors at these offsets in bytes, by name.
/// Errors: throws Error naming a tensor that has no offset.
std::vector<isa::Word> LinkTasks(const isa::Layout& layout, TaskProgram program,
                                 const std::map<std::string, int64_t>& offsets);
/// Words as memory holds them.
std::vector<uint8_t> CodeBytes(std::span<const isa::Word> words);
/// Of the micro-op table.
int64_t UopBytes(const TaskProgram& program);
/// The micro-op table: all kernels in order, 4 bytes a micro-op.
std::vector<uint8_t> EncodeKernels(const isa::Layout& layout, const TaskProgram& program);

/// Where the last of the tensors ends. Units: bytes.
int64_t EndOf(const isa::Config& config, const TaskProgram& program);
/// Of each tensor its offset where they lie one behind the other. Units: bytes.
std::vector<int64_t> OffsetsOf(const isa::Config& config, int64_t begin_bytes,
                               const TaskProgram& program);
/// Gives them those. Returns the last one's end in bytes.
int64_t PlaceTensors(const isa::Config& config, int64_t begin_bytes, TaskProgram* program);
/// Places micro-ops (their table becomes tensor kUopTensor) and inserts tokens: what makes lowered
/// tasks, in the order in which they are to run, a program that can be linked. Tensors lie where
/// they do; the micro-op table at `uops_offset_bytes`.
TokenStats ConnectTasks(const isa::Config& config, int64_t uops_offset_bytes, TaskProgram* program);
/// The same of a program alone: its tensors are taken to be disjoint, and lie one behind the other
/// until they are linked.
TokenStats ConnectAlone(const isa::Config& config, TaskProgram* program);
/// Orders tasks for two accumulator banks, connects them, alone, and verifies them.
ProgramStats FinishTasks(const isa::Config& config, TaskProgram* program);
inline constexpr char kUopTensor[] = "uops";

ProgramStats CountStats(const isa::Config& config, const TaskProgram& program);

}  // namespace vta::compiler::targets
