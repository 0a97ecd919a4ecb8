#include "tools/energy/technology.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/shipped.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTechnologies = "tools/energy/technologies";
constexpr std::string_view kDram = "tools/energy/dram.json";
constexpr char kOption[] = "--energy";

struct Figure {
  std::string_view key;
  double Technology::*member;
};
constexpr Figure kFigures[] = {{"mac_pj", &Technology::mac_pj},
                               {"add_pj", &Technology::add_pj},
                               {"shift_pj", &Technology::shift_pj},
                               {"multiply_pj", &Technology::multiply_pj},
                               {"register_write_pj", &Technology::register_write_pj},
                               {"register_clock_pj", &Technology::register_clock_pj},
                               {"static_mac_nw", &Technology::static_mac_nw},
                               {"static_flip_flop_nw", &Technology::static_flip_flop_nw},
                               {"static_lut_nw", &Technology::static_lut_nw},
                               {"static_sram_byte_nw", &Technology::static_sram_byte_nw}};
constexpr std::string_view kSram = "sram_pj";

std::string PathOf(const std::string& name_or_file) {
  if (name_or_file.find_first_of("/.") != std::string::npos) return name_or_file;
  const std::vector<std::string> shipped = ShippedTechnologies();
  if (std::ranges::find(shipped, name_or_file) == shipped.end())
    throw UsageError(kOption, "", name_or_file,
                     StrCat("must be the path of a file or one of ", Listed(shipped),
                            DidYouMean(name_or_file, shipped)));
  return StrCat(ShippedPath(kTechnologies), "/", name_or_file, ".json");
}

std::string Text(JsonReader& reader, std::string_view key) {
  std::string text = reader.String(key);
  if (text.empty()) throw reader.Fail(key, "must say something");
  return text;
}

constexpr double kMost = 1e9;  // pJ, nW or a factor: sums of any counts stay finite

double NotNegative(JsonReader& reader, std::string_view key) {
  const double value = reader.Double(key);
  if (!(value >= 0 && value <= kMost)) throw reader.Fail(key, "must be a number from 0 to 1e9");
  return value;
}

// Sections of a file whose keys are names.
std::vector<std::string> NamesOf(JsonReader& reader, std::string_view key) {
  std::vector<std::string> names;
  if (!reader.Has(key)) return names;
  const Json::Object* object = reader.Any(key).as_object();
  if (!object) throw reader.Fail(key, "must be an object");
  for (const auto& [name, value] : *object) names.push_back(name);
  return names;
}

// Reads what a figure is scaled by, and from which technology.
class Scaling {
 public:
  explicit Scaling(JsonReader& file) {
    const std::vector<std::string> names = NamesOf(file, "rules");
    if (names.empty()) return;
    JsonReader rules = file.Object("rules");
    for (const std::string& name : names) {
      JsonReader rule = rules.Object(name);
      Text(rule, "source");
      factors_[name] = NotNegative(rule, "factor");
      rule.Finish();
    }
  }

  /// The factor of a figure, and the shipped technology that it is from.
  std::pair<double, const Technology*> Of(JsonReader& figure) {
    const std::string rule = figure.String("scaled"), from = figure.String("from");
    const auto factor = factors_.find(rule);
    if (factor == factors_.end()) throw figure.Fail("scaled", "must be one of the file's rules");
    const std::vector<std::string> shipped = ShippedTechnologies();
    if (std::ranges::find(shipped, from) == shipped.end())
      throw figure.Fail("from", StrCat("must be one of ", Listed(shipped)));
    auto& base = bases_[from];
    if (!base) base = std::make_unique<Technology>(LoadTechnology(from));
    return {factor->second, base.get()};
  }

 private:
  std::map<std::string, double> factors_;
  std::map<std::string, std::unique_ptr<Technology>> bases_;
};

SramEnergy ReadPoints(JsonReader& figure) {
  std::vector<SramEnergy::Point> points;
  constexpr char kRule[] =
      "must be two points [BYTES, PJ] at least, sizes ascending, both more than 0, PJ at most 1e9";
  for (const Json& point : figure.Array("points")) {
    const Json::Array* pair = point.as_array();
    if (!pair || pair->size() != 2 || !(*pair)[0].as_int()) throw figure.Fail("points", kRule);
    const int64_t bytes = *(*pair)[0].as_int();
    const int64_t* whole = (*pair)[1].as_int();
    const double* number = (*pair)[1].as_double();
    const double pj = whole ? static_cast<double>(*whole) : number ? *number : 0;
    if (bytes <= (points.empty() ? 0 : points.back().first) || !(pj > 0 && pj <= kMost))
      throw figure.Fail("points", kRule);
    points.emplace_back(bytes, pj);
  }
  if (points.size() < 2) throw figure.Fail("points", kRule);
  return SramEnergy(std::move(points));
}

// Types of DRAM: each takes the place of one of the same name.
void ReadDram(JsonReader& file, std::map<std::string, double>& dram) {
  const std::vector<std::string> names = NamesOf(file, "dram_pj_per_byte");
  if (names.empty()) return;
  JsonReader types = file.Object("dram_pj_per_byte");
  for (const std::string& name : names) {
    JsonReader figure = types.Object(name);
    dram[name] = NotNegative(figure, "value");
    Text(figure, figure.Has("scaled") ? "scaled" : "source");
    figure.Finish();
  }
}

struct Choice {
  std::string technology, dram;
};

// TECHNOLOGY[,DRAM]; what is left out is empty. A file's name may have commas.
Choice Parted(const std::string& choice) {
  if (fs::is_regular_file(choice)) return {choice, ""};
  const size_t comma = choice.rfind(',');
  return {choice.substr(0, comma), comma == std::string::npos ? "" : choice.substr(comma + 1)};
}

Choice ReadChoice(JsonReader reader) {
  Choice choice{reader.String("technology"), reader.String("dram")};
  reader.Finish();
  return choice;
}

// What tools/energy/dram.json holds.
struct DramFile {
  std::map<std::string, double> types;
  std::map<std::string, Choice> boards;  // by memory preset
  Choice otherwise;
};

DramFile LoadDram() {
  const std::string path = ShippedPath(kDram);
  const Json json = Json::Parse(ReadTextFile(path), path);
  JsonReader reader(json, path);
  DramFile file;
  ReadDram(reader, file.types);
  const std::vector<std::string> names = NamesOf(reader, "boards");
  JsonReader boards = reader.Object("boards");
  for (const std::string& name : names) file.boards[name] = ReadChoice(boards.Object(name));
  file.otherwise = ReadChoice(reader.Object("otherwise"));
  reader.Finish();
  return file;
}

Choice ChoiceFor(const isa::Config& config) {
  const DramFile file = LoadDram();
  for (const isa::MemoryPreset& preset : isa::kMemoryPresets)
    if (config.memory == preset.At(config.uarch.clock_mhz))
      if (const auto board = file.boards.find(std::string(preset.name)); board != file.boards.end())
        return board->second;
  return file.otherwise;
}

}  // namespace

double SramEnergy::At(int64_t bytes) const {
  const auto behind = std::ranges::lower_bound(points_, bytes, {}, &Point::first);
  const int64_t last = std::clamp<int64_t>(behind - points_.begin(), 1, std::ssize(points_) - 1);
  const auto& [low, low_pj] = points_[last - 1];
  const auto& [high, high_pj] = points_[last];
  const double size = std::log(static_cast<double>(bytes) / static_cast<double>(low));
  const double power =
      std::log(high_pj / low_pj) / std::log(static_cast<double>(high) / static_cast<double>(low));
  return low_pj * std::exp(power * size);
}

double SramEnergy::OfRow(int64_t rows, int64_t row_bits) const {
  return At(rows * std::min(row_bits, kBits) / 8) * static_cast<double>(row_bits) / kBits;
}

SramEnergy SramEnergy::Scaled(double factor) const {
  SramEnergy scaled = *this;
  for (auto& [bytes, pj] : scaled.points_) pj *= factor;
  return scaled;
}

std::vector<std::string> ShippedTechnologies() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ShippedPath(kTechnologies)))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Technology ParseTechnology(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  Technology technology;
  technology.name = Text(reader, "technology");
  technology.about = Text(reader, "about");
  technology.dram_pj = LoadDram().types;
  ReadDram(reader, technology.dram_pj);
  Scaling scaling(reader);
  JsonReader figures = reader.Object("figures");
  for (const Figure& row : kFigures) {
    JsonReader figure = figures.Object(row.key);
    if (figure.Has("scaled")) {
      const auto [factor, base] = scaling.Of(figure);
      technology.*row.member = factor * base->*row.member;
    } else {
      technology.*row.member = NotNegative(figure, "value");
      Text(figure, "source");
    }
    figure.Finish();
  }
  JsonReader figure = figures.Object(kSram);
  if (figure.Has("scaled")) {
    const auto [factor, base] = scaling.Of(figure);
    if (factor == 0) throw figure.Fail("scaled", "must be a rule whose factor is more than 0");
    technology.sram_pj = base->sram_pj.Scaled(factor);
  } else {
    technology.sram_pj = ReadPoints(figure);
    Text(figure, "source");
  }
  figure.Finish();
  figures.Finish();
  reader.Finish();
  return technology;
}

Technology LoadTechnology(const std::string& name_or_file) {
  const std::string path = PathOf(name_or_file);
  return ParseTechnology(ReadTextFile(path), path);
}

EnergyModel FindEnergyModel(const std::string& choice, const isa::Config& config) {
  Choice chosen = ChoiceFor(config);
  const auto [technology, dram] = Parted(choice);
  if (!technology.empty()) chosen.technology = technology;
  if (!dram.empty()) chosen.dram = dram;
  EnergyModel model{LoadTechnology(chosen.technology), chosen.dram};
  std::vector<std::string> types;
  for (const auto& [type, pj] : model.technology.dram_pj) types.push_back(type);
  if (std::ranges::find(types, model.dram) == types.end())
    throw UsageError(kOption, "DRAM", model.dram,
                     StrCat("must be one of ", Listed(types), DidYouMean(model.dram, types)));
  return model;
}

std::string EnergyFile(const std::string& choice) {
  const std::string technology = Parted(choice).technology;
  return technology.empty() ? "" : PathOf(technology);
}

}  // namespace vta::tools
