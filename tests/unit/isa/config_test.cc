// What loading a config says: each message whole.
#include "isa/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::isa {
namespace {

std::string Parsed(const std::string& text) {
  return ErrorOf([&] { ParseConfig(text, "f"); });
}

/// A config of ours with more members, which begin with a comma.
std::string Ours(const std::string& members, const std::string& isa = "1.0") {
  return Parsed(R"({"name": "x", "isa": ")" + isa + "\"" + members + "}");
}
std::string WithArch(const std::string& members, const std::string& isa = "1.0") {
  return Ours(R"(, "arch": {)" + members + "}", isa);
}

/// Upstream's default config with some keys changed; an empty value takes the key away.
std::string Upstream(const std::map<std::string, std::string>& changes) {
  std::map<std::string, std::string> keys = {
      {"TARGET", "\"sim\""},       {"HW_VER", "\"0.0.2\""},     {"LOG_INP_WIDTH", "3"},
      {"LOG_WGT_WIDTH", "3"},      {"LOG_ACC_WIDTH", "5"},      {"LOG_BATCH", "0"},
      {"LOG_BLOCK", "4"},          {"LOG_UOP_BUFF_SIZE", "15"}, {"LOG_INP_BUFF_SIZE", "15"},
      {"LOG_WGT_BUFF_SIZE", "18"}, {"LOG_ACC_BUFF_SIZE", "17"},
  };
  for (const auto& [key, value] : changes) keys[key] = value;
  std::string text;
  for (const auto& [key, value] : keys)
    if (!value.empty()) text += StrCat(text.empty() ? "{" : ", ", "\"", key, "\": ", value);
  return text + "}";
}
std::string Flat(const std::map<std::string, std::string>& changes) {
  return Parsed(Upstream(changes));
}

TEST(ConfigErrors, Files) {
  EXPECT_EQ(ErrorOf([] { LoadConfig("none.json"); }),
            "none.json: cannot open: No such file or directory");
  EXPECT_EQ(ErrorOf([] { LoadConfig("/"); }), "/: cannot read: is a directory");
}

TEST(ConfigErrors, Json) {
  EXPECT_EQ(Parsed(""), "f:1:1: '': not valid JSON here");
  EXPECT_EQ(Parsed("{\n  \"name\": }"), "f:2:11: '\"name\": }': not valid JSON here");
  EXPECT_EQ(Parsed(R"({"name": "x"} 1)"), "f:1:15: '1': not valid JSON here");
  EXPECT_EQ(Parsed("[]"), "f: the document = []: must be an object");
  EXPECT_EQ(Parsed("1e999"), "f: 1e999: the number is too large");
  EXPECT_EQ(WithArch(R"("batch": 1e999)"), "f: arch.batch = 1e999: the number is too large");
  EXPECT_EQ(WithArch(R"("batch": 18446744073709551615)"),
            "f: arch.batch = 18446744073709551615: integers must fit 64 signed bits");
  EXPECT_EQ(WithArch(R"("batch": 100000000000000000000)"),
            "f: arch.batch = 1e+20: must be a power of two in [1, 16]");
  EXPECT_EQ(WithArch(R"("batch": -9223372036854775808)"),
            "f: arch.batch = -9223372036854775808: must be a power of two in [1, 16]");
  EXPECT_EQ(WithArch(R"("batch": 1, "mul": true, "batch": 2)"),
            "f: arch.batch: the key stands twice in one object");
  EXPECT_EQ(Parsed(R"({"isa": "1.0", "isa": "1.0"})"),
            "f: isa: the key stands twice in one object");
  EXPECT_EQ(Ours(R"(, "arch": )" + std::string(64, '[')),
            "f: arch" + std::string("[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0...") +
                ": nested deeper than 64 levels");
  EXPECT_EQ(Parsed("{\"name\": \"\xff\"}"), "f:1:11: '\"\\xff': not valid JSON here");
}

TEST(ConfigErrors, Names) {
  const std::string rule = "must be 1 to 64 letters, digits, '_', '-' or '.'";
  EXPECT_EQ(Parsed(R"({"isa": "1.0"})"), "f: name: is missing");
  EXPECT_EQ(Parsed(R"({"name": 7})"), "f: name = 7: must be a string");
  EXPECT_EQ(Parsed(R"({"name": ""})"), "f: name = \"\": " + rule);
  EXPECT_EQ(Parsed(R"({"name": "two words"})"), "f: name = \"two words\": " + rule);
  EXPECT_EQ(Parsed(R"({"name": ")" + std::string(65, 'a') + "\"}"),
            "f: name = \"" + std::string(56, 'a') + "...: " + rule);
  EXPECT_EQ(Ours(R"(, "about": true)"), "f: about = true: must be a string");
  EXPECT_EQ(Ours(R"(, "about": "a\nb")"), R"(f: about = "a\nb": must be one line)");
}

TEST(ConfigErrors, Versions) {
  EXPECT_EQ(Parsed(R"({"name": "x"})"), "f: isa: is missing");
  EXPECT_EQ(Parsed(R"({"name": "x", "isa": 1.0})"), "f: isa = 1.0: must be a string");
  EXPECT_EQ(Ours("", "0.0.1"), R"(f: isa = "0.0.1": must be "0.0.2" or "1.0")");
  EXPECT_EQ(WithArch(R"("requant": true)", "0.0.2"),
            R"(f: arch.requant = true: needs "isa": "1.0")");
  EXPECT_EQ(WithArch(R"("pad_value": true)", "0.0.2"),
            R"(f: arch.pad_value = true: needs "isa": "1.0")");
  EXPECT_EQ(WithArch(R"("overwrite": true)", "0.0.2"),
            R"(f: arch.overwrite = true: needs "isa": "1.0")");
  EXPECT_EQ(WithArch(R"("mul": true, "acc8": true)", "0.0.2"), "no error");
}

TEST(ConfigErrors, UnknownKeysListAllThatExist) {
  EXPECT_EQ(Ours(R"(, "arhc": {})"),
            "f: arhc: unknown key; known here: name, about, isa, arch, uarch, memory");
  EXPECT_EQ(WithArch(R"("acc_dept": 64, "batch": 1)"),
            "f: arch.acc_dept: unknown key; known here: batch, block_in, block_out, uop_depth, "
            "inp_depth, wgt_depth, acc_depth, mul, acc8, requant, pad_value, overwrite, "
            "requant_multiplier_bits, token_capacity, lut");
  EXPECT_EQ(Ours(R"(, "uarch": {"clock": 1})"),
            "f: uarch.clock: unknown key; known here: bus_bits, clock_mhz, command_queue_depth, "
            "fetch_buffer_instructions, outstanding_reads, max_burst_beats, multiplier, "
            "alu_read_ports, acc_banks");
  EXPECT_EQ(
      Ours(R"(, "memory": {"latency": 1})"),
      "f: memory.latency: unknown key; known here: preset, read_latency_cycles, "
      "write_latency_cycles, bytes_per_cycle, outstanding, banks, row_bytes, row_miss_cycles");
  EXPECT_EQ(Ours(R"(, "a\nb": 1)"),
            "f: a b: unknown key; known here: name, about, isa, arch, uarch, memory");
}

TEST(ConfigErrors, Sections) {
  EXPECT_EQ(Ours(R"(, "arch": 5)"), "f: arch = 5: must be an object");
  EXPECT_EQ(Ours(R"(, "uarch": null)"), "f: uarch = null: must be an object");
  EXPECT_EQ(Ours(R"(, "memory": "pynq")"), "f: memory = \"pynq\": must be an object");
  EXPECT_EQ(Ours(R"(, "memory": {"preset": "mars"})"),
            "f: memory.preset = \"mars\": must be one of pynq, ultra96, zcu104, kv260");
}

/// The rule of a parameter in words, from its row.
template <typename Section>
std::string RuleOf(const Parameter<Section>& row) {
  const std::string range = StrCat("in [", row.low, ", ", row.high, "]");
  switch (row.kind) {
    case kFlag:
      return "must be true or false";
    case kChoice:
      return "must be a string";
    case kPowerOfTwo:
      return "must be a power of two " + range;
    case kInteger:
      return "must be an integer " + range;
  }
  return "";
}

template <typename Section, size_t kRows>
void EveryParameterHasItsRange(const std::string& section,
                               const Parameter<Section> (&rows)[kRows]) {
  for (const Parameter<Section>& row : rows) {
    std::vector<std::string> bad = {"null", "[]", "{}"};
    if (row.kind != kChoice) bad.push_back("\"1\"");
    if (row.kind == kInteger || row.kind == kPowerOfTwo) {
      bad.insert(bad.end(), {"true", "1.5", StrCat(row.low - 1), StrCat(row.high + 1)});
      if (row.kind == kPowerOfTwo && row.high > 2) bad.push_back(StrCat(row.high - 1));
    } else {
      bad.insert(bad.end(), {"0", "1"});
    }
    for (const std::string& value : bad)
      EXPECT_EQ(Ours(StrCat(", \"", section, "\": {\"", row.key, "\": ", value, "}")),
                StrCat("f: ", section, ".", row.key, " = ", value, ": ", RuleOf(row)));
  }
}

TEST(Config, FlagsOfOperationsAreParametersOfTheirNames) {
  int flags = 0;
  for (const AluOpSpec& op : kAluOps) {
    if (!op.flag) continue;
    const auto row = std::find_if(std::begin(kArchParameters), std::end(kArchParameters),
                                  [&](const Parameter<Arch>& r) { return r.key == op.name; });
    ASSERT_NE(row, std::end(kArchParameters)) << op.name;
    EXPECT_EQ(row->member, static_cast<int64_t Arch::*>(op.flag));
    EXPECT_EQ(row->kind, ParameterKind::kFlag);
    Arch arch;
    EXPECT_EQ(FindAluOp(arch, static_cast<int64_t>(op.code)), nullptr);
    arch.*op.flag = 1;
    EXPECT_EQ(FindAluOp(arch, static_cast<int64_t>(op.code)), &op);
    ++flags;
  }
  EXPECT_GE(flags, 2);
}

TEST(ConfigErrors, Ranges) {
  EveryParameterHasItsRange("arch", kArchParameters);
  EveryParameterHasItsRange("uarch", kUarchParameters);
  EveryParameterHasItsRange("memory", kMemoryParameters);
  EXPECT_EQ(WithArch(R"("acc_depth": 100)"),
            "f: arch.acc_depth = 100: must be a power of two in [4, 2048]");
  EXPECT_EQ(Ours(R"(, "uarch": {"multiplier": "abacus"})"),
            "f: uarch.multiplier = \"abacus\": must be one of dsp, packed, lut");
}

TEST(ConfigErrors, ImpossibleCombinations) {
  const std::string deep = "the buffers are too deep together: field ";
  EXPECT_EQ(WithArch(R"("inp_depth": 4096)"),
            "f: arch = uop_depth 8192, inp_depth 4096, wgt_depth 1024, acc_depth 2048: " + deep +
                "wgt of uop would end at bit 33, its word ends at 32");
  EXPECT_EQ(WithArch(R"("requant_multiplier_bits": 16)"),
            "f: arch.requant_multiplier_bits = 16: needs arch.requant");
  EXPECT_EQ(WithArch(R"("lut": true)"), "f: arch.lut = true: needs arch.requant");
  EXPECT_EQ(WithArch(R"("lut": true)", "0.0.2"), R"(f: arch.lut = true: needs "isa": "1.0")");
  EXPECT_EQ(WithArch(R"("requant": true, "lut": true)"), "no error");
  EXPECT_EQ(WithArch(R"("block_in": 4)"),
            "f: uarch.bus_bits = 64: a beat of 8 bytes is wider than an input element of 4");
  EXPECT_EQ(WithArch(R"("block_out": 4)"),
            "f: uarch.bus_bits = 64: a beat of 8 bytes is wider than an output element of 4");
  EXPECT_EQ(Ours(R"(, "arch": {"requant": true, "acc_depth": 4}, "uarch": {"acc_banks": 2})"),
            "f: uarch.acc_banks = 2: a bank of 2 rows is smaller than a requant parameter block of "
            "3");
}

TEST(Config, AccumulatorBanks) {
  EXPECT_EQ(Ours(R"(, "uarch": {"acc_banks": 2})", "0.0.2"), "no error");
  EXPECT_EQ(Ours(R"(, "arch": {"acc_depth": 4}, "uarch": {"acc_banks": 2})"), "no error");
  EXPECT_EQ(Ours(R"(, "arch": {"requant": true, "acc_depth": 8}, "uarch": {"acc_banks": 2})"),
            "no error");
  EXPECT_EQ(Ours(R"(, "arch": {"requant": true, "acc_depth": 4}, "uarch": {"acc_banks": 1})"),
            "no error");
  EXPECT_EQ(Ours(R"(, "uarch": {"acc_banks": 4})"),
            "f: uarch.acc_banks = 4: must be a power of two in [1, 2]");
}

TEST(Config, AccumulatorBanksChangeTimeAlone) {
  for (const char* isa : {"0.0.2", "1.0"}) {
    const auto with = [&](int banks) {
      return ParseConfig(
          StrCat(R"({"name": "x", "isa": ")", isa, R"(", "uarch": {"acc_banks": )", banks, "}}"),
          "f");
    };
    EXPECT_EQ(ArchHash(with(2)), ArchHash(with(1)));
    EXPECT_NE(TimingHash(with(2)), TimingHash(with(1)));
  }
}

TEST(Config, WithoutLutItIsWhatItWas) {
  Config config = LoadConfig(SourcePath("isa/configs/only_requant.json"));
  // Of packages and hardware that were made before there was lut.
  EXPECT_EQ(ArchHash(config), 0x9ee2338f00f8c2e2);
  EXPECT_EQ(TimingHash(config), 0xa6fe6ceb138fdac9);
  EXPECT_THAT(ConfigToJson(config), testing::Not(testing::HasSubstr("lut\":")));
  const uint64_t without = ArchHash(config);
  config.arch.lut = 1;
  EXPECT_NE(ArchHash(config), without);
  EXPECT_THAT(ConfigToJson(config), testing::HasSubstr("\"lut\": true"));
}

TEST(ConfigErrors, WhatTheHardwareCannotBuild) {
  const auto hardware = [](const std::string& sections) {
    const Config config = ParseConfig(R"({"name": "x", "isa": "1.0", )" + sections + "}", "f");
    return ErrorOf([&] { CheckHardware(config, "f"); });
  };
  EXPECT_EQ(hardware(R"("arch": {"batch": 16, "block_in": 4, "block_out": 4},
                        "uarch": {"bus_bits": 512})"),
            "f: uarch.bus_bits = 512: a beat of 64 bytes is wider than a weight element of 16");
  EXPECT_EQ(hardware(R"("arch": {"uop_depth": 16, "block_in": 64, "block_out": 64, "wgt_depth": 64},
                        "uarch": {"bus_bits": 512})"),
            "f: arch.uop_depth = 16: must be at least 32: two rows of the micro-ops of a beat");
}

TEST(UpstreamConfig, LoadsUnchanged) {
  const Config config = ParseConfig(Upstream({}), "f");
  EXPECT_EQ(config.name, "upstream");
  EXPECT_EQ(config.arch, Arch{});  // the published default
  EXPECT_EQ(config.uarch, Uarch{});
  EXPECT_EQ(config.memory, Memory{});
  const Config other = ParseConfig(Upstream({{"TARGET", "\"ultra96\""},
                                             {"LOG_BATCH", "1"},
                                             {"LOG_BLOCK", "5"},
                                             {"LOG_UOP_BUFF_SIZE", "12"},
                                             {"LOG_INP_BUFF_SIZE", "14"},
                                             {"LOG_WGT_BUFF_SIZE", "16"},
                                             {"LOG_ACC_BUFF_SIZE", "17"}}),
                                   "f");
  EXPECT_EQ(other.arch, (Arch{.batch = 2,
                              .block_in = 32,
                              .block_out = 32,
                              .uop_depth = 1024,
                              .inp_depth = 256,
                              .wgt_depth = 64,
                              .acc_depth = 512}));
  EXPECT_EQ(other.uarch, (Uarch{.bus_bits = 128, .clock_mhz = 333}));
  for (const char* target : {"tsim", "pynq", "de10nano", "intelfocl", "zcu104"})
    EXPECT_EQ(Flat({{"TARGET", StrCat("\"", target, "\"")}}), "no error");
}

TEST(UpstreamConfig, NamesItsOwnKeys) {
  for (const char* key : {"TARGET", "HW_VER", "LOG_INP_WIDTH", "LOG_WGT_WIDTH", "LOG_ACC_WIDTH",
                          "LOG_BATCH", "LOG_BLOCK", "LOG_UOP_BUFF_SIZE", "LOG_INP_BUFF_SIZE",
                          "LOG_WGT_BUFF_SIZE", "LOG_ACC_BUFF_SIZE"})
    EXPECT_EQ(Flat({{key, ""}}), StrCat("f: ", key, ": is missing"));
  EXPECT_EQ(Flat({{"TARGET", "\"mars\""}}),
            "f: TARGET = \"mars\": must be one of sim, tsim, pynq, de10nano, intelfocl, ultra96, "
            "zcu104");
  EXPECT_EQ(Flat({{"HW_VER", "\"0.0.1\""}}),
            "f: HW_VER = \"0.0.1\": only the encoding of 0.0.2 is supported (0.0.1 has other field "
            "positions)");
  EXPECT_EQ(Flat({{"HW_VER", "2"}}), "f: HW_VER = 2: must be a string");
  EXPECT_EQ(Flat({{"LOG_INP_WIDTH", "4"}}), "f: LOG_INP_WIDTH = 4: must be 3");
  EXPECT_EQ(Flat({{"LOG_WGT_WIDTH", "1"}}), "f: LOG_WGT_WIDTH = 1: must be 3");
  EXPECT_EQ(Flat({{"LOG_ACC_WIDTH", "4"}}), "f: LOG_ACC_WIDTH = 4: must be 5");
  EXPECT_EQ(Flat({{"LOG_ACC_WIDTH", "true"}}), "f: LOG_ACC_WIDTH = true: must be 5");
  EXPECT_EQ(Flat({{"LOG_BATCH", "5"}}), "f: LOG_BATCH = 5: must be an integer in [0, 4]");
  EXPECT_EQ(Flat({{"LOG_BLOCK", "7"}}), "f: LOG_BLOCK = 7: must be an integer in [2, 6]");
  EXPECT_EQ(Flat({{"LOG_UOP_BUFF_SIZE", "16"}}),
            "f: LOG_UOP_BUFF_SIZE = 16: must be an integer in [6, 15]: 16 to 8192 micro-ops of 4 "
            "bytes");
  EXPECT_EQ(Flat({{"LOG_INP_BUFF_SIZE", "-1"}}),
            "f: LOG_INP_BUFF_SIZE = -1: must be an integer in [6, 20]: 4 to 65536 elements of 16 "
            "bytes");
  EXPECT_EQ(Flat({{"LOG_WGT_BUFF_SIZE", "25"}}),
            "f: LOG_WGT_BUFF_SIZE = 25: must be an integer in [10, 24]: 4 to 65536 elements of 256 "
            "bytes");
  EXPECT_EQ(Flat({{"LOG_ACC_BUFF_SIZE", "\"17\""}}),
            "f: LOG_ACC_BUFF_SIZE = \"17\": must be an integer in [8, 17]: 4 to 2048 elements of "
            "64 bytes");
  EXPECT_EQ(Flat({{"LOG_BLOCK_IN", "4"}}),
            "f: LOG_BLOCK_IN: unknown key; known here: HW_VER, TARGET, LOG_INP_WIDTH, "
            "LOG_WGT_WIDTH, LOG_ACC_WIDTH, LOG_BATCH, LOG_BLOCK, LOG_UOP_BUFF_SIZE, "
            "LOG_INP_BUFF_SIZE, LOG_WGT_BUFF_SIZE, LOG_ACC_BUFF_SIZE");
  EXPECT_EQ(Flat({{"LOG_INP_BUFF_SIZE", "16"}}),
            "f, as our sections: arch = uop_depth 8192, inp_depth 4096, wgt_depth 1024, acc_depth "
            "2048: the buffers are too deep together: field wgt of uop would end at bit 33, its "
            "word ends at 32");
  EXPECT_EQ(Flat({{"LOG_BLOCK", "2"},
                  {"LOG_INP_BUFF_SIZE", "12"},
                  {"LOG_WGT_BUFF_SIZE", "12"},
                  {"LOG_ACC_BUFF_SIZE", "13"}}),
            "f, as our sections: uarch.bus_bits = 64: a beat of 8 bytes is wider than an input "
            "element of 4");
}

TEST(ShippedConfigs, AreNamedAsTheirFilesAndSayWhatTheyAreFor) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("isa/configs"))) {
    const Config config = LoadConfig(entry.path());
    EXPECT_EQ(config.name + ".json", entry.path().filename());
    EXPECT_NE(config.about, "") << config.name;
    EXPECT_EQ(ErrorOf([&] { CheckHardware(config, config.name); }), "no error");
    const std::string text = ConfigToJson(config);
    EXPECT_EQ(ConfigToJson(ParseConfig(text, "written")), text);
    EXPECT_EQ(TimingHash(ParseConfig(text, "written")), TimingHash(config));
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST(ShippedConfigs, BoardsHaveTheMemoryOfTheirPreset) {
  for (const MemoryPreset& preset : kMemoryPresets) {
    const Config config = LoadConfig(SourcePath(StrCat("isa/configs/", preset.name, ".json")));
    EXPECT_EQ(config.memory, preset.At(config.uarch.clock_mhz)) << preset.name;
  }
  const Config slow = ParseConfig(
      R"({"name": "x", "isa": "1.0", "memory": {"bytes_per_cycle": 4, "preset": "pynq"}})", "f");
  Memory expected = kMemoryPresets[0].At(100);
  expected.bytes_per_cycle = 4;
  EXPECT_EQ(slow.memory, expected);
}

// By hand: 300 ns, 150 ns and 27.5 ns, 800 MB/s behind 64 bits.
TEST(MemoryPreset, IsConvertedAtTheClock) {
  const MemoryPreset& pynq = kMemoryPresets[0];
  const auto at = [&](int64_t mhz) { return pynq.At(mhz); };
  const auto memory = [](int64_t read, int64_t write, int64_t bytes, int64_t miss) {
    return Memory{.read_latency_cycles = read,
                  .write_latency_cycles = write,
                  .bytes_per_cycle = bytes,
                  .outstanding = 8,
                  .banks = 8,
                  .row_bytes = 2048,
                  .row_miss_cycles = miss};
  };
  EXPECT_EQ(at(100), memory(30, 15, 8, 3));  // 2.75 clocks
  EXPECT_EQ(at(142), memory(43, 22, 5, 4));  // 42.6, 21.3, 5.63, 3.9
  EXPECT_EQ(at(200), memory(60, 30, 4, 6));  // 5.5
  EXPECT_EQ(at(50), memory(15, 8, 8, 2));    // 16 bytes a clock, of which the port takes 8
  const auto of = [](std::string_view uarch, std::string_view preset) {
    return ErrorOf([&] {
      ParseConfig(StrCat(R"({"name": "x", "isa": "1.0", "uarch": {)", uarch,
                         R"(}, "memory": {"preset": ")", preset, R"("}})"),
                  "f");
    });
  };
  EXPECT_EQ(of(R"("bus_bits": 128)", "ultra96"), "no error");
  EXPECT_EQ(of(R"("bus_bits": 128)", "pynq"),
            "f: uarch.bus_bits = 128: must be at most 64: the port of the memory of pynq");
  EXPECT_EQ(of(R"("clock_mhz": 800)", "pynq"), "no error");
  EXPECT_EQ(
      of(R"("clock_mhz": 801)", "pynq"),
      "f: uarch.clock_mhz = 801: must be at most 800: the memory of pynq moves 800 MB/s, less "
      "than a byte a cycle");
}

}  // namespace
}  // namespace vta::isa
