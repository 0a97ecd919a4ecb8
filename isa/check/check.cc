// The stages of the proof, in order.
#include "isa/check/check.h"

#include <algorithm>
#include <chrono>

#include "isa/check/collector.h"
#include "isa/check/order.h"
#include "isa/check/proof.h"
#include "isa/check/steps.h"
#include "isa/spec/memories.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

/// Addresses stay below this, so that sums of them can not overflow.
constexpr int64_t kMostBytes = int64_t{1} << 48;

void CheckAddress(std::string_view what, int64_t value) {
  if (value < 0 || value > kMostBytes)
    throw Error("launch", std::string(what), std::to_string(value),
                StrCat("must be in [0, ", kMostBytes, "]"));
}

void ValidateLaunch(const Launch& launch) {
  CheckAddress("memory_bytes", launch.memory_bytes);
  for (int64_t base : launch.bases) CheckAddress("base register", base);
  std::vector<const ImagePart*> parts;
  for (const ImagePart& part : launch.image) {
    CheckAddress("image part", part.address);
    parts.push_back(&part);
  }
  std::ranges::sort(parts, {}, &ImagePart::address);
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i - 1]->address + std::ssize(parts[i - 1]->bytes) > parts[i]->address)
      throw Error("launch", "image part", Hex(parts[i]->address), "must not overlap another part");
}

void CheckProgramPlace(const Launch& launch, Collector& findings) {
  if (launch.instruction_address < 0) return;
  CheckAddress("instruction_address", launch.instruction_address);
  const int64_t end =
      launch.instruction_address + std::ssize(launch.instructions) * kInstructionBytes;
  if (end > launch.memory_bytes)
    findings.Add({.kind = FindingKind::kMemoryOutOfRange,
                  .memory = "dram",
                  .begin = launch.instruction_address,
                  .end = end,
                  .message = StrCat("the program lies up to byte ", Hex(end - 1), " of ",
                                    Hex(launch.memory_bytes))});
}

}  // namespace

Report Check(const Config& config, const Launch& launch) {
  const auto start = std::chrono::steady_clock::now();
  ValidateLaunch(launch);
  Report report;
  Collector findings(&report);
  CheckProgramPlace(launch, findings);
  const Layout layout(config);
  Steps resolved = Resolve(layout, launch, findings, report.statistics);
  if (resolved.legal)
    if (auto order = FindOrder(config, launch, resolved.steps, findings, report.statistics))
      ProveOrder(layout, launch, resolved, *order, findings, report.statistics);
  report.statistics.scan_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
          .count();
  return report;
}

}  // namespace vta::isa
