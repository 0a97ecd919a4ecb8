#include "compiler/targets/vta/lower/scratchpad.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/targets/vta/lower/region.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

int64_t SlotsOf(const loop::Function& function, const loop::Buffer& buffer) {
  int64_t slots = 1;
  for (const loop::Site& site : loop::Sites(function.body)) {
    if (!loop::Writes(*site.block, buffer)) continue;
    for (const loop::Annotation& annotation : site.block->annotations)
      if (annotation.key == kSlotsAnnotation) slots = std::max(slots, annotation.value);
  }
  return slots;
}

struct Depth {
  const char* scope;
  int64_t isa::Arch::*rows;
};
constexpr Depth kDepths[] = {{kInpScope, &isa::Arch::inp_depth},
                             {kWgtScope, &isa::Arch::wgt_depth},
                             {kAccScope, &isa::Arch::acc_depth},
                             {kLutScope, &isa::Arch::lut}};

/// What is known of an accumulator buffer before it has a place.
struct AccBuffer {
  loop::Buffer buffer;
  const loop::For* loop;  // around its allocation, or nullptr
  bool computed = false;  // by calls
};

class Placer {
 public:
  Placer(const isa::Config& config, const loop::Function& function)
      : config_(config), function_(function) {}

  std::map<const loop::BufferNode*, Slots> Run() {
    if (config_.uarch.acc_banks > 1) PlaceInBanks();
    loop::VisitStmts(function_.body, [&](const loop::Stmt& stmt) {
      const loop::Allocate* allocate = loop::As<loop::Allocate>(stmt);
      if (allocate && IsScratchpad(allocate->buffer) && !placed_.contains(allocate->buffer.get()))
        Place(allocate->buffer);
    });
    return std::move(placed_);
  }

 private:
  int64_t Rows(const loop::Buffer& buffer) const {
    const int64_t row = RowElems(config_, buffer->scope);
    if (buffer->SizeElems() % row != 0)
      throw Error(StrCat("buffer ", buffer->name), "elements", std::to_string(buffer->SizeElems()),
                  StrCat("must be whole rows of ", row));
    return buffer->SizeElems() / row;
  }

  void Place(const loop::Buffer& buffer) {
    const int64_t rows = Rows(buffer);
    int64_t& used = used_[buffer->scope];
    const Slots slots{used, rows, SlotsOf(function_, buffer), rows};
    used += slots.rows * slots.slots;
    for (const Depth& depth : kDepths)
      if (buffer->scope == depth.scope && used > config_.arch.*depth.rows)
        throw Error(StrCat("scratchpad ", depth.scope), "rows", std::to_string(used),
                    StrCat("the config has ", config_.arch.*depth.rows));
    placed_[buffer.get()] = slots;
  }

  /// Places all accumulator buffers, or none.
  void PlaceInBanks() {
    std::vector<AccBuffer> buffers;
    FindAccBuffers(function_.body, nullptr, &buffers);
    if (!Alternate(buffers)) return;
    const int64_t bank = config_.arch.acc_depth / config_.uarch.acc_banks;
    std::map<const loop::BufferNode*, Slots> slots;
    int64_t used = 0;
    for (const AccBuffer& one : buffers) {
      const int64_t rows = Rows(one.buffer);
      slots[one.buffer.get()] = {used, rows, config_.uarch.acc_banks, bank, !one.computed};
      used += rows;
    }
    if (used <= bank) placed_.merge(slots);
  }

  void FindAccBuffers(const loop::Stmt& stmt, const loop::For* around,
                      std::vector<AccBuffer>* buffers) const {
    if (const loop::For* loop = loop::As<loop::For>(stmt)) {
      FindAccBuffers(loop->body, loop, buffers);
    } else if (const loop::Seq* seq = loop::As<loop::Seq>(stmt)) {
      for (const loop::Stmt& part : seq->stmts) FindAccBuffers(part, around, buffers);
    } else if (const loop::Allocate* allocate = loop::As<loop::Allocate>(stmt)) {
      if (allocate->buffer->scope == kAccScope) buffers->push_back({allocate->buffer, around});
      FindAccBuffers(allocate->body, around, buffers);
    }
  }

  /// Whether the computed buffers take as many slots as there are banks in turn, all at once, and
  /// only calls read the others, of which each bank is to have a copy.
  bool Alternate(std::vector<AccBuffer>& buffers) const {
    const std::vector<loop::Site> sites = loop::Sites(function_.body);
    const loop::For* tiles = nullptr;
    for (AccBuffer& one : buffers) {
      bool copied = false;
      for (const loop::Site& site : sites) {
        const bool call = loop::As<loop::Call>(site.block->body) != nullptr;
        one.computed |= call && loop::Writes(*site.block, one.buffer);
        copied |= !call && loop::Reads(*site.block, one.buffer);
      }
      if (!one.computed && copied) return false;
      if (!one.computed) continue;
      if (SlotsOf(function_, one.buffer) != config_.uarch.acc_banks) return false;
      if (!one.loop || (tiles && one.loop != tiles)) return false;
      tiles = one.loop;
    }
    return tiles != nullptr;
  }

  const isa::Config& config_;
  const loop::Function& function_;
  std::map<std::string, int64_t> used_;
  std::map<const loop::BufferNode*, Slots> placed_;
};

}  // namespace

std::map<const loop::BufferNode*, Slots> PlaceBuffers(const isa::Config& config,
                                                      const loop::Function& function) {
  return Placer(config, function).Run();
}

}  // namespace vta::compiler::targets
