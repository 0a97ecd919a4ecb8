// Whether a binary program stays within the subset of ISA 0.0.2 on which all published executors
// agree (spec/published.h), or which rule it breaks where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/check/check.h"
#include "isa/spec/published.h"

namespace vta::isa {

/// One place where a rule is broken.
struct PublishedBreak {
  int64_t instruction = -1;  // -1: the config, or the program as a whole
  std::string message;
};

struct BrokenRule {
  PublishedRule rule = PublishedRule::kVersion;
  int64_t count = 0;                  // instructions
  std::vector<PublishedBreak> first;  // at most kMostPublishedBreaks of them
};
inline constexpr int64_t kMostPublishedBreaks = 5;

struct PublishedReport {
  std::vector<std::string> notes;  // extensions of the config that no published hardware has
  std::vector<BrokenRule> broken;  // in the order of kPublishedRules
  /// Whether every rule was decided. Otherwise the proof (Check) refuses the program: what it does
  /// is not known beforehand, and no executor has to agree with another.
  bool complete = true;

  bool ok() const { return complete && broken.empty(); }
};

/// Decides every rule exactly, but for tensor_shift: an accumulator row counts as known where it
/// was loaded from bytes of the image that no STORE touched (or is reset or a pad), also after min
/// and max with immediates; everything else that ALU or GEMM computed is not known, which breaks
/// the rule. Timing: as Check, and linear in the bytes that are loaded into accumulators. Errors:
/// as Check.
PublishedReport CheckPublished(const Config& config, const Launch& launch);

/// For people: the broken rules, what each executor makes of them, and where.
std::string PublishedToText(const PublishedReport& report);
/// For machines.
std::string PublishedToJson(const PublishedReport& report);

}  // namespace vta::isa
