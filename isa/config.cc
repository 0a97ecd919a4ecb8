#include "isa/config.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "isa/layout.h"
#include "isa/spec/requant.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

template <typename Section>
int64_t ReadValue(JsonReader& json, const Parameter<Section>& row) {
  switch (row.kind) {
    case kFlag:
      return json.Bool(row.key);
    case kChoice: {
      const std::string name = json.String(row.key);
      std::string names;
      for (int64_t i = row.low; i <= row.high; ++i) {
        if (row.choices[i] == name) return i;
        names += StrCat(names.empty() ? "" : ", ", row.choices[i]);
      }
      throw json.Fail(row.key, StrCat("must be one of ", names));
    }
    case kPowerOfTwo: {
      const std::string rule = StrCat("must be a power of two in [", row.low, ", ", row.high, "]");
      const int64_t* value = json.Any(row.key).as_int();
      if (!value || *value < row.low || *value > row.high ||
          !std::has_single_bit(static_cast<uint64_t>(*value)))
        throw json.Fail(row.key, rule);
      return *value;
    }
    case kInteger:
      return json.Int(row.key, row.low, row.high);
  }
  return 0;
}

/// Errors: throws Error where there is none of that name, or where the bus is wider than its port.
Memory ReadPreset(JsonReader& json, const Uarch& uarch) {
  const std::string name = json.String("preset");
  std::string names;
  for (const MemoryPreset& row : kMemoryPresets) {
    names += StrCat(names.empty() ? "" : ", ", row.name);
    if (row.name != name) continue;
    if (uarch.bus_bits > row.port_bits)
      throw Error(json.file(), "uarch.bus_bits", StrCat(uarch.bus_bits),
                  StrCat("must be at most ", row.port_bits, ": the port of the memory of ", name));
    if (uarch.clock_mhz > row.mb_per_s)
      throw Error(json.file(), "uarch.clock_mhz", StrCat(uarch.clock_mhz),
                  StrCat("must be at most ", row.mb_per_s, ": the memory of ", name, " moves ",
                         row.mb_per_s, " MB/s, less than a byte a cycle"));
    return row.At(uarch.clock_mhz);
  }
  throw json.Fail("preset", StrCat("must be one of ", names));
}

// Keys that are absent keep their default.
template <typename Section, size_t kRows>
void ReadRows(JsonReader json, const Parameter<Section> (&rows)[kRows], Section& section) {
  for (const Parameter<Section>& row : rows)
    if (json.Has(row.key)) section.*row.member = ReadValue(json, row);
  json.Finish();
}

template <typename Section, size_t kRows>
void ReadSection(JsonReader& top, std::string_view key, const Parameter<Section> (&rows)[kRows],
                 Section& section) {
  if (top.Has(key)) ReadRows(top.Object(key), rows, section);
}

// Keys that are absent keep what the preset says.
void ReadMemory(JsonReader& top, Config& config) {
  if (!top.Has("memory")) return;
  JsonReader json = top.Object("memory");
  if (json.Has("preset")) config.memory = ReadPreset(json, config.uarch);
  ReadRows(std::move(json), kMemoryParameters, config.memory);
}

// Operations that came later: without them a config is what it was.
template <typename Section>
bool IsAbsent(const Parameter<Section>&, const Section&) {
  return false;
}
bool IsAbsent(const Parameter<Arch>& row, const Arch& arch) {
  return std::none_of(std::begin(kWrittenArchParameters), std::end(kWrittenArchParameters),
                      [&](const auto& written) { return written.member == row.member; }) &&
         !(arch.*row.member);
}

template <typename Section, size_t kRows>
Json WriteSection(const Parameter<Section> (&rows)[kRows], const Section& section) {
  Json out{Json::Object{}};
  for (const Parameter<Section>& row : rows) {
    if (IsAbsent(row, section)) continue;
    const int64_t value = section.*row.member;
    std::string key(row.key);
    if (row.kind == kFlag)
      out.Set(key, value != 0);
    else if (row.kind == kChoice)
      out.Set(key, std::string(row.choices[value]));
    else
      out.Set(key, value);
  }
  return out;
}

template <typename Section, size_t kRows>
void HashSection(Hasher& hasher, const Parameter<Section> (&rows)[kRows], const Section& section) {
  for (const Parameter<Section>& row : rows)
    if (!IsAbsent(row, section))
      hasher.Text(row.key).Number(static_cast<uint64_t>(section.*row.member));
}

// What upstream's TARGET implies for timing.
struct UpstreamTarget {
  std::string_view name;
  int64_t bus_bits, clock_mhz;
};
constexpr UpstreamTarget kUpstreamTargets[] = {
    {"sim", 64, 100},       {"tsim", 64, 100},     {"pynq", 64, 100},    {"de10nano", 64, 100},
    {"intelfocl", 64, 100}, {"ultra96", 128, 333}, {"zcu104", 128, 333},
};

void ReadUpstreamTarget(JsonReader& json, Config& config) {
  const std::string target = json.String("TARGET");
  std::string names;
  for (const UpstreamTarget& row : kUpstreamTargets) {
    names += StrCat(names.empty() ? "" : ", ", row.name);
    if (row.name != target) continue;
    config.uarch.bus_bits = row.bus_bits;
    config.uarch.clock_mhz = row.clock_mhz;
    config.memory.bytes_per_cycle = row.bus_bits / 8;
    for (const MemoryPreset& preset : kMemoryPresets)
      if (preset.name == target) config.memory = preset.At(row.clock_mhz);
    return;
  }
  throw json.Fail("TARGET", StrCat("must be one of ", names));
}

// Sets a depth from upstream's log2 of a buffer's bytes.
void ReadUpstreamDepth(JsonReader& json, std::string_view key, int64_t Arch::*member,
                       int64_t element_bytes, Arch& arch) {
  const auto* row = std::find_if(std::begin(kArchParameters), std::end(kArchParameters),
                                 [&](const auto& parameter) { return parameter.member == member; });
  const int low = Log2(row->low * element_bytes), high = Log2(row->high * element_bytes);
  const int64_t* value = json.Any(key).as_int();
  if (!value || *value < low || *value > high)
    throw json.Fail(key, StrCat("must be an integer in [", low, ", ", high, "]: ", row->low, " to ",
                                row->high, " ", row->unit, " of ", Counted(element_bytes, "byte")));
  arch.*member = (int64_t{1} << *value) / element_bytes;
}

// Names stand in reports, generated files and file names.
bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// Upstream's keys are in capitals, ours are not.
bool IsUpstream(const Json& json) {
  const Json::Object* object = json.as_object();
  return object && !json.Find("isa") &&
         std::any_of(object->begin(), object->end(), [](const auto& member) {
           return !member.first.empty() && member.first[0] >= 'A' && member.first[0] <= 'Z';
         });
}

Config ParseUpstream(JsonReader& json) {
  Config config;
  config.name = "upstream";
  const std::string version = json.String("HW_VER");
  if (version != "0.0.2")
    throw json.Fail("HW_VER",
                    "only the encoding of 0.0.2 is supported (0.0.1 has other field positions)");
  ReadUpstreamTarget(json, config);
  const auto fixed = [&](std::string_view key, int bits) {
    const int64_t* value = json.Any(key).as_int();
    if (!value || *value != Log2(bits)) throw json.Fail(key, StrCat("must be ", Log2(bits)));
  };
  fixed("LOG_INP_WIDTH", kInpBits);
  fixed("LOG_WGT_WIDTH", kWgtBits);
  fixed("LOG_ACC_WIDTH", kAccBits);
  config.arch.batch = int64_t{1} << json.Int("LOG_BATCH", 0, 4);
  config.arch.block_in = config.arch.block_out = int64_t{1} << json.Int("LOG_BLOCK", 2, 6);
  ReadUpstreamDepth(json, "LOG_UOP_BUFF_SIZE", &Arch::uop_depth, kUopBits / 8, config.arch);
  ReadUpstreamDepth(json, "LOG_INP_BUFF_SIZE", &Arch::inp_depth, config.inp_bytes(), config.arch);
  ReadUpstreamDepth(json, "LOG_WGT_BUFF_SIZE", &Arch::wgt_depth, config.wgt_bytes(), config.arch);
  ReadUpstreamDepth(json, "LOG_ACC_BUFF_SIZE", &Arch::acc_depth, config.acc_bytes(), config.arch);
  json.Finish();
  return config;
}

Config ParseOurs(JsonReader& json) {
  Config config;
  config.name = json.String("name");
  if (!IsName(config.name))
    throw json.Fail("name", "must be 1 to 64 letters, digits, '_', '-' or '.'");
  if (json.Has("about")) config.about = json.String("about");
  if (std::any_of(config.about.begin(), config.about.end(), [](char c) { return c == '\n'; }))
    throw json.Fail("about", "must be one line");
  const std::string version = json.String("isa");
  if (version == VersionName(Version::k100))
    config.version = Version::k100;
  else if (version != VersionName(Version::k002))
    throw json.Fail("isa", "must be \"0.0.2\" or \"1.0\"");
  ReadSection(json, "arch", kArchParameters, config.arch);
  ReadSection(json, "uarch", kUarchParameters, config.uarch);
  ReadMemory(json, config);
  json.Finish();
  return config;
}

// The fields of one format must end inside their word.
template <typename Record>
void CheckFits(const Config& config, const std::string& file, std::string_view what,
               std::span<const FieldSpec<Record>> rows, int word_bits) {
  const auto placed = Place(rows, config.arch);
  for (const auto& field : placed) {
    const int end = field.low_bit + field.width;
    const int limit = word_bits < 64 ? word_bits : field.low_bit < 64 ? 64 : 128;
    if (end <= limit) continue;
    throw Error(
        file, "arch",
        StrCat("uop_depth ", config.arch.uop_depth, ", inp_depth ", config.arch.inp_depth,
               ", wgt_depth ", config.arch.wgt_depth, ", acc_depth ", config.arch.acc_depth),
        StrCat("the buffers are too deep together: field ", field.spec->name, " of ", what,
               " would end at bit ", end, ", its word ends at ", limit));
  }
}

template <typename Section, size_t kRows>
void CheckRanges(const std::string& file, std::string_view name,
                 const Parameter<Section> (&rows)[kRows], const Section& section) {
  for (const Parameter<Section>& row : rows) {
    const int64_t value = section.*row.member;
    const bool power = row.kind == kPowerOfTwo;
    if (value >= row.low && value <= row.high &&
        (!power || std::has_single_bit(static_cast<uint64_t>(value))))
      continue;
    throw Error(file, StrCat(name, ".", row.key), std::to_string(value),
                StrCat("must be ", power ? "a power of two" : "an integer", " in [", row.low, ", ",
                       row.high, "]"));
  }
}

}  // namespace

std::string_view VersionName(Version version) { return version == Version::k002 ? "0.0.2" : "1.0"; }

int Log2(int64_t value) {
  VTA_CHECK(value > 0 && std::has_single_bit(static_cast<uint64_t>(value)), value);
  return std::countr_zero(static_cast<uint64_t>(value));
}

void ValidateConfig(const Config& config, const std::string& file) {
  CheckRanges(file, "arch", kArchParameters, config.arch);
  CheckRanges(file, "uarch", kUarchParameters, config.uarch);
  CheckRanges(file, "memory", kMemoryParameters, config.memory);
  for (const auto& [flag, name] : {std::pair(config.arch.requant, "arch.requant"),
                                   {config.arch.pad_value, "arch.pad_value"},
                                   {config.arch.overwrite, "arch.overwrite"},
                                   {config.arch.lut, "arch.lut"}})
    if (flag && config.version == Version::k002)
      throw Error(file, name, "true", "needs \"isa\": \"1.0\"");
  if (!config.arch.requant && config.arch.requant_multiplier_bits != 32)
    throw Error(file, "arch.requant_multiplier_bits",
                std::to_string(config.arch.requant_multiplier_bits), "needs arch.requant");
  if (config.arch.lut && !config.arch.requant)
    throw Error(file, "arch.lut", "true", "needs arch.requant");
  if (config.uarch.acc_banks > 1 && config.arch.requant &&
      config.arch.acc_depth / config.uarch.acc_banks < kRequantRows)
    throw Error(file, "uarch.acc_banks", std::to_string(config.uarch.acc_banks),
                StrCat("a bank of ", config.arch.acc_depth / config.uarch.acc_banks,
                       " rows is smaller than a requant parameter block of ", kRequantRows));
  CheckFits<Uop>(config, file, "uop", kUopFields, kUopBits);
  for (const InstructionSpec& row : kInstructions)
    CheckFits<Instruction>(config, file, row.name, row.fields, 128);
  const int64_t beat = config.uarch.bus_bits / 8;
  for (auto [name, bytes] :
       {std::pair("input", config.inp_bytes()), {"output", config.out_bytes()}})
    if (beat > bytes)
      throw Error(file, "uarch.bus_bits", std::to_string(config.uarch.bus_bits),
                  StrCat("a beat of ", Counted(beat, "byte"), " is wider than an ", name,
                         " element of ", bytes));
}

Config ReadConfig(const Json& json, const std::string& file) {
  JsonReader reader(json, file);
  return ParseOurs(reader);
}

Config ParseConfig(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  const bool upstream = IsUpstream(json);
  Config config = upstream ? ParseUpstream(reader) : ParseOurs(reader);
  ValidateConfig(config, upstream ? file + ", as our sections" : file);
  return config;
}

Config LoadConfig(const std::string& path) { return ParseConfig(ReadTextFile(path), path); }

std::string ConfigToJson(const Config& config) {
  Json out;
  out.Set("name", config.name);
  if (!config.about.empty()) out.Set("about", config.about);
  out.Set("isa", std::string(VersionName(config.version)));
  out.Set("arch", WriteSection(kArchParameters, config.arch));
  out.Set("uarch", WriteSection(kUarchParameters, config.uarch));
  out.Set("memory", WriteSection(kMemoryParameters, config.memory));
  return out.Dump() + "\n";
}

uint64_t ArchHash(const Config& config) {
  Hasher hasher;
  hasher.Text(VersionName(config.version));
  HashSection(hasher, kArchParameters, config.arch);
  const Layout layout(config);
  for (const InstructionSpec& row : kInstructions) {
    if (!row.exists(config)) continue;
    hasher.Text(row.name).Number(static_cast<uint64_t>(row.code));
    for (const auto& field : layout.Fields(static_cast<int64_t>(row.code)))
      hasher.Text(field.spec->name).Number(field.low_bit).Number(field.width);
  }
  for (const auto& field : layout.UopFields())
    hasher.Text(field.spec->name).Number(field.low_bit).Number(field.width);
  return hasher.value();
}

uint64_t TimingHash(const Config& config) {
  Hasher hasher;
  hasher.Number(ArchHash(config));
  HashSection(hasher, kUarchParameters, config.uarch);
  HashSection(hasher, kMemoryParameters, config.memory);
  return hasher.value();
}

}  // namespace vta::isa
