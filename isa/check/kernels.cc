#include "isa/check/kernels.h"

#include <algorithm>

#include "isa/spec/requant.h"

namespace vta::isa {
namespace {

/// A network's kernels and rows take less; beyond it a program is made to be large.
constexpr size_t kMostRememberedBytes = size_t{1} << 24;
/// A node of a hash table, roughly.
constexpr size_t kEntryBytes = 64;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

int64_t Depth(const Arch& arch, Operand operand) {
  switch (operand) {
    case Operand::kGemmSrc:
      return arch.inp_depth;
    case Operand::kWgt:
      return arch.wgt_depth;
    case Operand::kDst:
    case Operand::kAluSrc:
    case Operand::kRequantSrc:
      break;
  }
  return arch.acc_depth;
}

}  // namespace

Kernels::Kernels(const Layout& layout) : arch_(layout.config().arch) {
  for (const auto& field : layout.UopFields()) {
    const Field placed{field.low_bit, static_cast<uint32_t>((uint64_t{1} << field.width) - 1)};
    if (field.spec->member == &Uop::dst) dst_ = placed;
    if (field.spec->member == &Uop::src) src_ = placed;
    if (field.spec->member == &Uop::wgt) wgt_ = placed;
  }
}

size_t Kernels::KeyHash::operator()(const Key& key) const {
  return Mix(
      Mix(Mix(0, static_cast<uint64_t>(key.kernel_and_operand)), static_cast<uint64_t>(key.iters)),
      static_cast<uint64_t>(key.factors));
}

int64_t Kernels::Intern(std::span<const uint32_t> uops) {
  uint64_t hash = uops.size();
  for (uint32_t word : uops) hash = Mix(hash, word);
  hashes_.insert(hash);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (std::ranges::equal(kernels_[it->second], uops)) return it->second;
  by_hash_.emplace(hash, std::ssize(kernels_));
  kernels_.emplace_back(uops.begin(), uops.end());
  remembered_bytes_ += kEntryBytes + uops.size_bytes();
  return std::ssize(kernels_) - 1;
}

void Kernels::MakeRoom() {
  if (remembered_bytes_ <= kMostRememberedBytes) return;
  kernels_.clear(), by_hash_.clear(), rows_.clear();
  remembered_bytes_ = 0;
  ++generation_;
}

const OperandRows& Kernels::Rows(int64_t kernel, Operand operand, const Loops& loops) {
  const Key key{kernel * 8 + static_cast<int64_t>(operand), loops.iter_out << 32 | loops.iter_in,
                loops.factor_out << 32 | loops.factor_in};
  const auto [it, is_new] = rows_.try_emplace(key);
  if (is_new) {
    it->second = Find(kernel, operand, loops);
    remembered_bytes_ += kEntryBytes + it->second.runs.capacity() * sizeof(RowRun);
  }
  return it->second;
}

OperandRows Kernels::Find(int64_t kernel, Operand operand, const Loops& loops) const {
  const Field field = operand == Operand::kDst ? dst_ : operand == Operand::kWgt ? wgt_ : src_;
  const int64_t block = operand == Operand::kRequantSrc ? kRequantRows : 1;
  auto row = [&](uint32_t word) -> int64_t { return (word >> field.low_bit) & field.mask; };

  OperandRows out;
  out.depth = Depth(arch_, operand);
  for (uint32_t word : kernels_[kernel]) out.last = std::max(out.last, row(word));
  out.last +=
      (loops.iter_out - 1) * loops.factor_out + (loops.iter_in - 1) * loops.factor_in + block - 1;
  if (!out.in_range()) return out;

  RowBits bits(out.last + 1);
  for (uint32_t word : kernels_[kernel]) bits.Insert(row(word));
  bits.Repeat(block, 1);
  bits.Repeat(loops.iter_in, loops.factor_in);
  bits.Repeat(loops.iter_out, loops.factor_out);
  out.runs = bits.ToRuns();
  return out;
}

std::span<uint32_t> UopMemory::Load(int64_t begin, int64_t count) {
  ++loads_;
  std::fill_n(loaded_.begin() + begin, count, loads_);
  return std::span(words_).subspan(begin, count);
}

int64_t UopMemory::FirstUnloaded(int64_t begin, int64_t end) const {
  return std::find(loaded_.begin() + begin, loaded_.begin() + end, 0u) - loaded_.begin();
}

int64_t UopMemory::Kernel(int64_t begin, int64_t end, Kernels& kernels) {
  const uint32_t newest = *std::max_element(loaded_.begin() + begin, loaded_.begin() + end);
  kernels.MakeRoom();
  Known& known = known_[begin << 32 | end];
  if (known.generation != kernels.generation() || known.newest != newest) {
    const int64_t kernel = kernels.Intern(std::span(words_).subspan(begin, end - begin));
    known = {kernels.generation(), newest, kernel};
  }
  return known.kernel;
}

}  // namespace vta::isa
