#include "compiler/targets/vta/kernels/conv/tiling.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/lower/dma_fold.h"
#include "compiler/targets/vta/lower/sum_steps.h"
#include "compiler/targets/vta/tasks/uop_memory.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kDmaCycles = 6;   // of the bus, for each DMA
constexpr int64_t kRowCycles = 1;   // and for each of its rows
constexpr int64_t kTaskCycles = 8;  // to fill and drain the compute pipeline

/// Of an output block.
int64_t ParameterRowsOf(const isa::Config& config, const ConvShape& s) {
  return EpilogueSets(s) * ParameterRows(EpilogueOf(config, s.wide_shift)) + BorderRows(s);
}

/// Output pixels at borders where pads add something.
int64_t BorderPixels(const ConvShape& s) {
  if (!s.border_rows) return 0;
  const Border lines = s.border_h(), columns = s.border_w();
  const int64_t inside =
      (lines.size - lines.before - lines.after) * (columns.size - columns.before - columns.after);
  return s.out_h() * s.out_w() - inside;
}

/// Passes of the compute module over a tile once its sums are complete.
int64_t EpiloguePasses(const isa::Config& config, const ConvShape& s) {
  return AluPasses(EpilogueOf(config, s.wide_shift)) +
         (s.residual ? s.residual->Passes(config) : 0) +
         (s.bend ? kBendResets + s.bend->AluPasses() : 0);
}

/// Of these, those of the ALU.
int64_t AluPassesOf(const isa::Config& config, const ConvShape& s) {
  const int64_t passes = EpiloguePasses(config, s) - (s.bend ? kBendResets : 0);
  if (!s.residual) return passes;
  const int64_t resets = s.residual->beside() ? ResetPasses(config) : 0;
  return passes - ChannelBlocks(config).in_parts * s.residual->terms - resets;
}

/// And of those, the ones over two rows of the accumulator.
int64_t TensorPassesOf(const isa::Config& config, const ConvShape& s) {
  const int64_t own = TensorPasses(EpilogueOf(config, s.wide_shift)) + (s.bend ? kBendTensors : 0);
  return s.residual ? own + s.residual->beside() + TensorPasses(EpilogueOf(config)) : own;
}

/// Cycles of a tile's requantisation in which parameters of another channel block are read.
int64_t ParameterChanges(const isa::Config& config, const ConvShape& s) {
  if (EpilogueOf(config) != EpilogueKind::kRequant) return 0;
  return ConvBlocks(config, s).out_parts * EpilogueSets(s) *
         (isa::timing::kRequantBlockCycles + isa::timing::kRequantDrainCycles);
}

/// The weights that widen a residual's operand.
int64_t SkipWeights(const isa::Config& config, const ConvShape& s) {
  const ConvBlocks blocks(config, s);
  return s.residual ? s.residual->terms * blocks.in_parts * blocks.out_parts : 0;
}

/// Instructions of the ALU that take a maximum of windows.
int64_t MaximumStages(const ConvShape& s) {
  return s.max ? s.max->kw - 1 + s.max->kh - 1 + s.max->kept_lines() : 0;
}

/// The sizes that follow from a tiling.
struct Sizes {
  int64_t lines, columns;  // of the convolution, for a tile
  int64_t tiles_h, tiles_w, tiles_co, steps;
  int64_t in_h, in_w;                                    // input rows and columns of a step
  int64_t inp_rows, wgt_rows, acc_rows, parameter_rows;  // of one load or tile
  int64_t out_rows;                                      // of one store
  int64_t skip_rows;                                     // of inp: a residual's operand
  int64_t step_copies;                                   // of what a step loads
  int64_t inp_copies, wgt_copies, acc_copies, parameter_copies;

  Sizes(const ConvShape& s, const ConvConstants& constants, const ConvTiling& t) {
    const ConvBlocks& blocks = constants.blocks;
    lines = t.height * (s.max ? s.max->stride_h : 1);
    columns = t.width * (s.max ? s.max->stride_w : 1);
    tiles_h = CeilDiv(s.result_h(), t.height);
    tiles_w = CeilDiv(s.result_w(), t.width);
    tiles_co = CeilDiv(s.co, t.co);
    steps = CeilDiv(s.ci, t.ci) * CeilDiv(s.kh, t.kh);
    // What is kept holds the inputs of whole steps.
    const int64_t ci = t.keep_inputs ? std::min(CeilDiv(s.ci, t.ci) * t.ci, s.groups * s.ci) : t.ci;
    const int64_t kh = t.keep_inputs ? CeilDiv(s.kh, t.kh) * t.kh : t.kh;
    in_h = std::min((lines - 1) * s.stride_h + (kh - 1) * s.dilation_h + 1,
                    s.in_h + s.pad_top + s.pad_bottom);
    in_w = std::min((columns - 1) * s.stride_w + s.reach_w(), s.in_w + s.pad_left + s.pad_right);
    if (s.picks()) in_h = lines;
    if (constants.picked_step > 1) in_w = columns;
    inp_rows = ci * in_h * in_w * blocks.in_parts;
    const int64_t taps = s.shared_weights ? 1 : t.co * (t.keep_weights ? s.kh : t.kh) * s.kw;
    wgt_rows = (t.keep_weights ? s.ci : t.ci) * taps * blocks.in_parts * blocks.out_parts;
    wgt_rows *= s.weight_terms;
    acc_rows = t.co * lines * columns * blocks.out_parts;
    out_rows = t.co * t.height * t.width * blocks.out_parts;
    skip_rows = s.residual ? t.co * t.height * t.width * blocks.in_parts : 0;
    parameter_rows = t.co * constants.parameter_rows * blocks.out_parts;
    acc_copies = t.threads != ThreadAxis::kNone ? 2 : t.slots;
    step_copies = t.threads != ThreadAxis::kNone ? 2 : t.load_slots;
    inp_copies = t.keep_inputs ? t.slots : step_copies;
    wgt_copies = t.keep_weights ? t.slots : step_copies;
    parameter_copies = t.channels_outer ? t.slots : acc_copies;
  }
};

/// Points of loops of which hardware takes two.
int64_t Uops(std::initializer_list<int64_t> loops) {
  int64_t points = 1, longest = 1, second = 1;
  for (const int64_t extent : loops) {
    points *= extent;
    second = std::max(second, std::min(longest, extent));
    longest = std::max(longest, extent);
  }
  return points / (longest * second);
}

/// Micro-ops of a tile's GEMMs, in each place in which their operands lie.
int64_t KernelUops(const isa::Config& config, const ConvShape& s, const ConvBlocks& blocks,
                   const ConvTiling& t, const Sizes& z) {
  const int64_t weights = t.co * t.ci * t.kh * s.kw * blocks.in_parts * blocks.out_parts;
  const int64_t step = s.absent_products > 0
                           ? weights * (z.lines / t.height) * (z.columns / t.width)
                           : Uops({t.co, t.ci, t.kh, s.kw, t.height, t.width, z.lines / t.height,
                                   z.columns / t.width, blocks.in_parts * blocks.out_parts});
  const int64_t places = z.acc_copies * z.step_copies;
  if (!config.arch.overwrite) return step * places;
  // The first step as SplitSum makes it, where the tile's first loads lie.
  const int64_t first_places =
      std::lcm(z.acc_copies, z.step_copies / std::gcd(z.step_copies, z.steps));
  const int64_t boxes = (t.ci > 1) + (t.kh > 1) + (s.kw > 1) + (blocks.in_parts > 1);
  const int64_t product =
      Uops({t.co, t.height, t.width, z.lines / t.height, z.columns / t.width, blocks.out_parts});
  const int64_t terms = t.ci * t.kh * s.kw * blocks.in_parts;
  const bool points = InMicroOps(config, product * (terms - 1), boxes);
  return (points ? product * terms : product + boxes * step) * first_places +
         (z.steps > 1 ? step * places : 0);
}

/// Whether tiles take turns in the accumulator's banks. Two slots that fit fit a bank each; lines
/// that are kept lie in both slots.
bool InBanks(const isa::Config& config, const ConvShape& s, const ConvTiling& t) {
  return config.uarch.acc_banks > 1 && !KeepsLines(s, t) && t.threads == ThreadAxis::kNone &&
         t.slots == config.uarch.acc_banks;
}

/// Cycles of the ALU instructions of a tile of so many rows beside which the GEMM instructions of
/// the next one run.
int64_t HiddenCycles(const ConvShape& s, const ConvConstants& constants, const Sizes& z,
                     int64_t rows) {
  const int64_t gemms = z.steps + 1;
  const int64_t passes = constants.alu_passes, alus = passes + MaximumStages(s);
  const int64_t beside = std::min({alus, gemms, constants.products});
  const int64_t maxima = s.maximum_passes() * z.out_rows / (s.result_h() * s.result_w());
  const int64_t cycles = passes * rows + maxima;
  return beside * std::max<int64_t>(cycles / alus - isa::timing::kReachCycles, 0);
}

/// Micro-ops of the maxima of a tile's windows.
int64_t MaximumUops(const ConvShape& s, const ConvTiling& t, int64_t parts) {
  if (!s.max) return 0;
  return (s.max->kw - 1) * Uops({t.co, t.height, t.width, s.max->stride_h, parts}) +
         (s.max->kh - 1 + s.max->kept_lines()) * Uops({t.co, t.height, t.width, parts});
}

/// Micro-ops of a tile's additions, or further epilogues, at borders.
int64_t BorderUops(const ConvShape& s, const ConvTiling& t, int64_t parts) {
  if (!s.border_rows && !s.border_scales) return 0;
  int64_t uops = 0;
  for (const Border::Part& y : s.border_h().Parts())
    for (const Border::Part& x : s.border_w().Parts())
      if (!(y.inside && x.inside))
        uops += Uops(
            {t.co, std::min(t.height, y.end - y.begin), std::min(t.width, x.end - x.begin), parts});
  return uops;
}

bool Fits(const isa::Config& config, const ConvShape& s, const ConvBlocks& blocks,
          const ConvTiling& t, const Sizes& z) {
  // What a tile and its kept line need is then all.
  if (KeepsLines(s, t) && t.height + 1 == s.result_h()) return false;
  const isa::Arch& arch = config.arch;
  const int64_t buffers = 1 + (s.residual && s.residual->beside()) + (s.bend ? 1 : 0);
  const int64_t inp = z.inp_rows * z.inp_copies + z.skip_rows * z.acc_copies;
  const int64_t wgt = z.wgt_rows * z.wgt_copies + SkipWeights(config, s);
  const int64_t acc = z.acc_rows * z.acc_copies * buffers + z.parameter_rows * z.parameter_copies;
  if (inp > arch.inp_depth || wgt > arch.wgt_depth || acc > arch.acc_depth) return false;
  const int64_t kernels =
      KernelUops(config, s, blocks, t, z) +
      ((s.residual ? 3 + s.residual->terms : 2) + (s.bend ? kBendUops : 0) +
       BorderUops(s, t, blocks.out_parts) + MaximumUops(s, t, blocks.out_parts)) *
          z.acc_copies;
  return CanPadTiles(config, s, z.columns) && kernels <= UopDepth(config);
}

}  // namespace

bool CanPadTiles(const isa::Config& config, const ConvShape& s, int64_t tile_width) {
  if (s.pad_top == 0 && s.pad_bottom == 0) return true;
  const int64_t outputs = CeilDiv(s.out_w(), tile_width) * tile_width;
  const int64_t columns = (outputs - 1) * s.stride_w + s.reach_w();
  const int64_t past = std::max<int64_t>(columns - s.pad_left - s.in_w, s.pad_right);
  return past * ChannelBlocks(config).in_parts <= kMostPads;
}

Work ConvWork(const isa::Config& config, const ConvShape& s) {
  const ConvBlocks blocks(config, s);
  const int64_t pixels = s.batch * s.out_h() * s.out_w();
  const int64_t out_blocks = s.groups * s.co * blocks.out_parts;
  const int64_t vectors = pixels * out_blocks;
  const int64_t weights =
      out_blocks * s.ci * s.kh * s.kw * blocks.in_parts + s.further_weights - s.absent_weights;
  const int64_t stored = s.shared_weights ? s.ci * blocks.in_parts * blocks.out_parts : weights;
  const int64_t alu = AluPassesOf(config, s);
  const int64_t results = s.batch * s.result_h() * s.result_w() * out_blocks;
  const int64_t maxima = s.batch * out_blocks * s.maximum_passes();
  Work work;
  (s.shared_weights ? work.widenings : work.products) = pixels * weights;
  work.resets = vectors * ResetPasses(config);
  work.widenings += vectors * (EpiloguePasses(config, s) - alu);
  work.alu = vectors * alu + maxima;
  work.border = s.batch * out_blocks * BorderPixels(s);
  work.second_reads =
      SecondReads(config, vectors * TensorPassesOf(config, s) + work.border + maxima);
  work.bytes = s.batch * s.groups * s.ci * s.lines_read() * s.columns_read() * blocks.in_parts *
                   config.inp_bytes() +
               (stored + SkipWeights(config, s)) * config.wgt_bytes() +
               results * config.out_bytes() * (s.residual ? 2 : 1) +
               out_blocks * ParameterRowsOf(config, s) * config.acc_bytes() +
               (s.table ? isa::kLutBytes : 0);
  return work;
}

namespace {

/// Cycles of the compute module over all elements, however they are tiled.
int64_t PassesOf(const isa::Config& config, const ConvShape& s) {
  const int64_t blocks = s.co * ConvBlocks(config, s).out_parts;
  const int64_t vectors = blocks * s.out_h() * s.out_w();
  const int64_t border = blocks * BorderPixels(s), maxima = blocks * s.maximum_passes();
  const int64_t passes = ProductsOf(config, s) + ResetPasses(config) + EpiloguePasses(config, s);
  return s.batch * s.groups *
             (vectors * passes + border + maxima +
              SecondReads(config, vectors * TensorPassesOf(config, s) + border + maxima)) +
         s.batch * s.further_weights * s.out_h() * s.out_w();
}

/// What a tiling makes of a shape, before anything waits. Units: cycles; loads and stores of the
/// bus, each by itself.
struct ConvCosts {
  int64_t space, tiles;  // of all channels of a group; and those of outputs
  int64_t repeats;       // of a group and a batch
  int64_t inp_load, wgt_load, store, skip;
  int64_t vectors;
  int64_t compute, bus;

  ConvCosts(const isa::Config& config, const ConvShape& s, const ConvConstants& constants,
            const ConvTiling& t, const Sizes& z, int64_t banks)
      : vectors(constants.vectors) {
    const int64_t bytes = constants.bus_bytes;
    space = z.tiles_h * z.tiles_w, tiles = space * z.tiles_co;
    repeats = s.batch * s.groups;
    // One load each; a whole-width tile without pads is contiguous.
    const bool whole_width = z.in_w >= s.in_w && !s.padded();
    const bool lines_in_a_run = whole_width && !s.picks();
    const int64_t dma_row = constants.picked_step > 1 ? 1 : z.in_w * (lines_in_a_run ? z.in_h : 1);
    const int64_t inp_dma_rows = z.inp_rows / constants.blocks.in_parts / dma_row;
    inp_load =
        CeilDiv(z.inp_rows * config.inp_bytes(), bytes) + kDmaCycles + kRowCycles * inp_dma_rows;
    wgt_load = CeilDiv(z.wgt_rows / s.weight_terms * config.wgt_bytes(), bytes) + kDmaCycles +
               kRowCycles * t.co;
    const int64_t inp_loads = t.keep_inputs ? space : tiles * z.steps;
    const int64_t wgt_loads = t.keep_weights ? z.tiles_co : tiles * z.steps;
    const int64_t parameter_load = CeilDiv(z.parameter_rows * config.acc_bytes(), bytes) +
                                   kDmaCycles + config.memory.read_latency_cycles;
    const int64_t parameter_loads = t.channels_outer ? std::min(z.tiles_co * banks, tiles) : tiles;
    // Rows of phases alternate with those of others.
    const bool in_a_run = t.width == s.result_w() && s.phases_h == 1;
    store = CeilDiv(z.out_rows * config.out_bytes(), bytes) +
            t.co * (kDmaCycles + (in_a_run ? 0 : kRowCycles * t.height));
    skip = s.residual ? CeilDiv(z.skip_rows * config.inp_bytes(), bytes) +
                            t.co * (kDmaCycles + (t.width == s.out_w() ? 0 : kRowCycles * t.height))
                      : 0;
    compute =
        constants.passes + tiles * (constants.tile + z.steps * constants.step) +
        repeats * (tiles * t.co * constants.parameter_changes + parameter_loads * parameter_load);
    const int64_t further_loads = s.batch * (t.keep_weights ? 1 : space);
    bus = repeats * (inp_loads * inp_load + wgt_loads * wgt_load +
                     parameter_loads * parameter_load + tiles * (store + skip)) +
          CeilDiv(further_loads * s.further_weights * config.wgt_bytes(), bytes);
  }

  /// Of compute, what two banks hide at most, where tiles are of those sizes.
  int64_t Hidden(const ConvShape& s, const ConvConstants& constants, const Sizes& of) const {
    return (repeats * tiles - 1) * HiddenCycles(s, constants, of, vectors / tiles);
  }
  /// The first loads and the last store.
  int64_t Ends(const isa::Config& config) const {
    return inp_load + wgt_load + store + config.memory.read_latency_cycles +
           config.memory.write_latency_cycles;
  }
};

}  // namespace

ConvConstants::ConvConstants(const isa::Config& config, const ConvShape& s)
    : blocks(config, s),
      bus_bytes(BusBytes(config)),
      picked_step(PickedStep(config, s)),
      parameter_rows(ParameterRowsOf(config, s)),
      parameter_changes(ParameterChanges(config, s)),
      alu_passes(AluPassesOf(config, s)),
      products(ProductsOf(config, s)),
      vectors(s.co * s.out_h() * s.out_w() * blocks.out_parts),
      passes(PassesOf(config, s)) {
  step = s.batch * s.groups * kTaskCycles;
  // A reset, or the products behind the first.
  tile = step * (1 + EpiloguePasses(config, s) + MaximumStages(s));
}

int64_t LeastConvCycles(const isa::Config& config, const ConvShape& s,
                        const ConvConstants& constants, const ConvTiling& t,
                        const ConvTiling& largest) {
  const ConvCosts costs(config, s, constants, t, Sizes(s, constants, t), 1);
  const int64_t hidden =
      config.uarch.acc_banks > 1 ? costs.Hidden(s, constants, Sizes(s, constants, largest)) : 0;
  return costs.Ends(config) + std::max(costs.compute - hidden, costs.bus);
}

ConvEstimate EstimateConv(const isa::Config& config, const ConvShape& s, const ConvTiling& t) {
  return EstimateConv(config, s, ConvConstants(config, s), t);
}

ConvEstimate EstimateConv(const isa::Config& config, const ConvShape& s,
                          const ConvConstants& constants, const ConvTiling& t) {
  const Sizes z(s, constants, t);
  ConvEstimate e;
  e.fits = Fits(config, s, constants.blocks, t, z);
  if (!e.fits) return e;
  const bool in_banks = InBanks(config, s, t);
  const ConvCosts c(config, s, constants, t, z, in_banks ? 2 : 1);
  e.compute_cycles = c.compute, e.bus_cycles = c.bus;
  const int64_t tiles = c.repeats * c.tiles;
  if (in_banks) {
    // Each slot is filled, emptied by the ALU and stored while the other one is, among the loads of
    // further steps.
    const int64_t moved = z.steps > 1 ? e.bus_cycles : tiles * c.store;
    const int64_t slot = (e.compute_cycles + moved) / 2;
    e.compute_cycles = std::max(e.compute_cycles - c.Hidden(s, constants, z), slot);
  }
  const bool overlap = z.acc_copies > 1;
  if (overlap) {
    const int64_t step = e.compute_cycles / (tiles * z.steps);
    // A store takes half the bus, or what it needs of it, from the load of the next step, which may
    // then take longer than the step before it; further ones lie ready.
    const int64_t load = (t.keep_inputs ? 0 : c.inp_load) + (t.keep_weights ? 0 : c.wgt_load);
    const int64_t late =
        load == 0 || c.store < load ? load + c.store - step : c.store * (2 * load - step) / load;
    const int64_t stall = load > 0 ? late - (z.step_copies - 2) * step : 0;
    // Other loads keep those of the steps waiting, of which some lie ready.
    auto hold = [&](int64_t times, int64_t cycles) {
      return c.repeats * times * std::max<int64_t>(cycles - (z.step_copies - 1) * step, 0);
    };
    e.compute_cycles += tiles * std::max<int64_t>(stall, 0) + hold(c.tiles, c.skip) +
                        hold(t.keep_weights ? z.tiles_co - 1 : 0, c.wgt_load) +
                        hold(t.keep_inputs ? c.space - 1 : 0, c.inp_load);
  }
  const int64_t latency = config.memory.read_latency_cycles + config.memory.write_latency_cycles;
  const int64_t uops = CeilDiv(KernelUops(config, s, constants.blocks, t, z) * isa::kUopBits / 8,
                               constants.bus_bytes);
  e.cycles = c.Ends(config) + uops +
             (overlap ? std::max(e.compute_cycles, e.bus_cycles)
                      : e.compute_cycles + e.bus_cycles + latency * c.tiles * z.steps);
  // Threads end their tiles together, so that nothing hides their stores.
  if (t.threads != ThreadAxis::kNone) e.cycles += tiles * c.store;
  // A buffer that is kept in one copy is reloaded while nothing computes.
  if (overlap && z.wgt_copies == 1) e.cycles += c.repeats * (z.tiles_co - 1) * c.wgt_load;
  if (overlap && z.inp_copies == 1) e.cycles += c.repeats * (c.space - 1) * c.inp_load;
  return e;
}

}  // namespace vta::compiler::targets
