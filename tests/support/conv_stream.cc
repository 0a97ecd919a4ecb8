#include "tests/support/conv_stream.h"

#include <algorithm>

#include "tests/support/random_kernels.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

constexpr int64_t kInpSlot = 1024, kWgtSlot = 512, kAccSlot = 1024;
constexpr int64_t kPixels = 196, kChannels = 4;  // of an output tile: rows of acc

class StreamWriter {
 public:
  explicit StreamWriter(const ConvStream& shape) : shape_(shape) {
    const isa::Config& c = program_.config;
    // Feature maps by layer, each tile a part, then weights.
    map_elements_ = shape.tiles * kPixels * kChannels;
    const int64_t maps = (shape.layers + 1) * map_elements_ * c.out_bytes();
    const int64_t weights = shape.reduction * kWgtSlot * c.wgt_bytes();
    weight_element_ = maps / c.wgt_bytes() + 1;
    program_.memory.resize((weight_element_ + 1) * c.wgt_bytes() + weights);
  }

  TestProgram Run() && {
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      LoadKernels(layer);
      for (int64_t tile = 0; tile < shape_.tiles; ++tile) Tile(layer, tile);
    }
    Add({.opcode = static_cast<int64_t>(Opcode::kFinish)});
    return std::move(program_);
  }

 private:
  Instruction& Add(const Instruction& insn) {
    program_.instructions.push_back(insn);
    return program_.instructions.back();
  }

  /// A GEMM kernel for each pair of slots, and one row for reset and ALU.
  void LoadKernels(int64_t layer) {
    std::vector<isa::Uop> kernels;
    for (int64_t acc = 0; acc < 2; ++acc)
      for (int64_t inp = 0; inp < 2; ++inp)
        for (int64_t u = 0; u < shape_.kernel_uops; ++u)
          kernels.push_back({acc * kAccSlot + u % kChannels * kPixels,
                             inp * kInpSlot + (u / kChannels + layer) % 9 * 16,
                             inp * kWgtSlot + (u + layer) % kWgtSlot});
    kernels.push_back({0}), kernels.push_back({kAccSlot});
    const int64_t element = AppendUops(program_, kernels);
    Add(LoadRows(MemoryType::kUop, 0, std::ssize(kernels), element));
  }

  Instruction Loop(Opcode opcode, int64_t uop_begin, int64_t uops) const {
    return {.opcode = static_cast<int64_t>(opcode),
            .uop_begin = uop_begin,
            .uop_end = uop_begin + uops,
            .iter_out = 1,
            .iter_in = 1};
  }

  void Tile(int64_t layer, int64_t tile) {
    const int64_t acc = tiles_done_ % 2;
    const int64_t simple = 4 * shape_.kernel_uops + acc;
    Instruction all = Loop(Opcode::kGemm, simple, 1);
    all.iter_in = kPixels * kChannels, all.dst_factor_in = 1, all.reset = 1;
    all.pop_next = tiles_done_ >= 2;
    Add(all);
    for (int64_t step = 0; step < shape_.reduction; ++step) Step(layer, tile, step, acc);
    all.pop_next = 0, all.reset = 0, all.opcode = static_cast<int64_t>(Opcode::kAlu);
    all.use_imm = 1, all.src_factor_in = 1;
    for (isa::AluOp op : {isa::AluOp::kAdd, isa::AluOp::kShr, isa::AluOp::kMax, isa::AluOp::kMin}) {
      all.alu_opcode = static_cast<int64_t>(op);
      Add(all);
    }
    program_.instructions.back().push_next = 1;

    Instruction store = LoadRows(MemoryType::kOut, acc * kAccSlot, kPixels * kChannels,
                                 (layer + 1) * map_elements_ + tile * kPixels * kChannels);
    store.opcode = static_cast<int64_t>(Opcode::kStore);
    store.pop_prev = store.push_prev = 1;
    Add(store);
    ++tiles_done_;
  }

  void Step(int64_t layer, int64_t tile, int64_t step, int64_t acc) {
    const int64_t slot = steps_done_ % 2;
    Instruction load = LoadRows(MemoryType::kInp, slot * kInpSlot, 0, 0);
    // An 18x18 window with its border padded, of the map that the layer before stored.
    load.dram_base = layer * map_elements_ + tile * kPixels * kChannels + step % kChannels * 16;
    load.y_size = 16, load.x_size = 16, load.x_stride = 32;
    load.y_pad_top = load.y_pad_bottom = load.x_pad_left = load.x_pad_right = 1;
    load.pop_next = steps_done_ >= 2;
    Add(load);
    Instruction weights =
        LoadRows(MemoryType::kWgt, slot * kWgtSlot, kWgtSlot, weight_element_ + step * kWgtSlot);
    weights.push_next = 1;
    Add(weights);

    Instruction gemm =
        Loop(Opcode::kGemm, (2 * acc + slot) * shape_.kernel_uops, shape_.kernel_uops);
    gemm.iter_out = 14, gemm.iter_in = shape_.loop_trips / 14;
    gemm.dst_factor_out = 14, gemm.dst_factor_in = gemm.iter_in > 14 ? 0 : 1;
    gemm.src_factor_out = 9, gemm.src_factor_in = gemm.iter_in > 14 ? 0 : 1;
    gemm.pop_prev = gemm.push_prev = 1;
    Add(gemm);
    ++steps_done_;
  }

  ConvStream shape_;
  TestProgram program_;
  int64_t map_elements_ = 0, weight_element_ = 0;
  int64_t tiles_done_ = 0, steps_done_ = 0;
};

}  // namespace

TestProgram MakeConvStream(const ConvStream& shape) { return StreamWriter(shape).Run(); }

}  // namespace vta::test
