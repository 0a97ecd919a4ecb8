// docs/report.md has every key of a report, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "isa/support/file.h"
#include "isa/support/json.h"
#include "tests/support/files.h"
#include "tools/report/report.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

using Names = std::set<std::string, std::less<>>;

// What of a path differs with the hardware has one name there.
std::string General(const std::string& path) {
  const std::pair<const char*, const char*> kRules[] = {
      {"^(vta|cpu|gpu|copies|total)\\.", "layers."},
      {"^(layers\\.(?:modules|causes|path))\\.(?:fetch|load|compute|store)", "$1.UNIT"},
      {"^(layers\\.(?:causes|path)\\.UNIT)\\..*", "$1.CAUSE"},
      {"^(layers\\.counters\\.instructions)\\..*", "$1.KIND"},
      {"^(layers\\.counters\\.bytes)\\..*", "$1.MEMORY"},
      {"^(layers\\.counters\\.tokens)\\..*", "$1.QUEUE"},
      {"^(layers\\.work)\\..*", "$1.KIND"},
      {"^(layers\\.host_ms)\\..*", "$1.CPU"}};
  std::string text = path;
  for (const auto& [from, to] : kRules) text = std::regex_replace(text, std::regex(from), to);
  return text;
}

// The paths of all keys.
void Collect(const Json& json, const std::string& path, Names& keys) {
  if (const Json::Array* items = json.as_array())
    for (const Json& item : *items) Collect(item, path, keys);
  if (const Json::Object* members = json.as_object())
    for (const auto& [key, value] : *members) {
      const std::string inner = General(path.empty() ? key : path + "." + key);
      keys.insert(inner);
      Collect(value, inner, keys);
    }
}

// What stands between backticks in the rows of the tables under a heading.
Names Quoted(const std::string& page, const std::string& heading, const std::string& end) {
  const size_t begin = page.find(heading);
  EXPECT_NE(begin, std::string::npos) << heading;
  const std::string part = page.substr(begin, page.find(end, begin) - begin);
  Names names;
  const std::regex row("\n\\| ([^\n]*)"), name("`([A-Za-z_.]+)`");
  for (std::sregex_iterator line(part.begin(), part.end(), row), none; line != none; ++line) {
    const std::string text = (*line)[1];
    for (std::sregex_iterator word(text.begin(), text.end(), name); word != none; ++word)
      names.insert((*word)[1]);
  }
  return names;
}

RunReport WholeReport() {
  RunReport report{"m", "c", "cycle", 1, 2, 3};
  report.clock_mhz = 100, report.macs_per_cycle = 256;
  report.estimate = ClockEstimate{&FindPart("xc7z020"), 100, 50, 40, 60, false};
  LayerReport conv{"conv", {"conv2d_i8", "", 100}}, pack{"pack", {"pack", "", 0, "because"}};
  conv.where = "vta", pack.where = "cpu";
  conv.facts.bounds = {5, 8, "passes"};
  conv.counters.instructions[0] = 1;
  conv.counters.time = isa::Time{10};
  conv.counters.causes.emplace();
  conv.counters.estimated_cycles = 11;
  conv.launch = 0;
  conv.energy_mj = 0.5;
  conv.facts.off_by = 3;
  pack.facts.work = isa::WorkCounts{1, 1, 1, 1, 1};
  pack.host_ms = {1, 2};
  LayerReport copy{"copy", {"copy"}};
  copy.where = "to cuda", copy.is_copy = true;
  report.gpu = "cuda", report.memory.gpu = 1;
  report.load.emplace();
  report.layers = {conv, pack, copy};
  report.modelled.emplace();
  report.measured.emplace().runs = 1;
  report.timing.emplace().results = {1.0};
  for (const HostCpu& cpu : kHostCpus) report.hosts.push_back({cpu, 1, 2});
  report.between_launches = 7;
  report.assumed.emplace();
  report.inexact = {1, 2, 3};
  report.layers[1].slow = {2, 1};
  report.energy = Energy{"28nm", "ddr3", 1, {{"MACs", "MAC", "operation", 100, 0.3}}};
  return report;
}

TEST(ReportSchema, EveryKeyStandsOnItsPageAndNoOther) {
  Names written;
  Collect(ReportJson(WholeReport()), "", written);
  const std::string page = ReadTextFile(SourcePath("docs/report.md"));
  Names documented = Quoted(page, "\n## JSON", "\nThe timeline is not in it");
  // Objects of which the page names the members.
  for (const char* outer :
       {"layers.counters.instructions", "layers.counters.bytes", "layers.counters.tokens",
        "layers.modules", "layers.causes", "layers.causes.UNIT", "layers.path", "layers.path.UNIT",
        "layers.work", "layers.host_ms"})
    documented.insert(outer);
  EXPECT_EQ(written, documented);
}

// Each kind of document has its schema, of its version, and its row; there are no others.
TEST(Documents, EachHasItsSchemaAndItsRow) {
  const std::string page = ReadTextFile(SourcePath("docs/json.md"));
  size_t rows = 0;
  for (size_t at = 0; (at = page.find("\n| [`vta-", at)) != std::string::npos; ++at) ++rows;
  EXPECT_EQ(rows, std::size(kDocuments));
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(SourcePath("docs/schemas")))
    files.insert(file.path().filename().string());
  for (const DocumentKind* kind : kDocuments) {
    const std::string name = StrCat(kind->schema, ".json");
    EXPECT_EQ(files.erase(name), 1u) << name;
    EXPECT_THAT(page, testing::HasSubstr(StrCat("\n| [`", kind->schema, "`](schemas/", name,
                                                ") | `", kind->writer, "`")));
    const Json schema = Json::Parse(ReadTextFile(SourcePath("docs/schemas/" + name)), name);
    const Json* head = schema.Find("properties");
    EXPECT_EQ(*schema.Find("$id")->as_string(), name);
    EXPECT_EQ(*head->Find("schema")->Find("const")->as_string(), kind->schema);
    EXPECT_EQ(*head->Find("version")->Find("const")->as_int(), kind->version);
    EXPECT_EQ(HeadOf(*kind).Dump(-1),
              StrCat(R"({"schema":")", kind->schema, R"(","version":)", kind->version, "}"));
  }
  EXPECT_THAT(files, testing::ElementsAre("vta-space.json"));  // of what the tool reads
}

TEST(ReportSchema, EveryCauseStandsOnItsPageAndNoOther) {
  Names causes;
  for (int c = 0; c < isa::kCauses; ++c)
    causes.insert(std::string(isa::CauseName(static_cast<isa::Cause>(c))));
  EXPECT_EQ(causes, Quoted(ReadTextFile(SourcePath("docs/report.md")), "\nA CAUSE is one of",
                           "\n`run` adds to it"));
}

}  // namespace
}  // namespace vta::tools
