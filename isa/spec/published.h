// The subset of ISA 0.0.2 on which all published executors agree, a row each rule: what each of
// them does where a program leaves it. Measured on identical bit streams.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vta::isa {

enum class PublishedExecutor : uint8_t { kFunctional, kHls, kRtl };
inline constexpr int kPublishedExecutors = 3;

struct PublishedExecutorSpec {
  PublishedExecutor code;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr PublishedExecutorSpec kPublishedExecutorTable[] = {
    {PublishedExecutor::kFunctional, "functional", "the functional simulator of apache/tvm-vta"},
    {PublishedExecutor::kHls, "hls",
     "its HLS source, of which the bitstreams for PYNQ and Ultra96 are made, compiled natively"},
    {PublishedExecutor::kRtl, "rtl", "the RTL that its Chisel source generates"},
};

/// What the published executors can do at most.
inline constexpr int64_t kPublishedUops = 2048;  // micro-ops that the RTL holds
inline constexpr int64_t kPublishedTokens = 255;
inline constexpr int64_t kPublishedLeastShift = -16;  // of an immediate; of a tensor 0
inline constexpr int64_t kPublishedMostShift = 15;
struct PublishedColumns {
  int uop = 13, inp = 11, wgt = 10, acc = 11;
};

enum class PublishedRule : uint8_t {
  kVersion,
  kExtension,
  kColumns,
  kResult,
  kReset,
  kImmediateRow,
  kImmediateShift,
  kTensorShift,
  kNeighbours,
  kWeightPads,
  kUopRows,
  kUopIndex,
  kTrips,
  kYSize,
  kTokens,
  kBase,
  kFinish,
};

struct PublishedRuleSpec {
  PublishedRule code;
  std::string_view name;
  std::string_view rule;
  /// What each executor does where the rule is broken; empty: what the contract says.
  std::array<std::string_view, kPublishedExecutors> does;
};

inline constexpr PublishedRuleSpec kPublishedRules[] = {
    {PublishedRule::kVersion,
     "version",
     "only instructions, operations and fields of ISA 0.0.2",
     {"has no such operation; pads with 0", "has no such operation; pads with 0",
      "fetch hangs; pads with 0"}},
    {PublishedRule::kExtension,
     "extension",
     "no mul and no load of acc8",
     {"", "mul writes junk, the load does nothing", "fetch hangs"}},
    {PublishedRule::kColumns,
     "columns",
     "the buffers have the published depths: columns U 13, I 11, W 10, A 11",
     {"", "", "reads the fields at the published bits all the same"}},
    {PublishedRule::kResult,
     "result",
     "what a STORE reads was last written by GEMM or ALU",
     {"stores the low bytes that a LOAD of acc left", "", ""}},
    {PublishedRule::kReset,
     "reset",
     "after a GEMM with reset the row passes GEMM or ALU before a STORE reads it",
     {"", "stores the sum of before with one more product", "stores what was there before"}},
    {PublishedRule::kImmediateRow,
     "immediate_row",
     "an ALU operation with an immediate names the same row as src and dst",
     {"", "", "takes acc[src] instead of acc[dst]"}},
    {PublishedRule::kImmediateShift,
     "immediate_shift",
     "an immediate shifts by -16 to 15",
     {"not defined from 32 on", "takes the low 5 bits as a signed number",
      "takes the low 5 bits and the sign: wrong from 32 on and below -31"}},
    {PublishedRule::kTensorShift,
     "tensor_shift",
     "accumulator rows shift by 0 to 15, and that is known beforehand",
     {"not defined from 32 on", "takes the low 5 bits as a signed number",
      "shifts to the right by the low 5 bits, negative or not"}},
    {PublishedRule::kNeighbours,
     "neighbours",
     "no two neighbouring micro-ops of an ALU instruction have the same dst, and none reads the "
     "dst "
     "of the one before",
     {"", "",
      "the second takes what was there before the first, unless it is a tensor operation on its "
      "own "
      "dst"}},
    {PublishedRule::kWeightPads,
     "weight_pads",
     "a LOAD of wgt has no pads",
     {"", "leaves the pads out: the weights lie elsewhere", ""}},
    {PublishedRule::kUopRows,
     "uop_rows",
     "a LOAD of micro-ops has one row",
     {"", "loads the first row only", ""}},
    {PublishedRule::kUopIndex,
     "uop_index",
     "micro-ops lie below 2048",
     {"", "", "wraps around at 2048"}},
    {PublishedRule::kTrips,
     "trips",
     "GEMM and ALU have at least one trip of each loop and one micro-op",
     {"", "", "hangs, or does nothing"}},
    {PublishedRule::kYSize,
     "y_size",
     "a LOAD or STORE of y_size 0 has x_size 0 too",
     {"", "", "hangs"}},
    {PublishedRule::kTokens,
     "tokens",
     "no order of events puts more than 255 tokens into a queue",
     {"", "", "drops the tokens above 255"}},
    {PublishedRule::kBase,
     "base",
     "a base register and the byte offset of a LOAD or STORE have no bit in common",
     {"", "", "takes base OR offset for the address"}},
    {PublishedRule::kFinish,
     "finish",
     "FINISH is the last instruction, and tokens put all other work before it",
     {"may return early or never", "is done at once", "is done at once"}},
};

constexpr const PublishedRuleSpec& Spec(PublishedRule rule) {
  return kPublishedRules[static_cast<int>(rule)];
}

}  // namespace vta::isa
