// What CheckPublished found, as text and as JSON.
#include "isa/check/published.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

constexpr std::string_view kIncomplete = "not all rules are decided: the proof refuses the program";

}  // namespace

std::string PublishedToText(const PublishedReport& report) {
  std::string out = "published       ";
  if (report.ok())
    out += "functional, hls and rtl agree on it\n";
  else if (report.broken.empty())
    out += "not decided\n";
  else
    out += StrCat(Counted(report.broken.size(), "rule"), " broken\n");
  for (const std::string& note : report.notes) out += StrCat("  ", note, "\n");
  if (!report.complete) out += StrCat("  ", kIncomplete, "\n");
  for (const BrokenRule& broken : report.broken) {
    const PublishedRuleSpec& spec = Spec(broken.rule);
    out += StrCat("  ", spec.name, ": ", spec.rule, "\n");
    for (int i = 0; i < kPublishedExecutors; ++i)
      if (!spec.does[i].empty())
        out += StrCat("    ", kPublishedExecutorTable[i].name, ": ", spec.does[i], "\n");
    for (const PublishedBreak& one : broken.first)
      out += one.instruction < 0
                 ? StrCat("    ", one.message, "\n")
                 : StrCat("    instruction ", one.instruction, ": ", one.message, "\n");
    const int64_t more = broken.count - std::ssize(broken.first);
    if (more > 0) out += StrCat("    and ", more, " more\n");
  }
  return out;
}

std::string PublishedToJson(const PublishedReport& report) {
  Json::Array notes, rules;
  for (const std::string& note : report.notes) notes.push_back(note);
  for (const BrokenRule& broken : report.broken) {
    const PublishedRuleSpec& spec = Spec(broken.rule);
    Json does;
    for (int i = 0; i < kPublishedExecutors; ++i)
      if (!spec.does[i].empty())
        does.Set(std::string(kPublishedExecutorTable[i].name), std::string(spec.does[i]));
    Json::Array first;
    for (const PublishedBreak& one : broken.first) {
      Json entry;
      if (one.instruction >= 0) entry.Set("instruction", one.instruction);
      first.push_back(entry.Set("message", one.message));
    }
    rules.push_back(Json()
                        .Set("name", std::string(spec.name))
                        .Set("rule", std::string(spec.rule))
                        .Set("executors", std::move(does))
                        .Set("count", broken.count)
                        .Set("first", std::move(first)));
  }
  return Json()
             .Set("ok", report.ok())
             .Set("complete", report.complete)
             .Set("notes", std::move(notes))
             .Set("broken", std::move(rules))
             .Dump() +
         "\n";
}

}  // namespace vta::isa
