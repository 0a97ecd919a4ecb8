// xclbin files, as XRT's own reader takes them, and as ours refuses them.
#include "driver/xrt/xclbin.h"

#include <experimental/xrt_xclbin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xclbin.h>

#include <cstring>
#include <random>

#include "driver/xrt/writer/make_xclbin.h"
#include "isa/register_launch.h"
#include "isa/spec/registers.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/support/trials.h"

namespace vta::driver {
namespace {

constexpr XclbinPlaces kPlaces{
    .control_address = 0xb000'0000, .memory_address = 0x8000'0000, .memory_bytes = 0x1000'0000};

isa::Config TestConfig() { return isa::LoadConfig(SourcePath("isa/configs/ultra96.json")); }

TEST(Xclbin, IsWhatXrtReads) {
  const std::vector<uint8_t> bytes =
      MakeXclbin(TestConfig(), std::vector<uint8_t>{1, 2, 3}, kPlaces);
  const xrt::xclbin xclbin(std::vector<char>(bytes.begin(), bytes.end()));
  EXPECT_EQ(xclbin.get_target_type(), xrt::xclbin::target_type::hw);
  ASSERT_EQ(xclbin.get_kernels().size(), 1u);
  const auto kernel = xclbin.get_kernel("vta");
  const auto cu = xclbin.get_ip("vta:vta_1");
  EXPECT_EQ(cu.get_name(), "vta:vta_1");
  EXPECT_EQ(cu.get_base_address(), 0xb000'0000u);
  EXPECT_EQ(cu.get_size(), 0x1000u);
  EXPECT_EQ(cu.get_control_type(), xrt::xclbin::ip::control_type::none);
  // Those that a launch is described by; the addresses have memory.
  const std::tuple<const char*, uint64_t, bool> args[] = {{"instruction_address", 0x28, true},
                                                          {"instruction_count", 0x30, false},
                                                          {"watchdog_cycles", 0x34, false},
                                                          {"base_uop", 0x40, true},
                                                          {"base_wgt", 0x48, true},
                                                          {"base_inp", 0x50, true},
                                                          {"base_acc", 0x58, true},
                                                          {"base_out", 0x60, true}};
  ASSERT_EQ(kernel.get_num_args(), std::size(args));
  for (size_t i = 0; i < std::size(args); ++i) {
    const auto& [name, offset, is_address] = args[i];
    const auto arg = kernel.get_arg(static_cast<int32_t>(i));
    EXPECT_EQ(arg.get_name(), name);
    EXPECT_EQ(arg.get_offset(), offset);
    EXPECT_EQ(arg.get_size(), is_address ? 8u : 4u);
    ASSERT_EQ(arg.get_mems().size(), is_address ? 1u : 0u) << name;
    if (!is_address) continue;
    EXPECT_EQ(arg.get_mems()[0].get_base_address(), 0x8000'0000u);
    EXPECT_EQ(arg.get_mems()[0].get_size_kb(), 0x1000'0000u / 1024);
    EXPECT_TRUE(arg.get_mems()[0].get_used());
  }
  const axlf_section_header* bitstream = ::xclbin::get_axlf_section(xclbin.get_axlf(), BITSTREAM);
  ASSERT_TRUE(bitstream);
  EXPECT_EQ(bitstream->m_sectionSize, 3u);
}

TEST(Xclbin, SaysWhatItHolds) {
  const isa::Config config = TestConfig();
  const Xclbin xclbin = ParseXclbin(MakeXclbin(config, {}, kPlaces), "f");
  EXPECT_EQ(isa::ConfigToJson(xclbin.config), isa::ConfigToJson(config));
  EXPECT_EQ(xclbin.arch_hash, isa::ArchHash(config));
  EXPECT_FALSE(xclbin.has_bitstream);
  EXPECT_TRUE(xclbin.HasKernel());
  ASSERT_EQ(xclbin.banks.size(), 1u);
  EXPECT_EQ(xclbin.banks[0].bytes, kPlaces.memory_bytes);
  EXPECT_TRUE(ParseXclbin(MakeXclbin(config, std::vector<uint8_t>{1}, kPlaces), "f").has_bitstream);
}

TEST(Xclbin, HasTheIdentityOfItsContent) {
  const auto id = [](const isa::Config& config, std::span<const uint8_t> bitstream) {
    const std::vector<uint8_t> bytes = MakeXclbin(config, bitstream, kPlaces);
    EXPECT_EQ(bytes, MakeXclbin(config, bitstream, kPlaces));
    return xrt::xclbin(std::vector<char>(bytes.begin(), bytes.end())).get_uuid().to_string();
  };
  isa::Config faster = TestConfig();
  faster.uarch.clock_mhz += 1;
  const std::vector<uint8_t> one = {1}, two = {2};
  const std::set<std::string> ids = {id(TestConfig(), {}), id(faster, {}), id(TestConfig(), one),
                                     id(TestConfig(), two)};
  EXPECT_EQ(ids.size(), 4u);
}

TEST(Xclbin, AnyPartOfOneIsRefused) {
  const std::vector<uint8_t> whole = MakeXclbin(TestConfig(), {}, kPlaces);
  for (size_t bytes = 0; bytes < whole.size(); bytes += OneTrialOf())
    EXPECT_NE(ErrorOf([&] { ParseXclbin(std::span(whole).first(bytes), "f"); }), "no error")
        << bytes;
}

TEST(Xclbin, ABankEndsWhereTheBusDoes) {
  std::vector<uint8_t> bytes = MakeXclbin(TestConfig(), {}, kPlaces);
  const auto* file = reinterpret_cast<const axlf*>(bytes.data());
  const size_t bank = ::xclbin::get_axlf_section(file, MEM_TOPOLOGY)->m_sectionOffset +
                      offsetof(mem_topology, m_mem_data);
  const auto bytes_of = [&](uint64_t address, uint64_t kib) {
    std::memcpy(&bytes[bank + offsetof(mem_data, m_base_address)], &address, sizeof address);
    std::memcpy(&bytes[bank + offsetof(mem_data, m_size)], &kib, sizeof kib);
    return ParseXclbin(bytes, "f").banks.at(0).bytes;
  };
  EXPECT_EQ(bytes_of(isa::kAddressMask + 1 - 4096, 4), 4096);
  for (const auto& [address, kib] : {std::pair<uint64_t, uint64_t>{isa::kAddressMask + 1 - 4096, 5},
                                     {0, ~uint64_t{0}},
                                     {0, uint64_t{1} << 62},
                                     {~uint64_t{0}, 1}})
    EXPECT_EQ(ErrorOf([&] { bytes_of(address, kib); }),
              StrCat("f: section MEM_TOPOLOGY, bank DDR = ", kib, " KiB from ", Hex(address),
                     ": ends above what the accelerator reaches, ", Hex(isa::kAddressMask)));
}

TEST(Xclbin, DamageIsRefusedOrChangesNothingThatCounts) {
  const std::vector<uint8_t> whole = MakeXclbin(TestConfig(), {}, kPlaces);
  std::mt19937_64 rng(1);
  int refused = 0;
  for (int i = 0; i < Trials(3000); ++i) {
    std::vector<uint8_t> bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[rng() % bytes.size()] = static_cast<uint8_t>(rng());
    try {
      EXPECT_EQ(ParseXclbin(bytes, "f").arch_hash, isa::ArchHash(TestConfig()));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, Trials(3000) / 10);
}

}  // namespace
}  // namespace vta::driver
