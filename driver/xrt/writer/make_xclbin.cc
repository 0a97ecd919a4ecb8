#include "driver/xrt/writer/make_xclbin.h"

#include <xclbin.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "driver/xrt/xclbin.h"
#include "isa/gen/host_registers.h"
#include "isa/gen/kernel_xml.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::driver {
namespace {

constexpr char kMemoryName[] = "DDR";
constexpr size_t kAlignment = 8;  // of each section

void Append(std::vector<uint8_t>& out, const void* bytes, size_t size) {
  const auto* begin = static_cast<const uint8_t*>(bytes);
  out.insert(out.end(), begin, begin + size);
}

std::vector<uint8_t> BytesOf(std::string_view text) { return {text.begin(), text.end()}; }

template <size_t kSize, typename Char>
void SetName(Char (&field)[kSize], std::string_view name) {
  VTA_CHECK(name.size() < kSize, std::string(name));
  std::memset(field, 0, kSize);
  std::copy(name.begin(), name.end(), field);
}

/// A section that is a number of rows, the first of them at a byte offset.
template <typename Row>
std::vector<uint8_t> Table(size_t begin, const std::vector<Row>& rows) {
  const auto count = static_cast<int32_t>(rows.size());
  std::vector<uint8_t> out;
  Append(out, &count, sizeof count);
  out.resize(begin);
  Append(out, rows.data(), rows.size() * sizeof(Row));
  return out;
}

std::vector<uint8_t> MemoryTopology(const XclbinPlaces& places) {
  mem_data bank{};
  bank.m_type = MEM_DDR4;
  bank.m_used = 1;
  bank.m_size = static_cast<uint64_t>(places.memory_bytes) / 1024;
  bank.m_base_address = places.memory_address;
  SetName(bank.m_tag, kMemoryName);
  return Table(offsetof(mem_topology, m_mem_data), std::vector{bank});
}

std::vector<uint8_t> IpLayout(const XclbinPlaces& places) {
  ip_data ip{};
  ip.m_type = IP_KERNEL;
  ip.properties = AP_CTRL_NONE << IP_CONTROL_SHIFT;
  ip.m_base_address = places.control_address;
  SetName(ip.m_name, StrCat(kKernelName, ":", kInstanceName));
  return Table(offsetof(ip_layout, m_ip_data), std::vector{ip});
}

std::vector<uint8_t> Connectivity() {
  std::vector<connection> rows;
  int32_t id = 0;
  for (const isa::HostRegister& row : isa::HostRegisters()) {
    if (row.is_address) rows.push_back({id, 0, 0});
    id += row.IsArgument();
  }
  return Table(offsetof(connectivity, m_connection), rows);
}

// What XRT reads of the XML: the kernel, the range of its registers, its arguments and where its
// instance lies.
std::string EmbeddedMetadata(const isa::Config& config, const XclbinPlaces& places) {
  return StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project name=\"vta\">\n<platform vendor=\"vta\""
      " boardid=\"vta\" name=\"vta\" featureRomTime=\"0\">\n<version major=\"1\" minor=\"0\"/>\n"
      "<device name=\"fpga0\" fpgaDevice=\"zynquplus\" addrWidth=\"0\">\n<core "
      "name=\"OCL_REGION_0\""
      " target=\"bitstream\" type=\"clc_region\" numComputeUnits=\"60\">\n<kernelClocks><clock "
      "port=\"KERNEL_CLK\" frequency=\"",
      config.uarch.clock_mhz, ".0MHz\"/></kernelClocks>\n<kernel name=\"", kKernelName,
      "\" language=\"ip_c\" hwControlProtocol=\"user_managed\" workGroupSize=\"1\" "
      "debug=\"false\">\n",
      isa::KernelPorts(config), isa::KernelArguments(), "<instance name=\"", kInstanceName,
      "\"><addrRemap base=\"", Hex(places.control_address),
      "\" port=\"s_axi_control\"/></instance>\n</kernel>\n</core>\n</device>\n</platform>\n"
      "</project>\n");
}

struct Section {
  axlf_section_kind kind;
  std::string_view name;
  std::vector<uint8_t> bytes;
};

std::vector<Section> SectionsOf(const isa::Config& config, std::span<const uint8_t> bitstream,
                                const XclbinPlaces& places) {
  std::vector<Section> sections = {
      {MEM_TOPOLOGY, "mem_topology", MemoryTopology(places)},
      {ASK_GROUP_TOPOLOGY, "group_topology", MemoryTopology(places)},
      {IP_LAYOUT, "ip_layout", IpLayout(places)},
      {CONNECTIVITY, "connectivity", Connectivity()},
      {ASK_GROUP_CONNECTIVITY, "group_connect", Connectivity()},
      {EMBEDDED_METADATA, "metadata", BytesOf(EmbeddedMetadata(config, places))},
      {USER_METADATA, "vta", BytesOf(XclbinMetadata(config, !bitstream.empty()))},
  };
  if (!bitstream.empty())
    sections.push_back({BITSTREAM, "bitstream", {bitstream.begin(), bitstream.end()}});
  return sections;
}

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A UUID of version 8, which is for content that says what it is by itself.
void SetIdentity(const std::vector<Section>& sections, axlf& top) {
  for (int half = 0; half < 2; ++half) {
    Hasher hasher;
    hasher.Number(static_cast<uint64_t>(half));
    for (const Section& section : sections) hasher.Text(section.name).Bytes(section.bytes);
    const uint64_t hash = hasher.value();
    std::memcpy(top.m_header.uuid + 8 * half, &hash, sizeof hash);
    top.m_uniqueId = hash;
  }
  top.m_header.uuid[6] = static_cast<uint8_t>((top.m_header.uuid[6] & 0x0f) | 0x80);
  top.m_header.uuid[8] = static_cast<uint8_t>((top.m_header.uuid[8] & 0x3f) | 0x80);
}

axlf Header(const std::vector<Section>& sections) {
  axlf top{};
  std::memcpy(top.m_magic, "xclbin2", sizeof top.m_magic);
  top.m_signature_length = -1;
  std::memset(top.reserved, 0xff, sizeof top.reserved);
  std::memset(top.m_keyBlock, 0xff, sizeof top.m_keyBlock);
  top.m_header.m_versionMajor = 2;
  top.m_header.m_versionMinor = 13;
  top.m_header.m_mode = XCLBIN_FLAT;
  SetName(top.m_header.m_platformVBNV, "vta");
  top.m_header.m_numSections = static_cast<uint32_t>(sections.size());
  SetIdentity(sections, top);
  return top;
}

}  // namespace

std::vector<uint8_t> MakeXclbin(const isa::Config& config, std::span<const uint8_t> bitstream,
                                const XclbinPlaces& places) {
  const std::vector<Section> sections = SectionsOf(config, bitstream, places);
  size_t at = Aligned(offsetof(axlf, m_sections) + sections.size() * sizeof(axlf_section_header));
  std::vector<axlf_section_header> table;
  for (const Section& section : sections) {
    axlf_section_header row{};
    row.m_sectionKind = section.kind;
    SetName(row.m_sectionName, section.name);
    row.m_sectionOffset = at;
    row.m_sectionSize = section.bytes.size();
    table.push_back(row);
    at = Aligned(at + section.bytes.size());
  }
  axlf top = Header(sections);
  top.m_header.m_length = at;
  std::vector<uint8_t> out;
  Append(out, &top, offsetof(axlf, m_sections));
  Append(out, table.data(), table.size() * sizeof table[0]);
  for (size_t i = 0; i < sections.size(); ++i) {
    out.resize(table[i].m_sectionOffset);
    Append(out, sections[i].bytes.data(), sections[i].bytes.size());
  }
  out.resize(at);
  return out;
}

}  // namespace vta::driver
