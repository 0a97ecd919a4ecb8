// How fast the functional simulator multiplies: a 3x3 convolution of 64 -> 64 channels on 14x14 at
// 1x16x16, whole program (loads, reset, GEMM, shift, clip, stores), for two schedules and every
// SIMD path of this processor.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "isa/codec.h"
#include "sim/functional/machine.h"

namespace vta::sim {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

constexpr int64_t kSize = 14, kPadded = kSize + 2, kBlocks = 4, kKernel = 3;
constexpr int64_t kTaps = kKernel * kKernel;

// Element numbers in DRAM, each in its own type.
struct Places {
  int64_t uop = 0x0, inp = 0x1000, wgt = 0x200, out = 0x4000;
  uint64_t code = 0x80000;
};

class Program {
 public:
  explicit Program(const isa::Config& config) : layout_(config), dram_(1 << 20) {
    std::mt19937 random(1);
    for (size_t i = 0x10000; i < places_.code; ++i) dram_[i] = static_cast<uint8_t>(random());
  }

  Instruction& Add(Opcode opcode) {
    instructions_.emplace_back().opcode = static_cast<int64_t>(opcode);
    return instructions_.back();
  }
  Instruction& AddLoop(Opcode opcode, int64_t uop_begin, int64_t uop_end) {
    Instruction& insn = Add(opcode);
    insn.uop_begin = uop_begin;
    insn.uop_end = uop_end;
    insn.iter_out = insn.iter_in = 1;
    return insn;
  }
  Instruction& AddTransfer(Opcode opcode, MemoryType type, int64_t sram, int64_t dram, int64_t rows,
                           int64_t columns) {
    Instruction& insn = Add(opcode);
    insn.memory_type = static_cast<int64_t>(type);
    insn.sram_base = sram;
    insn.dram_base = dram;
    insn.y_size = rows;
    insn.x_size = insn.x_stride = columns;
    return insn;
  }
  int64_t AddUop(const isa::Uop& uop) {
    const uint32_t word = isa::EncodeUop(layout_, uop);
    std::memcpy(dram_.data() + 4 * uops_, &word, sizeof word);
    return uops_++;
  }

  // Everything fits at once: one token from load to compute, one from compute to store.
  void Convolution(bool positions_in_uops) {
    const Places p;
    const size_t uop_load = instructions_.size();
    Add(Opcode::kLoad);
    for (int64_t c = 0; c < kBlocks; ++c) {
      Instruction& load = AddTransfer(Opcode::kLoad, MemoryType::kInp, c * kPadded * kPadded,
                                      p.inp + c * kSize * kSize, kSize, kSize);
      load.y_pad_top = load.y_pad_bottom = load.x_pad_left = load.x_pad_right = 1;
    }
    AddTransfer(Opcode::kLoad, MemoryType::kWgt, 0, p.wgt, 1, kBlocks * kBlocks * kTaps).push_next =
        1;
    Reset();
    positions_in_uops ? PositionsInUops() : TapsInUops();
    for (AluOp op : {AluOp::kShr, AluOp::kMax, AluOp::kMin}) Pointwise(op);
    instructions_.back().push_next = 1;
    AddTransfer(Opcode::kStore, MemoryType::kOut, 0, p.out, 1, kBlocks * kSize * kSize).pop_prev =
        1;
    Add(Opcode::kFinish);
    Instruction& uops = instructions_[uop_load];
    uops.memory_type = static_cast<int64_t>(MemoryType::kUop);
    uops.y_size = 1;
    uops.x_size = uops_;
  }

  const std::vector<uint8_t>& dram() const { return dram_; }
  isa::LaunchRequest Finish() {
    const Places p;
    for (size_t i = 0; i < instructions_.size(); ++i)
      isa::StoreWord(isa::Encode(layout_, instructions_[i]),
                     dram_.data() + p.code + isa::kInstructionBytes * i);
    return {p.code, static_cast<int64_t>(instructions_.size()), {}};
  }

 private:
  void Reset() {
    const int64_t zero = AddUop({0, 0, 0});
    Instruction& reset = AddLoop(Opcode::kGemm, zero, zero + 1);
    reset.reset = reset.pop_prev = 1;
    reset.iter_out = kBlocks;
    reset.iter_in = kSize * kSize;
    reset.dst_factor_out = kSize * kSize;
    reset.dst_factor_in = 1;
  }
  // Hardware loops over rows and columns; a micro-op for each input block and tap.
  void TapsInUops() {
    for (int64_t o = 0; o < kBlocks; ++o) {
      const int64_t begin = uops_;
      for (int64_t c = 0; c < kBlocks; ++c)
        for (int64_t tap = 0; tap < kTaps; ++tap)
          AddUop({o * kSize * kSize, (c * kPadded + tap / kKernel) * kPadded + tap % kKernel,
                  (o * kBlocks + c) * kTaps + tap});
      Instruction& gemm = AddLoop(Opcode::kGemm, begin, uops_);
      gemm.iter_out = gemm.iter_in = kSize;
      gemm.dst_factor_out = kSize;
      gemm.src_factor_out = kPadded;
      gemm.dst_factor_in = gemm.src_factor_in = 1;
    }
  }
  // Micro-ops over all positions; hardware loops over the taps; an instruction for each pair of
  // blocks.
  void PositionsInUops() {
    for (int64_t o = 0; o < kBlocks; ++o)
      for (int64_t c = 0; c < kBlocks; ++c) {
        const int64_t begin = uops_;
        for (int64_t y = 0; y < kSize; ++y)
          for (int64_t x = 0; x < kSize; ++x)
            AddUop({(o * kSize + y) * kSize + x, (c * kPadded + y) * kPadded + x,
                    (o * kBlocks + c) * kTaps});
        Instruction& gemm = AddLoop(Opcode::kGemm, begin, uops_);
        gemm.iter_out = gemm.iter_in = kKernel;
        gemm.src_factor_out = kPadded;
        gemm.wgt_factor_out = kKernel;
        gemm.src_factor_in = gemm.wgt_factor_in = 1;
      }
  }
  void Pointwise(AluOp op) {
    const int64_t zero = AddUop({0, 0, 0});
    Instruction& alu = AddLoop(Opcode::kAlu, zero, zero + 1);
    alu.alu_opcode = static_cast<int64_t>(op);
    alu.use_imm = 1;
    alu.imm = op == AluOp::kShr ? 8 : op == AluOp::kMax ? 0 : 127;
    alu.iter_out = kBlocks;
    alu.iter_in = kSize * kSize;
    alu.dst_factor_out = kSize * kSize;
    alu.dst_factor_in = 1;
  }

  Places places_;
  isa::Layout layout_;
  std::vector<Instruction> instructions_;
  std::vector<uint8_t> dram_;
  int64_t uops_ = 0;
};

// The best of several runs of about a tenth of a second each.
double GigaMacsPerSecond(const isa::Config& config, Simd simd, const isa::LaunchRequest& request,
                         const std::vector<uint8_t>& image) {
  Machine machine(config, {.simd = simd});
  std::vector<uint8_t> dram = image;
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> spent{};
    int64_t macs = 0;
    do {
      const isa::LaunchResult result = machine.Run(request, dram);
      if (result.outcome != isa::Outcome::kFinished) {
        std::printf("%s\n", isa::Describe(result).c_str());
        return 0;
      }
      macs += result.counters.macs;
      spent = std::chrono::steady_clock::now() - start;
    } while (spent.count() < 0.1);
    best = std::max(best, macs / spent.count() * 1e-9);
  }
  return best;
}

int Main() {
  const isa::Config config;
  std::printf("3x3 convolution 64 -> 64 on 14x14 at 1x16x16, GMAC/s on one core\n");
  std::printf("%-24s %8s %8s %8s %10s %10s\n", "schedule", "vnni", "avx2", "scalar", "vnni/scal",
              "avx2/scal");
  for (bool positions_in_uops : {false, true}) {
    Program program(config);
    program.Convolution(positions_in_uops);
    const isa::LaunchRequest request = program.Finish();
    double speed[3] = {};
    int column = 0;
    for (Simd simd : {Simd::kVnni, Simd::kAvx2, Simd::kScalar})
      speed[column++] =
          SimdSupported(simd) ? GigaMacsPerSecond(config, simd, request, program.dram()) : 0;
    std::printf("%-24s %8.1f %8.1f %8.2f %10.1f %10.1f\n",
                positions_in_uops ? "positions in micro-ops" : "taps in micro-ops", speed[0],
                speed[1], speed[2], speed[0] / speed[2], speed[1] / speed[2]);
  }
  return 0;
}

}  // namespace
}  // namespace vta::sim

int main() { return vta::sim::Main(); }
