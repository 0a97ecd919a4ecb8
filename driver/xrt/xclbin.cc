#include "driver/xrt/xclbin.h"

#include <xclbin.h>

#include <algorithm>
#include <cstring>

#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

constexpr std::string_view kMagic("xclbin2\0", 8);
constexpr char kUserMetadata[] = "section USER_METADATA";

template <typename T>
T Load(std::span<const uint8_t> bytes, size_t at) {
  VTA_CHECK(at + sizeof(T) <= bytes.size(), at, " ", bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <size_t kSize>
std::string NameOf(const unsigned char (&name)[kSize]) {
  return std::string(name, std::find(name, name + kSize, 0));
}

/// The sections of a file, each inside it.
class Sections {
 public:
  Sections(std::span<const uint8_t> bytes, const std::string& file) : bytes_(bytes), file_(file) {
    if (bytes.size() < kMagic.size() || TextOf(bytes.first(kMagic.size())) != kMagic)
      throw Error(file, "", "", "is no xclbin: it does not begin with xclbin2");
    RequireBytes(sizeof(axlf));
    const auto header = Load<axlf>(bytes, 0).m_header;
    RequireBytes(header.m_length);
    RequireBytes(offsetof(axlf, m_sections) +
                 uint64_t{header.m_numSections} * sizeof(axlf_section_header));
    for (uint32_t i = 0; i < header.m_numSections; ++i) {
      headers_.push_back(Load<axlf_section_header>(
          bytes, offsetof(axlf, m_sections) + i * sizeof(axlf_section_header)));
      const axlf_section_header& row = headers_.back();
      if (row.m_sectionOffset > bytes.size() ||
          row.m_sectionSize > bytes.size() - row.m_sectionOffset)
        throw Error(file, StrCat("section ", row.m_sectionKind),
                    StrCat(row.m_sectionOffset, " + ", Counted(row.m_sectionSize, "byte")),
                    StrCat("lies outside the file's ", bytes.size()));
    }
  }

  /// Empty where the file has none.
  std::span<const uint8_t> Find(axlf_section_kind kind) const {
    for (const axlf_section_header& row : headers_)
      if (row.m_sectionKind == static_cast<uint32_t>(kind))
        return bytes_.subspan(row.m_sectionOffset, row.m_sectionSize);
    return {};
  }

  /// The rows of a section that begins with their number. Units: `begin` is a byte offset.
  template <typename Row>
  std::vector<Row> Rows(axlf_section_kind kind, const char* name, size_t begin) const {
    const std::span<const uint8_t> section = Find(kind);
    if (section.empty()) return {};
    const auto count = section.size() < sizeof(int32_t) ? -1 : Load<int32_t>(section, 0);
    if (count < 0 || section.size() < begin ||
        (section.size() - begin) / sizeof(Row) < static_cast<size_t>(count))
      throw Error(file_, StrCat("section ", name), Counted(section.size(), "byte"),
                  StrCat("is too short for its ", count, " rows"));
    std::vector<Row> rows;
    for (int32_t i = 0; i < count; ++i) rows.push_back(Load<Row>(section, begin + i * sizeof(Row)));
    return rows;
  }

 private:
  void RequireBytes(uint64_t bytes) const {
    if (bytes_.size() < bytes)
      throw Error(file_, "", Counted(bytes_.size(), "byte"),
                  StrCat("is cut off: it must have ", bytes));
  }

  std::span<const uint8_t> bytes_;
  std::string file_;
  std::vector<axlf_section_header> headers_;
};

uint64_t HashOf(JsonReader& reader, std::string_view key, uint64_t made) {
  const std::string text = reader.String(key);
  if (text != Hex(made, 16))
    throw Error(StrCat(reader.file(), ": ", kUserMetadata), reader.Place(key), text,
                StrCat("its config has ", Hex(made, 16),
                       "; make the file again with this version of vta hw xclbin"));
  return made;
}

XclbinBank BankOf(const mem_data& row, const std::string& file) {
  XclbinBank bank{NameOf(row.m_tag), row.m_base_address, 0};
  if (!row.m_used) return bank;
  constexpr uint64_t kReached = isa::kAddressMask + 1;
  if (row.m_size > kReached / 1024 || bank.address > kReached - row.m_size * 1024)
    throw Error(file, StrCat("section MEM_TOPOLOGY, bank ", Visible(bank.name)),
                StrCat(row.m_size, " KiB from ", Hex(bank.address)),
                StrCat("ends above what the accelerator reaches, ", Hex(isa::kAddressMask)));
  bank.bytes = static_cast<int64_t>(row.m_size * 1024);
  return bank;
}

void ReadMetadata(const Sections& sections, const std::string& file, Xclbin& xclbin) {
  const std::span<const uint8_t> section = sections.Find(USER_METADATA);
  if (section.empty())
    throw Error(file, kUserMetadata, "",
                "is missing, so nothing says what accelerator it holds; vta hw xclbin writes it");
  const Json json = Json::Parse(TextOf(section), StrCat(file, ": ", kUserMetadata));
  JsonReader reader(json, file);
  reader.String("made_by");
  xclbin.config = isa::ParseConfig(reader.Any("config").Dump(), StrCat(file, ": ", kUserMetadata));
  xclbin.arch_hash = HashOf(reader, "arch_hash", isa::ArchHash(xclbin.config));
  HashOf(reader, "timing_hash", isa::TimingHash(xclbin.config));
  xclbin.has_bitstream = reader.Bool("bitstream");
  reader.Finish();
}

}  // namespace

bool Xclbin::HasKernel() const {
  return std::ranges::find(ips, StrCat(kKernelName, ":", kInstanceName)) != ips.end();
}

std::string XclbinMetadata(const isa::Config& config, bool has_bitstream) {
  Json json;
  json.Set("made_by", "vta " VTA_VERSION);
  json.Set("arch_hash", Hex(isa::ArchHash(config), 16));
  json.Set("timing_hash", Hex(isa::TimingHash(config), 16));
  json.Set("bitstream", has_bitstream);
  json.Set("config", Json::Parse(isa::ConfigToJson(config), config.name));
  return json.Dump() + "\n";
}

Xclbin ParseXclbin(std::span<const uint8_t> bytes, const std::string& file) {
  const Sections sections(bytes, file);
  Xclbin xclbin;
  ReadMetadata(sections, file, xclbin);
  for (const ip_data& row :
       sections.Rows<ip_data>(IP_LAYOUT, "IP_LAYOUT", offsetof(ip_layout, m_ip_data)))
    xclbin.ips.push_back(NameOf(row.m_name));
  for (const mem_data& row :
       sections.Rows<mem_data>(MEM_TOPOLOGY, "MEM_TOPOLOGY", offsetof(mem_topology, m_mem_data)))
    xclbin.banks.push_back(BankOf(row, file));
  return xclbin;
}

}  // namespace vta::driver
