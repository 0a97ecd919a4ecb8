// The energy model: events of a small convolution, and what they cost, counted by pencil.
#include "tools/energy/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "isa/codec.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tests/support/error_of.h"
#include "tools/area/kept_area.h"
#include "tools/area/predict.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// 8 x 8 multipliers. Bytes of a row: uop 4, wgt 64, inp 8, acc 32, out 8.
isa::Config Small() {
  return isa::ParseConfig(R"({"name": "small", "isa": "1.0", "arch": {
      "block_in": 8, "block_out": 8, "uop_depth": 16, "inp_depth": 64, "wgt_depth": 64,
      "acc_depth": 64, "requant": true, "pad_value": true, "overwrite": true}})",
                          "small.json");
}

Instruction Transfer(Opcode opcode, MemoryType type, int64_t rows, int64_t elements) {
  Instruction insn;
  insn.opcode = static_cast<int64_t>(opcode);
  insn.memory_type = static_cast<int64_t>(type);
  insn.y_size = rows, insn.x_size = insn.x_stride = elements;
  return insn;
}

// Micro-ops [begin, end) for each of 3 x 3 outputs.
Instruction OnOutputs(Opcode opcode, int64_t begin, int64_t end) {
  Instruction insn;
  insn.opcode = static_cast<int64_t>(opcode);
  insn.uop_begin = begin, insn.uop_end = end;
  insn.iter_out = insn.iter_in = 3;
  insn.dst_factor_out = 3, insn.dst_factor_in = 1;
  return insn;
}

Instruction Alu(AluOp op, bool use_imm) {
  Instruction insn = OnOutputs(Opcode::kAlu, 9, 10);
  insn.alu_opcode = static_cast<int64_t>(op);
  insn.use_imm = use_imm;
  return insn;
}

class Program {
 public:
  explicit Program(const isa::Config& config) : layout_(config) {}
  void Add(const Instruction& insn) { words_.push_back(isa::Encode(layout_, insn)); }
  void MicroOp(const isa::Uop& uop) {
    const uint32_t word = isa::EncodeUop(layout_, uop);
    for (int b = 0; b < 4; ++b) uops_.push_back(static_cast<uint8_t>(word >> (8 * b)));
  }
  // Micro-ops lie `address` bytes behind their base register.
  Events Count(int64_t address = 0) const {
    const MicroOpImage image{address, uops_};
    return EventCounter(layout_, image).Count(words_);
  }

 private:
  isa::Layout layout_;
  std::vector<isa::Word> words_;
  std::vector<uint8_t> uops_;
};

// A convolution of 3 x 3 over 8 channels of 3 x 3 pixels, padded by 1, to 8 channels; rescaled, a
// residual added, and a ReLU.
Program SmallConvolution() {
  Program program(Small());
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t x = 0; x < 3; ++x) program.MicroOp({0, 5 * y + x, 3 * y + x});
  program.MicroOp({0, 20, 0});  // the block of parameters, and residuals
  program.Add(Transfer(Opcode::kLoad, MemoryType::kUop, 1, 10));
  Instruction inputs = Transfer(Opcode::kLoad, MemoryType::kInp, 3, 3);
  inputs.y_pad_top = inputs.y_pad_bottom = inputs.x_pad_left = inputs.x_pad_right = 1;
  program.Add(inputs);
  program.Add(Transfer(Opcode::kLoad, MemoryType::kWgt, 1, 9));
  program.Add(Transfer(Opcode::kLoad, MemoryType::kAcc, 1, 3));
  Instruction reset = OnOutputs(Opcode::kGemm, 0, 1);
  reset.reset = 1;
  program.Add(reset);
  Instruction multiply = OnOutputs(Opcode::kGemm, 0, 9);
  multiply.src_factor_out = 5, multiply.src_factor_in = 1;
  program.Add(multiply);
  program.Add(Alu(AluOp::kRequant, false));
  program.Add(Alu(AluOp::kAdd, false));
  program.Add(Alu(AluOp::kMax, true));
  program.Add(Transfer(Opcode::kStore, MemoryType::kOut, 3, 3));
  program.Add(Instruction{.opcode = static_cast<int64_t>(Opcode::kFinish)});
  return program;
}

TEST(Events, OfAConvolutionAreThoseByPencil) {
  const Events events = SmallConvolution().Count();
  EXPECT_EQ(events.macs, 9 * 8 * 9 * 8);  // outputs, their channels, taps, channels
  // 9 outputs of 8 channels: min, max, add, shr, mul, requant, lut.
  EXPECT_THAT(events.lanes, ElementsAre(0, 72, 72, 0, 0, 72, 0));
  // Micro-ops: 9 of the reset, 81 of the taps, 9 of each ALU instruction. acc: 81 of the taps; 9
  // and one block of 3 of requant; 9 and 9 of the sum; 9 of the ReLU.
  EXPECT_THAT(events.reads, ElementsAre(9 + 81 + 27, 81, 81, 81 + 12 + 18 + 9, 9));
  // 10 micro-ops, 9 taps, 5 x 5 inputs with pads, 3 rows of parameters.
  EXPECT_THAT(events.writes, ElementsAre(10, 9, 25, 3 + 117, 117));
  EXPECT_THAT(events.bytes, ElementsAre(40, 9 * 64, 9 * 8, 3 * 32, 9 * 8, 0, 0));
  EXPECT_EQ(events.instruction_bytes, 11 * 16);
}

TEST(Events, KnowWhatIsNotRead) {
  Program program(Small());
  Instruction first = OnOutputs(Opcode::kGemm, 0, 1);
  first.overwrite = 1;
  program.Add(first);
  Instruction nothing = Transfer(Opcode::kLoad, MemoryType::kInp, 1, 0);
  nothing.y_pad_top = 1;
  program.Add(nothing);
  const Events events = program.Count();
  EXPECT_THAT(events.reads, ElementsAre(9, 9, 9, 0, 0));
  EXPECT_THAT(events.writes, ElementsAre(0, 0, 0, 9, 9));
}

// A block for each of 3 rows of outputs: read once for each, though three outputs use it.
TEST(Events, CountBlocksOfParametersWhereTheyChange) {
  for (const int64_t address : {0, 64}) {
    Program program(Small());
    program.MicroOp({0, 1, 0});
    program.MicroOp({1, 4, 0});
    Instruction load = Transfer(Opcode::kLoad, MemoryType::kUop, 2, 1);
    load.dram_base = address / 4;
    load.sram_base = 3;
    program.Add(load);
    Instruction requant = OnOutputs(Opcode::kAlu, 3, 4);
    requant.alu_opcode = static_cast<int64_t>(AluOp::kRequant);
    requant.src_factor_out = 3;
    program.Add(requant);  // blocks at 1, 4, 7
    requant.uop_end = 5, requant.iter_out = 1, requant.src_factor_in = 3;
    program.Add(requant);  // at 1, 4, 4, 7, 7, 10
    const int64_t micro_ops = 9 + 6, blocks = 3 + 4;
    EXPECT_EQ(program.Count(address).reads[static_cast<size_t>(MemoryType::kAcc)],
              micro_ops + 3 * blocks);
  }
}

const EnergyRow& RowOf(const Energy& energy, const std::string& group, const std::string& name) {
  for (const EnergyRow& row : energy.rows)
    if (row.group == group && row.name == name) return row;
  ADD_FAILURE() << group << " " << name;
  return energy.rows[0];
}

// 45 nm, by the figures of its table: memories of 512 bytes take 10 pJ / 4, as those of 8 KB and 32
// KB differ by 2.
TEST(Energy, OfAConvolutionIsThatByPencil) {
  const EnergyModel model = FindEnergyModel("45nm,ddr3", Small());
  const Energy energy =
      EnergyOf(model, Small(), SmallConvolution().Count(), {.cycles = 300, .busy = 200, .mhz = 500},
               {.lut = 1000, .ff = 2000});
  const auto pj = [&](const char* group, const char* name) {
    return 1e9 * RowOf(energy, group, name).mj();
  };
  EXPECT_NEAR(pj("MACs", "MAC"), 5184 * 0.3, 1e-6);
  EXPECT_NEAR(pj("ALU", "add"), 72 * 0.1, 1e-6);
  EXPECT_NEAR(pj("ALU", "requant"), 72 * (3.1 + 0.58436 + 5 * 0.1), 1e-6);
  EXPECT_NEAR(pj("scratchpads", "wgt read"), 81 * 8 * 2.5, 1e-6);
  EXPECT_NEAR(pj("scratchpads", "acc written"), 120 * 4 * 2.5, 1e-6);
  EXPECT_NEAR(pj("scratchpads", "inp written"), 25 * 2.5, 1e-6);
  EXPECT_NEAR(pj("scratchpads", "uop read"), 117 * 0.5 * 10 / std::sqrt(128), 1e-6);
  // Bits of rows: uop 32, inp and out 64, wgt 512, acc 256; of products 16.
  const int64_t bits = 32 * 127 + 64 * (106 + 126) + 512 * 90 + 256 * 240 + 16 * 5184;
  EXPECT_EQ(RowOf(energy, "registers", "pipeline").count, bits);
  EXPECT_NEAR(pj("DRAM", "wgt read"), 576 * 8 * 70, 1e-6);
  EXPECT_NEAR(pj("DRAM", "out written"), 72 * 8 * 70, 1e-6);
  EXPECT_NEAR(pj("DRAM", "instructions read"), 176 * 8 * 70, 1e-6);
  EXPECT_NEAR(pj("clock", "compute busy"), 200 * 2000 * 0.0057124, 1e-6);
  EXPECT_NEAR(pj("clock", "compute idle"), 100 * 2000 * 0.0057124, 1e-6);
  // 600 ns. 64 multipliers and 2000 flip-flops; 64 + 4096 + 512 + 2048 + 512 bytes.
  EXPECT_NEAR(pj("static", "logic"), 600e-9 * (64 * 3884.45 + 2000 * 53.278) * 1e3, 1e-6);
  EXPECT_NEAR(pj("static", "memories"), 600e-9 * 7232 * 21.212 * 1e3, 1e-6);
  EXPECT_NEAR(energy.ms, 0.0006, 1e-12);
  double sum = 0;
  for (const EnergyRow& row : energy.rows) sum += row.mj();
  EXPECT_DOUBLE_EQ(energy.mj(), sum);
  EXPECT_THAT(EnergyLine(energy), StartsWith("energy (a model: 45nm, ddr3): "));
  EXPECT_THAT(EnergyLine(energy), HasSubstr("; dominated by DRAM 9"));
}

TEST(Energy, OfNothingIsNone) {
  const EnergyModel model{.technology = ParseTechnology(R"({"technology": "t", "about": "a",
      "rules": {"none": {"factor": 0, "source": "s"}, "same": {"factor": 1, "source": "s"}},
      "figures": {
        "mac_pj": {"scaled": "none", "from": "28nm"}, "add_pj": {"value": 0, "source": "s"},
        "shift_pj": {"value": 0, "source": "s"}, "multiply_pj": {"value": 0, "source": "s"},
        "register_write_pj": {"value": 0, "source": "s"},
        "register_clock_pj": {"value": 0, "source": "s"},
        "sram_pj": {"scaled": "same", "from": "28nm"},
        "static_mac_nw": {"value": 0, "source": "s"},
        "static_flip_flop_nw": {"value": 0, "source": "s"},
        "static_lut_nw": {"value": 0, "source": "s"},
        "static_sram_byte_nw": {"value": 0, "source": "s"}}})",
                                                        "t.json"),
                          .dram = "ddr3"};
  const Energy energy = EnergyOf(model, Small(), {}, {.cycles = 10, .busy = 1, .mhz = 100}, {});
  EXPECT_EQ(energy.mj(), 0);
  EXPECT_THAT(EnergyLine(energy), HasSubstr(": 0 mJ, 0 mW; dominated by MACs 0 %, ALU 0 %"));
}

TEST(Technologies, ScaleByTheirRules) {
  const Technology of45 = LoadTechnology("45nm"), of28 = LoadTechnology("28nm"),
                   of16 = LoadTechnology("16nm"), fabric = LoadTechnology("fpga_28nm");
  // Energy factors of Stillmaker and Baas' table: HP, at volts.
  const auto factor = [](double a, double b, double c, double volts) {
    return a * volts * volts + b * volts + c;
  };
  const double nm45 = factor(1.018, -0.3107, 0.1539, 0.9);
  const double nm32 = factor(0.8367, -0.4341, 0.1701, 0.9);  // 0.4571 in their example
  const double nm20 = factor(0.373, -0.1582, 0.04104, 0.9);
  EXPECT_NEAR(nm32, 0.4571, 1e-4);
  EXPECT_NEAR(of28.mac_pj / of45.mac_pj, (2 * nm32 + nm20) / 3 / nm45, 1e-4);
  EXPECT_NEAR(of16.mac_pj / of45.mac_pj, factor(0.2958, -0.1241, 0.03024, 0.8) / nm45, 1e-4);
  EXPECT_DOUBLE_EQ(fabric.mac_pj, 7.1 * of28.mac_pj);
  EXPECT_DOUBLE_EQ(fabric.add_pj, 14 * of28.add_pj);
  EXPECT_DOUBLE_EQ(of28.sram_pj.At(8192), of45.sram_pj.At(8192) * 0.5319);
  for (const std::string& name : ShippedTechnologies()) EXPECT_EQ(LoadTechnology(name).name, name);
}

TEST(Technologies, HaveMemoriesOfAnySize) {
  const SramEnergy sram = LoadTechnology("45nm").sram_pj;
  EXPECT_NEAR(sram.At(8192), 10, 1e-9);
  EXPECT_NEAR(sram.At(16384), 10 * std::sqrt(2), 1e-9);
  EXPECT_NEAR(sram.At(32768), 20, 1e-9);
  EXPECT_NEAR(sram.At(1 << 20), 100, 1e-9);
  EXPECT_NEAR(sram.At(1 << 25), 500, 1e-9);  // 32 times as large as 1 MB, which is 32 times 32 KB
  EXPECT_NEAR(sram.OfRow(1024, 2048), 32 * 10, 1e-9);
  EXPECT_NEAR(sram.OfRow(2048, 32), 0.5 * 10, 1e-9);
}

TEST(Technologies, AreChosenByTheBoard) {
  const auto chosen = [](const std::string& choice, const std::string& config) {
    const EnergyModel model = FindEnergyModel(choice, FindConfig(config));
    return model.technology.name + " " + model.dram;
  };
  EXPECT_EQ(chosen("", "pynq"), "fpga_28nm ddr3");
  EXPECT_EQ(chosen("", "ultra96"), "fpga_16nm lpddr4");
  EXPECT_EQ(chosen("", "zcu104"), "fpga_16nm ddr4");
  EXPECT_EQ(chosen("", "default"), "28nm lpddr4");
  EXPECT_EQ(chosen("45nm", "pynq"), "45nm ddr3");
  EXPECT_EQ(chosen(",ddr4", "pynq"), "fpga_28nm ddr4");
  EXPECT_EQ(chosen("16nm,lpddr2", "pynq"), "16nm lpddr2");
}

// Counts where they are kept, predictions elsewhere.
TEST(EnergyResources, AreWhatYosysCountsOrNearIt) {
  const isa::Config pynq = FindConfig("pynq");
  const auto counted = AreaEstimateOf(pynq, FindPart("xc7z020"));
  ASSERT_TRUE(counted);
  EXPECT_EQ(ResourcesOf(pynq), counted->resources);
  EXPECT_NE(ResourcesOf(pynq), FittedResources(pynq));
  EXPECT_EQ(ResourcesOf(Small()), FittedResources(Small()));
}

}  // namespace
}  // namespace vta::tools
