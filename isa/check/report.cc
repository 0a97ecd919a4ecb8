// The report as text and as JSON.
#include "isa/check/check.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

std::string Place(const Finding& finding) {
  std::string out;
  if (finding.instruction >= 0) out = StrCat("instruction ", finding.instruction);
  if (finding.other >= 0) out += StrCat(" and ", finding.other);
  return out.empty() ? "program" : out;
}

template <size_t kCount, typename Table>
Json ByName(const std::array<int64_t, kCount>& values, const Table& table) {
  Json out;
  for (size_t i = 0; i < kCount; ++i) out.Set(std::string(table[i].name), values[i]);
  return out;
}

template <size_t kCount, typename Table>
std::string ListByName(const std::array<int64_t, kCount>& values, const Table& table) {
  std::string out;
  for (size_t i = 0; i < kCount; ++i) out += StrCat(i ? ", " : "", table[i].name, " ", values[i]);
  return out;
}

Json FindingToJson(const Finding& finding) {
  Json out;
  out.Set("kind", std::string(Spec(finding.kind).name));
  if (finding.instruction >= 0) out.Set("instruction", finding.instruction);
  if (finding.other >= 0) out.Set("other", finding.other);
  if (!finding.memory.empty())
    out.Set("memory", finding.memory).Set("begin", finding.begin).Set("end", finding.end);
  if (finding.module) out.Set("module", std::string(Spec(*finding.module).name));
  if (finding.queue) out.Set("queue", std::string(Spec(*finding.queue).name));
  out.Set("message", finding.message);
  return out;
}

}  // namespace

std::string ReportToText(const Report& report) {
  const Statistics& s = report.statistics;
  const int64_t count = static_cast<int64_t>(report.findings.size()) + report.findings_left_out;
  std::string out = report.ok() ? "proved\n" : StrCat("refused: ", Counted(count, "finding"), "\n");
  for (const Finding& finding : report.findings)
    out += StrCat("  ", Place(finding), ": ", Spec(finding.kind).name, ": ", finding.message,
                  "\n    rule: ", Spec(finding.kind).rule, "\n");
  if (report.findings_left_out) out += StrCat("  and ", report.findings_left_out, " more\n");
  out += StrCat("instructions    ", s.instructions, " (", ListByName(s.by_module, kModuleTable),
                ")\n");
  out += StrCat("token carriers  ", ListByName(s.token_carriers, kModuleTable), "\n");
  out += StrCat("micro-ops       ", s.uops_executed, " executed, ", s.uops_loaded, " loaded, ",
                s.kernels, " distinct kernels\n");
  out += StrCat("most tokens     ", ListByName(s.occupancy, kQueueTable), "\n");
  out += StrCat("tokens left     ", ListByName(s.left_over, kQueueTable), "\n");
  out += StrCat("serially legal  ", s.serially_legal ? "yes" : "no", "\n");
  out += StrCat("scan time       ", static_cast<double>(s.scan_ns / 1000) / 1000.0, " ms\n");
  return out;
}

std::string ReportToJson(const Report& report) {
  const Statistics& s = report.statistics;
  Json::Array findings;
  for (const Finding& finding : report.findings) findings.push_back(FindingToJson(finding));
  Json statistics;
  statistics.Set("instructions", s.instructions)
      .Set("by_module", ByName(s.by_module, kModuleTable))
      .Set("token_carriers", ByName(s.token_carriers, kModuleTable))
      .Set("uops_executed", s.uops_executed)
      .Set("uops_loaded", s.uops_loaded)
      .Set("kernels", s.kernels)
      .Set("occupancy", ByName(s.occupancy, kQueueTable))
      .Set("left_over", ByName(s.left_over, kQueueTable))
      .Set("serially_legal", s.serially_legal);
  Json out;
  out.Set("ok", report.ok())
      .Set("findings", std::move(findings))
      .Set("findings_left_out", report.findings_left_out)
      .Set("statistics", std::move(statistics));
  return out.Dump() + "\n";
}

}  // namespace vta::isa
