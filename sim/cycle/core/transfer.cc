#include "sim/cycle/core/transfer.h"

namespace vta::sim::cycle {

namespace timing = isa::timing;
using isa::Fault;

void Transfer::Begin(int64_t at) {
  active_ = true;
  at_ = at;
  ending_ = failed_ = kNever;
  fault_ = Fault::kNone;
  elements_ = 0;
  waits_.clear();
  steps_.clear();
  counts_.clear();
  beats_.set_taker(this);
}

void Transfer::Fail(int64_t cycle, Fault fault) {
  active_ = false;
  failed_ = cycle;
  fault_ = fault;
}

void Transfer::StartTile(const Insn& insn, int64_t cycle, const Lock& lock) {
  Begin(cycle + timing::kLoadFixedCycles);
  uops_ = false;
  const isa::Config& config = layout_.config();
  const isa::Instruction& f = insn.fields;
  const isa::MemorySpec* memory = isa::FindMemory(config.arch, f.memory_type);
  lanes_ = memory->dram_element_bytes(config) / (config.uarch.bus_bits / 8);
  lane_ = 0;
  row_ = f.sram_base;
  const auto type = static_cast<isa::MemoryType>(f.memory_type);
  table_ = type == isa::MemoryType::kLut;
  room_ = isa::DepthOf(config.arch, *memory) - row_;
  lock_ = lock;
  half_ = config.arch.acc_depth / 2;
  if (room_ <= 0) return Fail(cycle + timing::kOutsideCycles, Fault::kIndexOutOfRange);
  const int64_t left = f.x_pad_left, right = f.x_pad_right, width = left + f.x_size + right;
  const auto add = [&](int64_t count, bool beats) {
    if (count > 0) steps_.push_back({count, beats});
  };
  add(f.y_pad_top * width + left, false);
  for (int64_t y = 0; y < f.y_size; ++y) {
    add(f.x_size * lanes_, true);
    add(y + 1 < f.y_size ? right + left : right + f.y_pad_bottom * width, false);
  }
  std::reverse(steps_.begin(), steps_.end());
}

void Transfer::StartUops(const Insn& insn, uint64_t base, int64_t cycle) {
  Begin(cycle + timing::kUopLoadFixedCycles);
  uops_ = true;
  const isa::Config& config = layout_.config();
  const isa::Instruction& f = insn.fields;
  room_ = config.arch.uop_depth - f.sram_base;
  if (room_ <= 0) return Fail(cycle + timing::kOutsideCycles + 1, Fault::kIndexOutOfRange);
  const int64_t of_beat = config.uarch.bus_bits / isa::kUopBits;
  // What comes behind the end of the micro-op memory is not looked at.
  for (int64_t y = 0, total = 0; y < f.y_size && total <= room_; ++y, total += f.x_size) {
    const auto first =
        static_cast<int64_t>((base / 4 + static_cast<uint64_t>(f.dram_base + y * f.x_stride)) %
                             static_cast<uint64_t>(of_beat));
    for (int64_t left = f.x_size, at = first; left > 0; at = 0) {
      counts_.push_back(std::min(left, of_beat - at));
      left -= counts_.back();
    }
  }
  std::reverse(counts_.begin(), counts_.end());
}

// The first cycle in which this row may be written.
int64_t Transfer::Hold(int64_t row) const {
  return lock_.until > kLongAgo && lock_.bank[row >= half_] ? lock_.until : kLongAgo;
}

bool Transfer::TakePads(Steps& steps) {
  while (steps.count > 0) {
    const int64_t hold = Hold(row_);
    at_ = std::max(at_, hold);
    // As many as lie in one bank.
    int64_t count = std::min(steps.count, room_);
    if (lock_.until > kLongAgo && row_ < half_) count = std::min(count, half_ - row_);
    at_ += count;
    row_ += count;
    room_ -= count;
    steps.count -= count;
    const bool last = steps.count == 0 && steps_.size() == 1;
    if (room_ == 0 && !last) {
      Fail(at_ + 1, Fault::kIndexOutOfRange);
      return false;
    }
  }
  return true;
}

bool Transfer::TakeBeats(Steps& steps) {
  while (steps.count > 0) {
    if (!beats_.known()) return false;
    const int64_t hold = Hold(row_);
    if (beats_.error()) {
      // It is seen, though not taken, also where the row is not to be written yet.
      const int64_t seen = std::max(at_, beats_.Ready()), from = std::max(at_, hold);
      if (seen > from) waits_.push_back({from, seen, beats_.way()});
      if (seen >= from) beats_.Pop(seen);
      Fail(seen + 1, Fault::kBusError);
      return false;
    }
    // Up to the end of the scratchpad, and of the bank.
    int64_t rows = room_;
    if (lock_.until > kLongAgo && row_ < half_) rows = std::min(rows, half_ - row_);
    const int64_t from = std::max(at_, hold);
    const int64_t most = std::min(steps.count, rows * lanes_ - lane_);
    const size_t way = beats_.way();
    const Beats::Pops pops = beats_.PopSome(from, most);
    if (pops.first > from) waits_.push_back({from, pops.first, way});
    at_ = pops.first + 1;
    for (int64_t i = 1; i < pops.count && pops.step > 1; ++i, at_ += pops.step)
      waits_.push_back({at_, at_ + pops.step - 1, way});
    if (pops.step == 1) at_ = pops.first + pops.count;
    lane_ += pops.count;
    row_ += lane_ / lanes_, room_ -= lane_ / lanes_, elements_ += lane_ / lanes_;
    lane_ %= lanes_;
    steps.count -= pops.count;
    const bool end = steps.count == 0 && steps_.size() == 1;
    if (room_ == 0 && !end) {
      Fail(at_ + 1, Fault::kIndexOutOfRange);
      return false;
    }
  }
  return true;
}

// A beat is written in parts, and taken with the last one.
bool Transfer::TakeTable(Steps& steps) {
  const int64_t parts = layout_.config().uarch.bus_bits / 8 / timing::kLutPartBytes;
  while (steps.count > 0) {
    if (!beats_.known()) return false;
    const int64_t hold = lock_.until;
    const int64_t from = std::max(at_, hold), seen = std::max(at_, beats_.Ready());
    if (beats_.error()) {
      if (seen > from) waits_.push_back({from, seen, beats_.way()});
      if (seen >= from) beats_.Pop(seen);
      Fail(seen + 1, Fault::kBusError);
      return false;
    }
    const int64_t first = std::max(from, seen);
    if (first > from) waits_.push_back({from, first, beats_.way()});
    at_ = first + parts;
    beats_.Pop(at_ - 1);
    if (++lane_ == lanes_) lane_ = 0, ++row_, --room_, ++elements_;
    --steps.count;
    const bool end = steps.count == 0 && steps_.size() == 1;
    if (room_ == 0 && !end) {
      Fail(at_ + 1, Fault::kIndexOutOfRange);
      return false;
    }
  }
  return true;
}

void Transfer::TakeUops() {
  while (!counts_.empty() && beats_.known()) {
    const int64_t at = std::max(at_, beats_.Ready());
    if (at > at_) waits_.push_back({at_, at, beats_.way()});
    if (beats_.error()) {
      beats_.Pop(at);
      return Fail(at + 1, Fault::kBusError);
    }
    beats_.Pop(at);
    at_ = at + 1;
    const int64_t fits = std::min(counts_.back(), room_);
    elements_ += fits;
    if (fits < counts_.back()) return Fail(at + 1, Fault::kIndexOutOfRange);
    room_ -= fits;
    counts_.pop_back();
    if (room_ == 0 && !counts_.empty())
      return Fail(at + timing::kOutsideCycles, Fault::kIndexOutOfRange);
  }
  if (counts_.empty()) active_ = false, ending_ = at_ - 1;
}

int64_t Transfer::Take() {
  if (active_ && uops_) TakeUops();
  while (active_ && !uops_) {
    Steps& steps = steps_.back();
    if (!(!steps.beats ? TakePads(steps) : table_ ? TakeTable(steps) : TakeBeats(steps))) break;
    steps_.pop_back();
    if (steps_.empty()) active_ = false, ending_ = at_ - 1;
  }
  return std::min(ending_, failed_);
}

void Transfer::Account(int64_t begin, int64_t end, Book& book) const {
  for (const Span& span : waits_) {
    const int64_t from = std::max(begin, span.begin), to = std::min(end, span.end);
    if (from < to) book.WaitForMemory({from, to});
  }
}

void Transfer::RecordWaits(Record& record, const Reads& reads, int64_t end, int64_t index) const {
  for (const Span& span : waits_)
    record.WaitForBurst(span.begin, std::min(end, span.end), reads.way(span.way), index);
}

void Transfer::RecordAll(Record& record, const Reads& reads, int64_t begin, int64_t end,
                         int64_t index) const {
  RecordWaits(record, reads, end, index);
  for (const Span& span : waits_) {
    record.Work(begin, std::min(end, span.begin), index);
    begin = std::max(begin, span.end);
  }
  record.Work(begin, end, index);
}

}  // namespace vta::sim::cycle
