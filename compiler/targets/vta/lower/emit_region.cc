#include "compiler/targets/vta/lower/emit_region.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/loop/arith.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

int64_t FloorDiv(int64_t a, int64_t b) { return loop::FoldInt64(loop::Op::kFloorDiv, a, b); }

isa::MemoryType MemoryOfScope(const std::string& scope, loop::DType dram) {
  if (scope == kInpScope) return isa::MemoryType::kInp;
  if (scope == kWgtScope) return isa::MemoryType::kWgt;
  if (scope == kLutScope) return isa::MemoryType::kLut;
  return dram == loop::DType::kInt8 ? isa::MemoryType::kAcc8 : isa::MemoryType::kAcc;
}

/// The neighbours that an instruction's micro-ops may have. The ALU of published hardware does not
/// wait for the micro-op before.
Neighbours NeighboursOf(const isa::Config& config, bool alu) {
  return alu && config.version == isa::Version::k002 ? Neighbours::kOtherRows : Neighbours::kAny;
}

/// A linear form with the outer loops resolved.
struct Guard {
  int64_t first;
  const std::vector<int64_t>* steps;
};

}  // namespace

/// The part of the region's loops that still runs, and the guards that are left on it.
struct RegionEmitter::Box {
  std::vector<int64_t> begin, end;
  std::vector<Guard> guards;

  Box(const RegionRun& run) : begin(run.region.extents.size(), 0), end(run.region.extents) {
    for (const LinearForm& guard : run.region.guards)
      guards.push_back({guard.At(run.values), &guard.steps});
  }

  /// Applies guards of at most one loop. Returns the first loop of a guard that has several, or -1.
  int Clip() {
    int several = -1;
    std::erase_if(guards, [&](const Guard& guard) {
      int loop = -1, count = 0;
      int64_t first = guard.first;
      for (int i = 0; i < static_cast<int>(begin.size()); ++i) {
        const int64_t step = (*guard.steps)[i];
        if (step == 0) continue;
        if (end[i] - begin[i] == 1) {
          first += step * begin[i];
          continue;
        }
        if (count++ == 0) loop = i;
      }
      if (count > 1) {
        if (several < 0) several = loop;
        return false;
      }
      if (count == 0) {
        if (first < 0) Clear();
        return true;
      }
      const int64_t step = (*guard.steps)[loop];
      if (step > 0)
        begin[loop] = std::max(begin[loop], -FloorDiv(first, step));
      else
        end[loop] = std::min(end[loop], FloorDiv(first, -step) + 1);
      return true;
    });
    return several;
  }
  void Clear() { empty_ = true; }
  bool Empty() const {
    for (size_t i = 0; i < begin.size(); ++i)
      if (begin[i] >= end[i]) return true;
    return empty_;
  }

 private:
  bool empty_ = false;
};

void RegionEmitter::Emit(const RegionRun& run) {
  if (run.region.is_call)
    EmitCall(run, Box(run));
  else
    EmitCopy(run);
}

void RegionEmitter::EmitCall(const RegionRun& run, const Box& whole) {
  Box box = whole;
  const int several = box.Clip();
  if (box.Empty()) return;
  if (several >= 0) {
    for (int64_t value = box.begin[several]; value < box.end[several]; ++value) {
      Box part = box;
      part.begin[several] = value, part.end[several] = value + 1;
      EmitCall(run, part);
    }
    return;
  }
  const Region& region = run.region;
  NestSpace space;
  space.loops.resize(region.extents.size());
  auto address = [&](size_t operand, int64_t isa::Uop::*first, int64_t NestLoop::*step) {
    const Place& place = region.operands[operand];
    space.first.*first = place.element.At(run.values) + run.rows.at(place.buffer.get());
    for (size_t i = 0; i < space.loops.size(); ++i) {
      space.loops[i].extent = box.end[i] - box.begin[i];
      space.loops[i].*step = place.element.steps[i];
      space.first.*first += box.begin[i] * place.element.steps[i];
    }
  };
  address(0, &isa::Uop::dst, &NestLoop::dst);
  if (region.op.kind == IntrinsicOp::Kind::kGemm) {
    address(1, &isa::Uop::src, &NestLoop::src);
    address(2, &isa::Uop::wgt, &NestLoop::wgt);
    space = OnlyPresent(space);
    if (space.kernel.empty()) return;
  } else if (region.op.kind == IntrinsicOp::Kind::kAlu) {
    auto require = [&](size_t operand, const Guard& rows, const std::string& rule) {
      const NestSpace before = space;
      address(operand, &isa::Uop::src, &NestLoop::src);
      bool same = space.first.src == rows.first;
      for (size_t i = 0; i < space.loops.size(); ++i)
        same &= space.loops[i].extent == 1 || space.loops[i].src == (*rows.steps)[i];
      if (!same)
        throw Error(StrCat("block ", region.block), "operand",
                    region.operands[operand].buffer->name, rule);
      space = before;
    };
    require(1, {space.first.dst, &region.operands[0].element.steps},
            "must be the rows of the result: the ALU works in place");
    address(region.operands.size() > 2 ? 2 : 1, &isa::Uop::src, &NestLoop::src);
    const size_t rows = region.operands.size() - (region.op.alu == isa::AluOp::kLut ? 1 : 0);
    for (size_t row = 3; row < rows; ++row)
      require(row,
              {space.first.src + static_cast<int64_t>(row) - 2, &region.operands[2].element.steps},
              "must be the row after the parameter before it");
  }
  EmitOp(region, space);
}

const std::vector<LoopNest>& RegionEmitter::Fold(const NestSpace& space, Neighbours neighbours) {
  auto& folded = folded_[static_cast<int>(neighbours)];
  const auto found = folded.find(space);
  if (found != folded.end()) return found->second;
  return folded.emplace(space, FoldNest(config_, space, neighbours, builder_)).first->second;
}

const RegionEmitter::Sum& RegionEmitter::SumOf(const NestSpace& space) {
  const auto found = sums_.find(space);
  if (found != sums_.end()) return found->second;
  return sums_.emplace(space, Sum{DstRows(space), SplitSum(config_, space)}).first->second;
}

void RegionEmitter::AddGemm(const NestSpace& space, GemmWrites writes) {
  for (const LoopNest& nest : Fold(space, Neighbours::kAny)) builder_->Add(Gemm{nest, writes});
}

void RegionEmitter::SettleResets(const std::vector<NestSpace>& resets) {
  for (const NestSpace& space : resets) AddGemm(space, GemmWrites::kZero);
}

void RegionEmitter::AddAlu(const NestSpace& space, isa::AluOp op, std::optional<int64_t> imm) {
  const Neighbours neighbours =
      Requantises(op) ? Neighbours::kSameSource : NeighboursOf(config_, true);
  for (const LoopNest& nest : Fold(space, neighbours))
    builder_->Add(Alu{nest, op, imm.has_value(), imm.value_or(0)});
}

void RegionEmitter::EmitSum(const NestSpace& space) {
  if (resets_.empty()) return AddGemm(space, GemmWrites::kSum);
  const auto& [rows, steps] = SumOf(space);
  if (!steps || !resets_.Drop(rows)) {
    SettleResets(resets_.Take(rows));
    return AddGemm(space, GemmWrites::kSum);
  }
  AddGemm(steps->first, GemmWrites::kProduct);
  for (const NestSpace& others : steps->others) AddGemm(others, GemmWrites::kSum);
}

void RegionEmitter::EmitOp(const Region& region, const NestSpace& space) {
  switch (region.op.kind) {
    case IntrinsicOp::Kind::kGemm:
      return EmitSum(space);
    case IntrinsicOp::Kind::kReset:
      if (config_.arch.overwrite) return SettleResets(resets_.Add(space));
      return AddGemm(space, GemmWrites::kZero);
    case IntrinsicOp::Kind::kAlu:
      SettleResets(resets_.TakeAll());
      return AddAlu(space, region.op.alu, region.imm);
  }
}

int64_t RegionEmitter::Tensor(const loop::Buffer& buffer, isa::MemoryType element) {
  const auto key = std::make_pair(buffer.get(), element);
  const auto found = tensors_.find(key);
  if (found != tensors_.end()) return found->second;
  DramTensor tensor{buffer->name, element};
  for (const isa::MemorySpec& row : isa::kMemories)
    if (row.code == element)
      tensor.elems =
          buffer->SizeElems() * SizeBytes(buffer->dtype) / row.dram_element_bytes(config_);
  if (const StoredElements* stored = Sparse(buffer)) tensor.elems = stored->count();
  if (phases_ && element == isa::MemoryType::kOut) tensor.elems = phases_->count();
  for (const auto& [other, index] : tensors_)
    if (other.first == buffer.get())
      tensor.name = StrCat(buffer->name, ".", static_cast<int>(element));
  return tensors_[key] = builder_->AddTensor(std::move(tensor));
}

void RegionEmitter::SetPad(int64_t value) {
  if (value == 0 || (value & 255) == pad_) return;
  pad_ = value & 255;
  builder_->Add(SetMode{isa::Mode::kPadLoad, pad_});
}

namespace {

/// The loops of a copy, those inside a scratchpad row apart.
class CopyLoops {
 public:
  CopyLoops(const Region& region, int64_t row_elems)
      : region_(region), store_(!IsScratchpad(region.to.buffer)), row_(row_elems) {
    for (size_t i = 0; i < region.extents.size(); ++i) {
      if (Sram().element.steps[i] % row_ == 0)
        outer_.push_back(i);
      else
        lanes_.push_back(i);
    }
    CheckLanes();
  }
  bool store() const { return store_; }
  const Place& Sram() const { return store_ ? region_.from : region_.to; }
  const Place& Dram() const { return store_ ? region_.to : region_.from; }

  /// Rows of a line of the tile: how far apart the rows of the second innermost loop lie.
  int64_t LineRows() const {
    std::vector<std::pair<int64_t, int64_t>> steps;  // in rows, with the loop's extent
    for (const size_t i : outer_)
      if (region_.extents[i] > 1)
        steps.emplace_back(Sram().element.steps[i] / row_, region_.extents[i]);
    std::sort(steps.begin(), steps.end());
    if (steps.empty() || steps[0].first != 1) return 1;
    return steps.size() > 1 ? steps[1].first : steps[0].second;
  }

  /// Where it begins. Units: elements.
  int64_t SramAt(const LoopValues& values) const { return Sram().element.At(values); }
  int64_t DramAt(const LoopValues& values) const { return Dram().element.At(values); }
  /// What decides which rows it moves, counted from those that it begins at.
  std::vector<int64_t> PatternAt(const LoopValues& values) const {
    constexpr int64_t kEverywhere = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> pattern;
    for (const int64_t begin : {SramAt(values), DramAt(values)})
      pattern.push_back(loop::FoldInt64(loop::Op::kFloorMod, begin, row_));
    for (const auto* forms : {&region_.guards, &region_.inside, &region_.cases})
      for (const LinearForm& form : *forms) {
        const int64_t first = form.At(values);
        int64_t least = first;
        for (const size_t i : outer_)
          least += std::min<int64_t>(form.steps[i] * (region_.extents[i] - 1), 0);
        pattern.push_back(least >= 0 ? kEverywhere : first);
      }
    return pattern;
  }

  /// Calls visit(sram row, DRAM element, kPad or kFree) for every row of the copy.
  template <typename F>
  void ForEachRow(const LoopValues& values, const F& visit) const {
    Cursor cursor{SramAt(values), DramAt(values), {}, {}, {}};
    for (const LinearForm& guard : region_.guards) cursor.guards.push_back(guard.At(values));
    for (const LinearForm& inside : region_.inside) cursor.inside.push_back(inside.At(values));
    for (const LinearForm& one : region_.cases) cursor.cases.push_back(one.At(values));
    Walk(0, cursor, visit);
  }

 private:
  struct Cursor {
    int64_t sram, dram;
    std::vector<int64_t> guards, inside, cases;
  };

  [[noreturn]] void Fail(const std::string& rule) const {
    throw Error(StrCat("block ", region_.block), "copy",
                StrCat(region_.from.buffer->name, " to ", region_.to.buffer->name), rule);
  }

  /// The lane loops have to cover a row exactly, in the same order on both sides, without
  /// conditions.
  void CheckLanes() const {
    std::vector<size_t> order = lanes_;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return Sram().element.steps[a] < Sram().element.steps[b];
    });
    int64_t covered = 1;
    for (const size_t i : order) {
      if (Sram().element.steps[i] != covered || Dram().element.steps[i] != covered)
        Fail("must move whole rows, dense on both sides");
      covered *= region_.extents[i];
      for (const auto* forms : {&region_.guards, &region_.inside, &region_.cases})
        for (const LinearForm& form : *forms)
          if (form.steps[i] != 0) Fail("must have no condition inside a row");
    }
    if (covered != row_) Fail(StrCat("must move whole rows of ", row_));
  }

  template <typename F>
  void Walk(size_t depth, Cursor& cursor, const F& visit) const {
    auto holds = [](const std::vector<int64_t>& forms) {
      return std::all_of(forms.begin(), forms.end(), [](int64_t v) { return v >= 0; });
    };
    if (depth == outer_.size()) {
      if (!holds(cursor.cases)) return;
      const bool real = holds(cursor.guards) && holds(cursor.inside);
      if (cursor.sram % row_ != 0 || (real && cursor.dram % row_ != 0))
        Fail(StrCat("must start at whole rows of ", row_));
      visit(cursor.sram / row_, real                   ? cursor.dram / row_
                                : holds(cursor.guards) ? RowTable::kPad
                                                       : RowTable::kFree);
      return;
    }
    const size_t loop = outer_[depth];
    for (int64_t i = 0; i < region_.extents[loop]; ++i) {
      Walk(depth + 1, cursor, visit);
      Move(loop, 1, cursor);
    }
    Move(loop, -region_.extents[loop], cursor);
  }
  void Move(size_t loop, int64_t times, Cursor& cursor) const {
    const auto move = [&](const std::vector<LinearForm>& forms, std::vector<int64_t>& values) {
      for (size_t i = 0; i < values.size(); ++i) values[i] += times * forms[i].steps[loop];
    };
    cursor.sram += times * Sram().element.steps[loop];
    cursor.dram += times * Dram().element.steps[loop];
    move(region_.guards, cursor.guards);
    move(region_.inside, cursor.inside);
    move(region_.cases, cursor.cases);
  }

  const Region& region_;
  bool store_;
  int64_t row_;
  std::vector<size_t> outer_, lanes_;
};

}  // namespace

void RegionEmitter::EmitCopy(const RegionRun& run) {
  const Region& region = run.region;
  const bool store = !IsScratchpad(region.to.buffer);
  const loop::Buffer& sram = store ? region.from.buffer : region.to.buffer;
  const int64_t row_elems = RowElems(config_, sram->scope);
  const CopyLoops loops(region, row_elems);
  const int64_t first = loops.SramAt(run.values) / row_elems, dram = loops.DramAt(run.values);
  const int64_t row = run.rows.at(sram.get()) + first;
  const auto key = std::pair(&region, loops.PatternAt(run.values));
  auto found = copies_.find(key);
  if (found == copies_.end()) {
    RowTable table{row, loops.LineRows(), {}};
    table.source.assign(table.line, RowTable::kKeep);
    loops.ForEachRow(run.values, [&](int64_t at, int64_t source) {
      const auto place = static_cast<size_t>(at - first);
      while (table.source.size() <= place)
        table.source.resize(table.source.size() + table.line, RowTable::kKeep);
      table.source[place] = source;
    });
    if (sram->scope == kAccScope) SettleRows(row, std::ssize(table.source));
    Copy copy{row, dram, std::ssize(table.source), 0, {}, true};
    store ? FoldStores(region, std::move(table), &copy) : FoldLoads(region, table, &copy);
    if (copy.pad_value != 0) SetPad(copy.pad_value);
    for (const Dma& dma : copy.dmas) builder_->Add(dma);
    if (copy.recurs) copies_.emplace(key, std::move(copy));
    return;
  }
  const Copy& copy = found->second;
  if (sram->scope == kAccScope) SettleRows(row, copy.rows);
  if (copy.pad_value != 0) SetPad(copy.pad_value);
  for (Dma dma : copy.dmas) {
    dma.sram += row - copy.sram, dma.dram += (dram - copy.dram) / row_elems;
    builder_->Add(dma);
  }
}

void RegionEmitter::SettleRows(int64_t first, int64_t count) {
  std::vector<int64_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  SettleResets(resets_.Take(rows));
}

void RegionEmitter::FoldStores(const Region& region, RowTable table, Copy* copy) {
  if (region.from.buffer->scope != kAccScope || region.to.buffer->dtype != loop::DType::kInt8)
    throw Error(StrCat("block ", region.block), "store", region.to.buffer->name,
                "must be int8 rows of the accumulator");
  copy->recurs = !phases_;
  for (int64_t& source : table.source) {
    if (!phases_ || source < 0) continue;
    source = phases_->PlaceOf(source);
    if (source == PhasePlaces::kNowhere) source = RowTable::kKeep;
  }
  copy->dmas = FoldStore(table, Tensor(region.to.buffer, isa::MemoryType::kOut));
}

void RegionEmitter::FoldLoads(const Region& region, const RowTable& table, Copy* copy) {
  const std::string where = StrCat("block ", region.block), &scope = region.to.buffer->scope;
  const isa::MemoryType element = MemoryOfScope(scope, region.from.buffer->dtype);
  const int64_t tensor = Tensor(region.from.buffer, element);
  const bool pads = std::ranges::find(table.source, RowTable::kPad) != table.source.end();
  const bool by_value = pads && region.pad_value != 0;
  if (by_value && (!config_.arch.pad_value || scope != kInpScope))
    throw Error(where, "pad value", std::to_string(region.pad_value),
                "this config pads inputs with 0 only (arch.pad_value)");
  if (by_value) copy->pad_value = region.pad_value;
  const StoredElements* stored = Sparse(region.from.buffer);
  // Published hardware does not pad weights alike.
  const bool fills = config_.version == isa::Version::k002 && element == isa::MemoryType::kWgt;
  copy->recurs = !stored && !fills;
  for (RowTable& part : stored ? OnlyStored(*stored, table) : std::vector{table}) {
    if (fills) FillFreeRows(builder_->program().tensors[tensor].elems, &part);
    for (const Dma& dma : FoldLoad(part, tensor, by_value, where)) copy->dmas.push_back(dma);
  }
}

const StoredElements* RegionEmitter::Sparse(const loop::Buffer& buffer) const {
  const auto found = sparse_.find(buffer->name);
  return found == sparse_.end() ? nullptr : &found->second;
}

/// The rows of the elements that are always stored, and where there are any, those of the others,
/// which move up to one another.
std::vector<RowTable> RegionEmitter::OnlyStored(const StoredElements& stored,
                                                const RowTable& table) {
  RowTable whole = table, others{0, 1, {}};
  bool after_whole = false;
  for (size_t row = 0; row < table.source.size(); ++row) {
    const int64_t element = table.source[row], at = table.sram + static_cast<int64_t>(row);
    if (element < 0) continue;
    if (stored.IsWhole(element)) {
      VTA_CHECK(!after_whole, "elements that may be absent come last");
      continue;
    }
    if (!after_whole) others.sram = at;
    after_whole = true;
    whole.source[row] = RowTable::kKeep;
    const int64_t place = stored.PlaceOf(element);
    moved_[at] = StoredElements::kAbsent;
    if (place == StoredElements::kAbsent) continue;
    moved_[at] = others.sram + static_cast<int64_t>(others.source.size());
    others.source.push_back(place);
  }
  return others.source.empty() ? std::vector{whole} : std::vector{whole, others};
}

/// The micro-ops of a GEMM whose weights are not absent, where these are.
NestSpace RegionEmitter::OnlyPresent(const NestSpace& space) const {
  if (moved_.empty()) return space;
  NestSpace present{{}, {}, {}};
  std::vector<NestLoop> moving;  // loops over weights
  for (const NestLoop& loop : space.loops) (loop.wgt ? moving : present.loops).push_back(loop);
  bool some_moved = false;
  for (isa::Uop uop : Unrolled(space, moving)) {
    const auto found = moved_.find(uop.wgt);
    some_moved |= found != moved_.end();
    if (found != moved_.end()) uop.wgt = found->second;
    if (uop.wgt != StoredElements::kAbsent) present.kernel.push_back(uop);
  }
  return some_moved ? present : space;
}

}  // namespace vta::compiler::targets
