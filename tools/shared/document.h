// JSON that the tool writes for other programs. Each document begins with what it is and the
// version of that; docs/schemas has its JSON Schema, docs/json.md says what a version promises.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/support/json.h"

namespace vta::tools {

/// What a document is.
struct DocumentKind {
  std::string_view schema;
  int64_t version;
  std::string_view writer;
};

inline constexpr DocumentKind kAsmDocument{"vta-asm", 1, "vta asm --json"};
inline constexpr DocumentKind kBenchCpuDocument{"vta-bench-cpu", 1, "vta bench cpu --json"};
inline constexpr DocumentKind kBenchCycleDocument{"vta-bench-cycle", 1, "vta bench cycle --json"};
inline constexpr DocumentKind kBenchExploreDocument{"vta-bench-explore", 1,
                                                    "vta bench explore --json"};
inline constexpr DocumentKind kBenchGpuDocument{"vta-bench-gpu", 1, "vta bench gpu --json"};
inline constexpr DocumentKind kBenchHidingDocument{"vta-bench-hiding", 1,
                                                   "vta bench hiding --json"};
inline constexpr DocumentKind kBenchNetworksDocument{"vta-bench-networks", 1,
                                                     "vta bench networks --json"};
inline constexpr DocumentKind kBenchSeedsDocument{"vta-bench-seeds", 1, "vta bench seeds --json"};
inline constexpr DocumentKind kBenchTuneDocument{"vta-bench-tune", 1, "vta bench tune --json"};
inline constexpr DocumentKind kBenchZooDocument{"vta-bench-zoo", 1, "vta bench zoo --json"};
inline constexpr DocumentKind kBitstreamsDocument{"vta-bitstreams", 1, "vta hw package --manifest"};
inline constexpr DocumentKind kCheckDocument{"vta-check", 1, "vta check --json"};
inline constexpr DocumentKind kDevicesDocument{"vta-devices", 1, "vta devices --json"};
inline constexpr DocumentKind kEvalDocument{"vta-eval", 1, "vta eval --json"};
inline constexpr DocumentKind kExecDocument{"vta-exec", 1, "vta exec --json"};
inline constexpr DocumentKind kExploreDocument{"vta-explore", 1, "vta explore --json"};
inline constexpr DocumentKind kHwTimingDocument{"vta-hw-timing", 1, "vta hw timing --json"};
inline constexpr DocumentKind kLaunchesDocument{"vta-launches", 1, "vta compile --raw"};
inline constexpr DocumentKind kProjectDocument{"vta-project", 1, "vta hw package"};
inline constexpr DocumentKind kReportDocument{"vta-report", 1, "vta run --report"};
inline constexpr DocumentKind kReportDiffDocument{"vta-report-diff", 1, "vta report diff --json"};
inline constexpr DocumentKind kSensitivityDocument{"vta-sensitivity", 1,
                                                   "vta explore --sensitivity --json"};

inline constexpr const DocumentKind* kDocuments[] = {
    &kAsmDocument,        &kBenchCpuDocument,    &kBenchCycleDocument,    &kBenchExploreDocument,
    &kBenchGpuDocument,   &kBenchHidingDocument, &kBenchNetworksDocument, &kBenchSeedsDocument,
    &kBenchTuneDocument,  &kBenchZooDocument,    &kBitstreamsDocument,    &kCheckDocument,
    &kDevicesDocument,    &kEvalDocument,        &kExecDocument,          &kExploreDocument,
    &kHwTimingDocument,   &kLaunchesDocument,    &kProjectDocument,       &kReportDocument,
    &kReportDiffDocument, &kSensitivityDocument};

/// A document with its first two members; the others follow.
Json HeadOf(const DocumentKind& kind);

/// Reads them. The version; 0 of a document without them, which an older tool wrote.
/// Errors: throws Error naming file, place, value and rule where it is of another kind, or of a
/// version that this tool does not know.
int64_t ReadHead(JsonReader& reader, const DocumentKind& kind);

}  // namespace vta::tools
