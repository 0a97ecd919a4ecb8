#include "tools/area/memories.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "isa/gen/systemverilog.h"

namespace vta::tools {
namespace {

/// So many rows of so many bits, of what is worth `takes`.
struct Shape {
  int64_t width, depth;
  Resources takes;
};
// What Yosys maps to; a block of an ECP5 is half a one of 36 kbit.
constexpr Resources kBlock{.bram = 1}, kHalf{.bram = 0.5};
constexpr Shape kXilinxBlocks[] = {{72, 512, kBlock}, {36, 1024, kBlock}, {18, 2048, kBlock},
                                   {9, 4096, kBlock}, {4, 8192, kBlock},  {2, 16384, kBlock},
                                   {36, 512, kHalf},  {18, 1024, kHalf},  {9, 2048, kHalf},
                                   {4, 4096, kHalf},  {2, 8192, kHalf}};
constexpr Shape kEcp5Blocks[] = {
    {36, 512, kHalf}, {18, 1024, kHalf}, {9, 2048, kHalf}, {4, 4096, kHalf}, {2, 8192, kHalf}};
// Tables: RAM32M and RAM64M; RAM32M16 and RAM64M8; TRELLIS_DPR16X4.
constexpr Shape kXc7Tables[] = {{6, 32, {.lut = 4}}, {3, 64, {.lut = 4}}};
constexpr Shape kXcupTables[] = {{14, 32, {.lut = 8}}, {7, 64, {.lut = 8}}};
constexpr Shape kEcp5Tables[] = {{4, 16, {.lut = 6}}};

struct FamilyMemories {
  std::string_view family;
  std::span<const Shape> tables, blocks;
  // Of tables up to so many rows, and beyond those up to so many bits.
  int64_t most_rows, most_bits;
  int64_t muxed;  // that a lookup table chooses from
};
constexpr FamilyMemories kFamilies[] = {{"xc7", kXc7Tables, kXilinxBlocks, 64, 2048, 4},
                                        {"xcup", kXcupTables, kXilinxBlocks, 64, 2048, 4},
                                        {"ecp5", kEcp5Tables, kEcp5Blocks, 32, 1024, 2}};

int64_t Pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }

// Of one lane, by the shape of which it takes the least; of two such the deeper one.
Resources OfLane(int64_t width, int64_t depth, const FamilyMemories& family) {
  const bool of_tables = depth <= family.most_rows || width * depth <= family.most_bits;
  struct Choice {
    double amount = HUGE_VAL;
    int64_t tiles = 0;
    Resources takes;
  } best;
  for (const Shape& shape : of_tables ? family.tables : family.blocks) {
    const int64_t tiles = Pieces(depth, shape.depth);
    const Resources takes = shape.takes * static_cast<double>(Pieces(width, shape.width) * tiles);
    const double amount = takes.lut + takes.bram;
    if (std::pair(amount, tiles) < std::pair(best.amount, best.tiles))
      best = {amount, tiles, takes};
  }
  if (of_tables) best.takes.ff += static_cast<double>(width);
  const auto tiles = static_cast<double>(best.tiles);
  best.takes.lut += tiles;  // which one is written
  if (best.tiles > 1) {
    best.takes.lut += static_cast<double>(width) * (best.tiles <= family.muxed ? 1 : tiles);
    if (!of_tables) best.takes.ff += std::ceil(std::log2(tiles));
  }
  return best.takes;
}

}  // namespace

std::vector<CoreMemory> CoreMemories(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  const isa::Uarch& uarch = config.uarch;
  constexpr int64_t kCommandBits = 160, kCommandQueues = 3, kReadClients = 2;
  const int64_t inp = config.inp_bytes() * 8, wgt = config.wgt_bytes() * 8,
                acc = config.acc_bytes() * 8, out = config.out_bytes() * 8, bus = uarch.bus_bits,
                uops = bus / isa::kUopBits, banks = uarch.acc_banks;
  const int64_t beats = std::max<int64_t>(uarch.outstanding_reads * isa::BurstBeats(config), 4);
  return {{.width = kCommandBits, .depth = uarch.command_queue_depth, .count = kCommandQueues},
          {.width = bus + 1, .depth = isa::FetchBeats(config)},
          {.width = bus + 1, .depth = beats, .count = kReadClients},
          {.width = isa::kUopBits, .depth = arch.uop_depth / uops, .count = uops},
          {.width = inp, .depth = arch.inp_depth, .lanes = inp / bus, .registered = true},
          {.width = wgt, .depth = arch.wgt_depth, .lanes = wgt / bus, .registered = true},
          {.width = acc,
           .depth = arch.acc_depth / banks,
           .lanes = acc / bus,
           .count = uarch.alu_read_ports * banks},
          {.width = out, .depth = arch.acc_depth / banks, .count = banks}};
}

Resources ResourcesOf(const CoreMemory& memory, std::string_view family) {
  const auto* const found = std::ranges::find(kFamilies, family, &FamilyMemories::family);
  Resources takes =
      OfLane(memory.width / memory.lanes, memory.depth, *found) * static_cast<double>(memory.lanes);
  if (memory.registered) takes.ff += static_cast<double>(memory.width + 1);
  return takes * static_cast<double>(memory.count);
}

}  // namespace vta::tools
