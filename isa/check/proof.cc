#include "isa/check/proof.h"

#include <array>

#include "isa/check/dram.h"
#include "isa/check/happens_before.h"
#include "isa/check/stamps.h"
#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

constexpr std::string_view kDram = "dram";

/// One scratchpad: which module fills it and which reads it, and the last of each for every row.
struct Pad {
  std::string_view name;
  Module writer, reader;
  Stamps written, read;

  Pad(std::string_view name, Module writer, Module reader, int64_t depth)
      : name(name), writer(writer), reader(reader), written(depth), read(depth) {}
};

class Prover {
 public:
  Prover(const Layout& layout, const Launch& launch, Steps& resolved, Collector& findings)
      : layout_(layout),
        launch_(launch),
        steps_(resolved.steps),
        findings_(findings),
        walk_(layout, launch, resolved.kernels),
        wgt_("wgt", Module::kLoad, Module::kCompute, arch().wgt_depth),
        inp_("inp", Module::kLoad, Module::kCompute, arch().inp_depth),
        acc_("acc", Module::kCompute, Module::kCompute, arch().acc_depth),
        out_("out", Module::kCompute, Module::kStore, arch().acc_depth),
        lut_("lut", Module::kCompute, Module::kCompute, 1),
        dram_(resolved.steps),
        dram_touched_{Stamps(dram_.granules()), Stamps(dram_.granules()),
                      Stamps(dram_.granules())} {}

  /// Everything that the step touches; `clock` is what is done when it starts. Those of a module
  /// come in program order.
  void Access(int64_t index, const VectorClock& clock) {
    index_ = index, clock_ = clock;
    const Step& step = steps_[index];
    instructions_[static_cast<int>(step.module)].push_back(index);
    if (step.pad) Transfer(step);
    if (step.computes) Compute(walk_.Rows(Instruction()));
  }

 private:
  const Arch& arch() const { return layout_.config().arch; }
  isa::Instruction Instruction() const { return Decode(layout_, launch_.instructions[index_]); }

  void Transfer(const Step& step) {
    const std::span<const RowRun> rows(&step.pad_rows, 1);
    if (step.store) {
      Read(out_, rows);
      Store(step);
      return;
    }
    Load(step);
    if (*step.pad == MemoryType::kUop) walk_.Load(Instruction());
    if (*step.pad == MemoryType::kWgt) Write(wgt_, rows);
    if (*step.pad == MemoryType::kInp) Write(inp_, rows);
    if (*step.pad == MemoryType::kAcc) Write(acc_, rows);
    if (*step.pad == MemoryType::kLut) Write(lut_, rows);
  }

  void Compute(const ComputeRows& rows) {
    if (rows.inp) Read(inp_, rows.inp->runs);
    if (rows.wgt) Read(wgt_, rows.wgt->runs);
    if (rows.acc) Read(acc_, rows.acc->runs);
    if (rows.table) Read(lut_, {{RowRun{0, 1}}});
    if (rows.reads_dst) Read(acc_, rows.dst->runs);
    Write(acc_, rows.dst->runs);
    Write(out_, rows.dst->runs);
  }

  void Read(Pad& pad, std::span<const RowRun> rows) {
    // Stamp 0 is a row that nobody wrote; one above the clock, a write that may be late.
    if (auto found = pad.written.FirstOutside(rows, 1, clock_[pad.writer] + 1)) {
      if (found->number == 0)
        findings_.Add({.kind = FindingKind::kUninitialisedRead,
                       .instruction = index_,
                       .memory = std::string(pad.name),
                       .begin = found->rows.begin,
                       .end = found->rows.end,
                       .message = StrCat("reads ", pad.name, " rows ", Rows(found->rows),
                                         ", which nothing before it writes")});
      else
        Race(pad.name, pad.writer, *found, found->rows.begin, found->rows.end, "reads", "writes");
    }
    if (pad.reader != pad.writer) pad.read.Mark(rows, Number());
  }

  void Write(Pad& pad, std::span<const RowRun> rows) {
    if (pad.reader != pad.writer)
      if (auto found = pad.read.FirstOutside(rows, 0, clock_[pad.reader] + 1))
        Race(pad.name, pad.reader, *found, found->rows.begin, found->rows.end, "writes", "reads");
    pad.written.Mark(rows, Number());
  }

  void Load(const Step& step) {
    const std::span<const RowRun> granules = dram_.Find(step.dram);
    const bool uops = *step.pad == MemoryType::kUop;
    const uint32_t last_store = uops ? 0 : clock_[Module::kStore];
    if (auto found = Touched(Module::kStore).FirstOutside(granules, 0, last_store + 1)) {
      const DramTile bytes = dram_.BytesOf(found->rows);
      if (uops)
        findings_.Add({.kind = FindingKind::kOverwrittenUops,
                       .instruction = index_,
                       .other = InstructionOf(Module::kStore, found->number),
                       .memory = std::string(kDram),
                       .begin = bytes.address,
                       .end = bytes.end(),
                       .message = StrCat("loads micro-ops from bytes at ", Hex(bytes.address),
                                         ", which the program itself stores to before")});
      else
        Race(kDram, Module::kStore, *found, bytes.address, bytes.end(), "loads", "stores");
    }
    Touched(step.module).Mark(granules, Number());
  }

  void Store(const Step& step) {
    const std::span<const RowRun> granules = dram_.Find(step.dram);
    for (Module reader : {Module::kLoad, Module::kCompute})
      if (auto found = Touched(reader).FirstOutside(granules, 0, clock_[reader] + 1)) {
        const DramTile bytes = dram_.BytesOf(found->rows);
        Race(kDram, reader, *found, bytes.address, bytes.end(), "stores", "loads");
      }
    Touched(Module::kStore).Mark(granules, Number());

    if (launch_.instruction_address >= 0)
      Guard(step, launch_.instruction_address, std::ssize(launch_.instructions) * kInstructionBytes,
            FindingKind::kOverwrittenProgram, "the program's own instructions");
    for (const ImagePart& part : launch_.image)
      if (part.constant)
        Guard(step, part.address, std::ssize(part.bytes), FindingKind::kOverwrittenConstant,
              "constant data");
  }

  void Guard(const Step& step, int64_t address, int64_t bytes, FindingKind kind,
             std::string_view what) {
    const int64_t first = step.dram.FirstIn(address, address + bytes);
    if (first < 0) return;
    findings_.Add({.kind = kind,
                   .instruction = index_,
                   .memory = std::string(kDram),
                   .begin = first,
                   .end = first + 1,
                   .message = StrCat("stores to ", Hex(first), ", where ", what, " lie")});
  }

  void Race(std::string_view memory, Module module, const Stamps::Found& found, int64_t begin,
            int64_t end, std::string_view does, std::string_view other_does) {
    const int64_t other = InstructionOf(module, found.number);
    const std::string where = memory == kDram ? StrCat("bytes ", Hex(begin), "..", Hex(end - 1))
                                              : StrCat("rows ", begin, "..", end - 1);
    findings_.Add(
        {.kind = FindingKind::kRace,
         .instruction = index_,
         .other = other,
         .memory = std::string(memory),
         .begin = begin,
         .end = end,
         .module = steps_[index_].module,
         .message = StrCat(does, " ", memory, " ", where, ", which instruction ", other, " (",
                           Spec(module).name, ") ", other_does, ": no token orders the two")});
  }

  static std::string Rows(const RowRun& rows) { return StrCat(rows.begin, "..", rows.end - 1); }

  int64_t InstructionOf(Module module, uint32_t number) const {
    return instructions_[static_cast<int>(module)][number - 1];
  }
  /// The current instruction's number in its module, from 1.
  uint32_t Number() const {
    return static_cast<uint32_t>(instructions_[static_cast<int>(steps_[index_].module)].size());
  }
  Stamps& Touched(Module module) { return dram_touched_[static_cast<int>(module)]; }

  const Layout& layout_;
  const Launch& launch_;
  std::span<const Step> steps_;
  Collector& findings_;
  OperandWalk walk_;
  Pad wgt_, inp_, acc_, out_, lut_;
  SharedDram dram_;
  std::array<Stamps, kModules> dram_touched_;  // the store module's stamps are writes
  std::array<std::vector<int64_t>, kModules> instructions_;
  int64_t index_ = 0;
  VectorClock clock_;
};

}  // namespace

void ProveOrder(const Layout& layout, const Launch& launch, Steps& resolved,
                std::span<const int64_t> order, Collector& findings, Statistics& statistics) {
  const std::span<const Step> steps = resolved.steps;
  const int64_t capacity = layout.config().arch.token_capacity;
  HappensBefore happens_before;
  std::array<bool, kQueues> too_many = {};
  std::optional<Prover> prover;
  if (resolved.rows_known) prover.emplace(layout, launch, resolved, findings);
  for (int64_t index : order) {
    const VectorClock clock = happens_before.Start(steps[index]);
    if (prover) prover->Access(index, clock);
    happens_before.End(steps[index], clock);
    ForEachPush(steps[index], [&](Queue queue) {
      const int q = static_cast<int>(queue);
      const int64_t most = happens_before.occupancy()[q];
      if (most <= capacity || too_many[q]) return;
      too_many[q] = true;
      findings.Add({.kind = FindingKind::kTokenCapacity,
                    .instruction = index,
                    .queue = queue,
                    .message = StrCat("its push can be token ", most, " in ", Spec(queue).name,
                                      ", which holds ", capacity)});
    });
  }
  statistics.occupancy = happens_before.occupancy();
  statistics.left_over = happens_before.left_over();
}

}  // namespace vta::isa
