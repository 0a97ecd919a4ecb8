#include "tools/timing/design.h"

#include <algorithm>
#include <sstream>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/rtl/build.h"
#include "tools/area/area.h"

namespace vta::tools {
namespace {

// SystemVerilog without what stands behind "//", and without empty lines.
std::string WithoutComments(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find("//"), line.size()));
    line.erase(line.find_last_not_of(" \t") + 1);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

// What changes no hardware takes one value.
isa::Config Hardware(isa::Config config) {
  config.uarch.clock_mhz = isa::Uarch().clock_mhz;
  config.memory = isa::Memory();
  return config;
}

std::vector<std::string> RowWords(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word && !word.starts_with('#');) words.push_back(word);
  return words;
}

}  // namespace

bool IsSameHardware(const isa::Config& a, const isa::Config& b) {
  const isa::Config left = Hardware(a), right = Hardware(b);
  return left.version == right.version && left.arch == right.arch && left.uarch == right.uarch;
}

bool KeptDesign::IsOf(const KeptDesign& other) const {
  return family == other.family && IsSameHardware(config, other.config);
}

KeptDesign ReadDesign(JsonReader& reader) {
  KeptDesign kept;
  kept.family = reader.String("family");
  if (std::ranges::none_of(PartNames(), [&](const std::string& part) {
        return FindPart(part).family == kept.family;
      }))
    throw reader.Fail("family", "is no part's");
  kept.yosys = reader.String("yosys");
  kept.design = reader.String("design");
  kept.config = isa::ParseConfig(reader.Any("config").Dump(-1), reader.file());
  return kept;
}

Json ToJson(const KeptDesign& kept) {
  const Json whole = Json::Parse(isa::ConfigToJson(kept.config), "config");
  Json config;
  for (const char* const key : {"name", "isa", "arch", "uarch"}) config.Set(key, *whole.Find(key));
  return Json()
      .Set("family", kept.family)
      .Set("yosys", kept.yosys)
      .Set("design", kept.design)
      .Set("config", std::move(config));
}

Hasher HashDesign(const isa::Config& config, const std::string& script,
                  const std::string& sources) {
  Hasher hasher;
  hasher.Text(WithoutComments(isa::SystemVerilogPackage(Hardware(config))));
  for (const std::string& file : sim::DesignFiles(sources))
    if (file.starts_with("hw/rtl/"))
      hasher.Text(WithoutComments(ReadTextFile(sources + "/" + file)));
  hasher.Text(ReadTextFile(sources + "/hw/synth/" + script));
  return hasher;
}

std::vector<KeptRow> KeptRows(std::string_view text) {
  std::vector<KeptRow> rows;
  std::istringstream lines{std::string(text)};
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (auto words = RowWords(line); !words.empty())
      rows.push_back({StrCat("line ", number), std::move(words)});
  }
  return rows;
}

std::string WithRow(const std::string& text, const std::string& row, size_t keys) {
  const std::vector<std::string> wanted = RowWords(row);
  std::istringstream lines(text);
  std::string out;
  bool is_in = false;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = RowWords(line);
    const bool is_this =
        words.size() >= keys && std::equal(words.begin(), words.begin() + keys, wanted.begin());
    out += is_this ? row : line + "\n";
    is_in |= is_this;
  }
  return is_in ? out : out + row;
}

}  // namespace vta::tools
