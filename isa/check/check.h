// The proof on a binary program: decodes, finds every row and byte that each instruction touches,
// orders the instructions by their tokens, and says what no timing can break or where one can. It
// knows nothing of how the program was made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/launch.h"
#include "isa/layout.h"
#include "isa/spec/modules.h"

namespace vta::isa {

/// Bytes of DRAM whose content is known before the launch.
struct ImagePart {
  int64_t address = 0;
  std::span<const uint8_t> bytes;
  bool constant = false;  // no STORE may touch it
};

/// Bytes [begin, end) of DRAM.
struct ByteRange {
  int64_t begin = 0, end = 0;
};

/// The bytes that a program shares with what runs before and after it.
struct Interface {
  std::vector<ByteRange> takes;  // a LOAD may touch these, and constant parts of the image
  std::vector<ByteRange> makes;  // STOREs may touch these, and together write all of them
  bool reloads = false;          // what a STORE has written a LOAD behind it may touch, too
};

/// A program as a machine meets it: the words, where they lie, and the memory around them.
/// Units: addresses and sizes in bytes.
struct Launch {
  std::span<const Word> instructions;
  /// Where the words lie in DRAM; negative: outside the memory that a STORE can reach.
  int64_t instruction_address = -1;
  std::array<int64_t, kBaseRegisters> bases = {};  // by BaseRegister()
  /// DRAM is [0, memory_bytes).
  int64_t memory_bytes = 0;
  /// Holds at least the micro-ops. Parts must not overlap.
  std::span<const ImagePart> image;
  /// Absent: every byte of the memory may be loaded and stored.
  std::optional<Interface> interface;
  /// Prove for command queues of any depth, not of the config's: only what is serially legal runs
  /// on each.
  bool any_command_queues = false;
};

enum class FindingKind : uint8_t {
  kDecodeFault,
  kNoFinish,
  kDeadInstruction,
  kDeadlock,
  kTokenCapacity,
  kIndexOutOfRange,
  kMemoryOutOfRange,
  kRace,
  kUninitialisedRead,
  kUnknownUops,
  kOverwrittenUops,
  kOverwrittenProgram,
  kOverwrittenConstant,
  kNotSeriallyLegal,
  kForeignLoad,
  kForeignStore,
  kMissingStore,
};

struct FindingSpec {
  FindingKind code;
  std::string_view name;
  std::string_view rule;
};

inline constexpr FindingSpec kFindings[] = {
    {FindingKind::kDecodeFault, "decode_fault", "every instruction is legal on this config"},
    {FindingKind::kNoFinish, "no_finish", "a program holds a FINISH"},
    {FindingKind::kDeadInstruction, "dead_instruction", "FINISH is the last instruction"},
    {FindingKind::kDeadlock, "deadlock", "every pop meets a push, whatever the timing"},
    {FindingKind::kTokenCapacity, "token_capacity",
     "no order of events puts more than arch.token_capacity tokens into a queue"},
    {FindingKind::kIndexOutOfRange, "index_out_of_range",
     "scratchpad rows and micro-ops lie inside their buffers, factors added"},
    {FindingKind::kMemoryOutOfRange, "memory_out_of_range", "DRAM ranges lie inside the memory"},
    {FindingKind::kRace, "race",
     "of two modules that touch the same rows or bytes, one writing, tokens order them"},
    {FindingKind::kUninitialisedRead, "uninitialised_read",
     "a scratchpad row is written by the program before it is read"},
    {FindingKind::kUnknownUops, "unknown_uops", "the content of each micro-op is known beforehand"},
    {FindingKind::kOverwrittenUops, "overwritten_uops",
     "no STORE touches micro-ops that are loaded later"},
    {FindingKind::kOverwrittenProgram, "overwritten_program",
     "no STORE touches the program itself"},
    {FindingKind::kOverwrittenConstant, "overwritten_constant", "no STORE touches constant data"},
    {FindingKind::kNotSeriallyLegal, "not_serially_legal",
     "each pop has its push earlier in the program, so that no command queue is too short"},
    {FindingKind::kForeignLoad, "foreign_load",
     "a step's program loads constants and the tensors that the step takes"},
    {FindingKind::kForeignStore, "foreign_store",
     "a step's program stores into the tensors that the step makes"},
    {FindingKind::kMissingStore, "missing_store",
     "a step's program stores every byte of the tensors that the step makes"},
};

constexpr const FindingSpec& Spec(FindingKind kind) { return kFindings[static_cast<int>(kind)]; }

/// One thing that is wrong. What does not apply is -1 or empty.
struct Finding {
  FindingKind kind = FindingKind::kDecodeFault;
  int64_t instruction = -1;    // its index in the program
  int64_t other = -1;          // the index of the second instruction of a pair
  std::string memory;          // a scratchpad's name, or "dram"
  int64_t begin = 0, end = 0;  // rows [begin, end) of that scratchpad, or bytes of DRAM
  std::optional<Module> module;
  std::optional<Queue> queue;
  std::string message;
};

struct Statistics {
  int64_t instructions = 0;
  std::array<int64_t, kModules> by_module = {};
  /// Instructions that move and compute nothing and only carry tokens, of each module.
  std::array<int64_t, kModules> token_carriers = {};
  int64_t uops_executed = 0;  // GEMM and ALU, loops unrolled
  int64_t uops_loaded = 0;
  int64_t kernels = 0;  // distinct micro-op sequences
  /// The most tokens that any order of events can gather in each queue, and those left at the end.
  std::array<int64_t, kQueues> occupancy = {};
  std::array<int64_t, kQueues> left_over = {};
  /// Each pop has its push earlier in the program. Otherwise the proof holds for command queues of
  /// at least uarch.command_queue_depth instructions.
  bool serially_legal = false;
  int64_t scan_ns = 0;  // wall time of the proof
};

struct Report {
  std::vector<Finding> findings;  // in program order within each stage; at most kMostFindings
  int64_t findings_left_out = 0;
  Statistics statistics;

  bool ok() const { return findings.empty(); }
};

inline constexpr int64_t kMostFindings = 100;

/// Proves a program or says what is wrong with it. A stage that rests on a refuted one is skipped:
/// no order without legal instructions, no rows and races without an order. Timing: near-linear in
/// instructions and rows touched; loops are not unrolled. Memory: linear in instructions and bytes
/// of micro-ops, and a fixed amount. Errors: throws Error where the launch
/// itself is impossible (negative base, parts that overlap).
Report Check(const Config& config, const Launch& launch);

/// For people: a verdict, the findings each with its rule, the statistics.
std::string ReportToText(const Report& report);
/// For machines; without scan_ns, so that equal programs give equal text.
std::string ReportToJson(const Report& report);

}  // namespace vta::isa
