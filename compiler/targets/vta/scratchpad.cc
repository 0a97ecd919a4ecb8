#include "compiler/targets/vta/scratchpad.h"

#include "compiler/loop/analysis.h"
#include "compiler/targets/vta/region.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

int64_t SlotsOf(const loop::Function& function, const loop::Buffer& buffer) {
  int64_t slots = 1;
  for (const loop::Site& site : loop::Sites(function.body)) {
    if (loop::Written(*site.block) != buffer) continue;
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
                             {kAccScope, &isa::Arch::acc_depth}};

class Placer {
 public:
  Placer(const isa::Config& config, const loop::Function& function)
      : config_(config), function_(function) {}

  std::map<const loop::BufferNode*, Slots> Run() {
    loop::VisitStmts(function_.body, [&](const loop::Stmt& stmt) {
      const loop::Allocate* allocate = loop::As<loop::Allocate>(stmt);
      if (allocate && IsScratchpad(allocate->buffer)) Place(allocate->buffer);
    });
    return std::move(placed_);
  }

 private:
  void Place(const loop::Buffer& buffer) {
    const int64_t row = RowElems(config_, buffer->scope);
    if (buffer->SizeElems() % row != 0)
      throw Error(StrCat("buffer ", buffer->name), "elements", std::to_string(buffer->SizeElems()),
                  StrCat("must be whole rows of ", row));
    int64_t& used = used_[buffer->scope];
    const Slots slots{used, buffer->SizeElems() / row, SlotsOf(function_, buffer)};
    used += slots.rows * slots.slots;
    for (const Depth& depth : kDepths)
      if (buffer->scope == depth.scope && used > config_.arch.*depth.rows)
        throw Error(StrCat("scratchpad ", depth.scope), "rows", std::to_string(used),
                    StrCat("the config has ", config_.arch.*depth.rows));
    placed_[buffer.get()] = slots;
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
