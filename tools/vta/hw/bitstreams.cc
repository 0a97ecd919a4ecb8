#include "tools/vta/hw/bitstreams.h"

#include <filesystem>
#include <tuple>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/area/kept_area.h"
#include "tools/shared/document.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

Json Counts(const Resources& resources) {
  return Json()
      .Set("lut", CountJson(resources.lut))
      .Set("ff", CountJson(resources.ff))
      .Set("dsp", CountJson(resources.dsp))
      .Set("bram36", CountJson(resources.bram));
}

Json Figures(const Resources& resources, const Part& part, const std::string& by,
             bool is_measured) {
  return Json()
      .Set("takes", Counts(resources))
      .Set("offered", Counts(part.offers))
      .Set("by", by)
      .Set("is_measured", is_measured);
}

std::string Hash(JsonReader& reader, std::string_view key) {
  std::string text = reader.String(key);
  constexpr size_t kDigits = 16;
  if (text.size() != 2 + kDigits || !text.starts_with("0x") ||
      text.find_first_not_of("0123456789abcdef", 2) != std::string::npos)
    throw Error(reader.file(), reader.Place(key), text, "must be 0x and 16 hexadecimal digits");
  return text;
}

Bitstream ReadBitstream(JsonReader reader) {
  Bitstream row;
  row.board = reader.String("board");
  row.config = reader.String("config");
  reader.String("vendor_part");
  row.arch_hash = Hash(reader, "arch_hash");
  row.timing_hash = Hash(reader, "timing_hash");
  row.clock_mhz = reader.Int("clock_mhz", 1, 2000);
  reader.Any("resources");
  row.file = reader.String("file");
  reader.Finish();
  return row;
}

}  // namespace

Json MeasuredJson(std::string_view text, const std::string& file, const isa::Config& config,
                  const Part& part) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  const std::string arch = Hash(reader, "arch_hash"), timing = Hash(reader, "timing_hash");
  for (const auto& [key, have, want] :
       {std::tuple("arch_hash", arch, Hex(isa::ArchHash(config), 16)),
        std::tuple("timing_hash", timing, Hex(isa::TimingHash(config), 16))})
    if (have != want)
      throw Error(file, key, have, StrCat("config ", config.name, " has ", want, ": build again"));
  const Resources resources{reader.Double("lut"), reader.Double("ff"), reader.Double("dsp"),
                            reader.Double("bram36")};
  const std::string by = reader.String("by");
  reader.Double("slack_ns");
  reader.Finish();
  return Figures(resources, part, by, true);
}

Json ResourcesJson(const isa::Config& config, const Board& board) {
  const fs::path measured =
      fs::path(BoardFile(board.name, "board.json")).parent_path() / "measured.json";
  std::error_code ignored;
  const isa::Config shipped = FindConfig(board.config);
  if (fs::exists(measured, ignored) && isa::TimingHash(shipped) == isa::TimingHash(config))
    return MeasuredJson(ReadTextFile(measured), measured, config, *board.part);
  const std::optional<AreaEstimate> estimate = AreaEstimateOf(config, *board.part);
  if (!estimate) return {};
  return Figures(estimate->resources, *board.part,
                 StrCat("Yosys ", estimate->yosys, estimate->is_current ? "" : ", older RTL"),
                 false);
}

std::string ManifestText() {
  Json::Array rows;
  for (const std::string& name : BoardNames()) {
    const Board board = FindBoard(name);
    const isa::Config config = FindConfig(board.config);
    rows.push_back(Json()
                       .Set("board", name)
                       .Set("config", config.name)
                       .Set("vendor_part", board.vendor_part)
                       .Set("arch_hash", Hex(isa::ArchHash(config), 16))
                       .Set("timing_hash", Hex(isa::TimingHash(config), 16))
                       .Set("clock_mhz", config.uarch.clock_mhz)
                       .Set("resources", ResourcesJson(config, board))
                       .Set("file", StrCat("boards/", name, "/vta.bit")));
  }
  return HeadOf(kBitstreamsDocument).Set("bitstreams", rows).Dump() + "\n";
}

std::vector<Bitstream> ParseManifest(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  ReadHead(reader, kBitstreamsDocument);
  std::vector<Bitstream> out;
  for (const Json& row : reader.Array("bitstreams"))
    out.push_back(ReadBitstream(JsonReader(row, file, StrCat("bitstreams[", out.size(), "]"))));
  reader.Finish();
  return out;
}

std::string RequireBitstreamFor(const isa::Config& config, const std::string& board,
                                const std::string& manifest) {
  for (const Bitstream& row : ParseManifest(ReadTextFile(manifest), manifest)) {
    if (row.board != board) continue;
    const std::string want = Hex(isa::ArchHash(config), 16);
    if (row.arch_hash != want)
      throw Error(StrCat(manifest, ": board ", board), "arch_hash", row.arch_hash,
                  StrCat("the bitstream is of config ", row.config, "; config ", config.name,
                         " has ", want));
    const std::string path = (fs::path(manifest).parent_path() / row.file).string();
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      throw Error(path, "", "",
                  StrCat("is not built yet; `vta hw package --board ", board,
                         " -o DIR` writes the project that builds it"));
    return path;
  }
  throw Error(manifest, "board", board, "has no bitstream here");
}

}  // namespace vta::tools
