#include "compiler/opencl/lanes.h"

#include <algorithm>

#include "compiler/loop/independent.h"

namespace vta::compiler::opencl {

using loop::Affine;
using loop::DType;
using loop::Expr;
using loop::Op;

namespace {

/// Of a block in the loop.
class BlockInLanes {
 public:
  BlockInLanes(const Surroundings& around, lower::PreparedBlock& block)
      : around_(around), block_(block) {}

  bool Fits() {
    const auto uses = [&](const Expr& e) { return Uses(e, around_.lane); };
    return std::ranges::none_of(block_.facts.guards(), uses) &&
           std::ranges::none_of(block_.reduce, [&](const Affine& f) { return uses(ToExpr(f)); }) &&
           std::ranges::all_of(block_.init, [&](const auto& one) { return FitsStore(one); }) &&
           std::ranges::all_of(block_.body, [&](const auto& one) { return FitsStore(one); });
  }

 private:
  bool FitsStore(const lower::Assignment& one) {
    const Expr& value = one.store.value;
    return around_.IsDense(one.store.buffer, one.flat) && FitsValue(value) &&
           (value.dtype() == DType::kFloat32 || Uses(value, around_.lane));
  }

  bool FitsValue(const Expr& e) {
    if (!Uses(e, around_.lane)) return true;
    const auto fits = [&](const Expr& arg) { return FitsValue(arg); };
    const bool real = !e->args.empty() && e->args[0].dtype() == DType::kFloat32;
    lower::BlockFacts::Context& context = block_.facts.everywhere();
    switch (e.op()) {
      case Op::kLoad:
        return e.dtype() != DType::kBool &&
               around_.IsDense(e->buffer,
                               lower::BlockFacts::Flat(context, e.get(), e->buffer, e->args));
      case Op::kCast:
        // To floats of what was loaded, and from floats.
        return real ? e.dtype() != DType::kBool && fits(e->args[0])
                    : e.dtype() == DType::kFloat32 && e->args[0].op() == Op::kLoad &&
                          fits(e->args[0]);
      case Op::kSelect:
        return e.dtype() == DType::kFloat32 && !Uses(e->args[0], around_.lane) &&
               block_.facts.AllSafe(e) && fits(e->args[1]) && fits(e->args[2]);
      default:
        return real && e.dtype() == DType::kFloat32 && std::ranges::all_of(e->args, fits);
    }
  }

  const Surroundings& around_;
  lower::PreparedBlock& block_;
};

}  // namespace

int LanesFor(int64_t extent) {
  for (const int lanes : {4, 2, 8, 16})
    if (extent == lanes) return lanes;
  for (const int lanes : {4, 2})
    if (extent % lanes == 0) return lanes;
  return 0;
}

bool FitsLanes(const loop::Stmt& body, const std::vector<loop::Stmt>& loops,
               const Surroundings& around) {
  const std::vector<loop::Stmt> outside(loops.begin(), loops.end() - 1);
  if (!loop::WhyNotLanes(loops.back(), outside).empty()) return false;
  for (const loop::Site& site : loop::Sites(body)) {
    if (loop::As<loop::Call>(site.block->body)) return false;
    std::vector<loop::Stmt> all = loops;
    all.insert(all.end(), site.loops.begin(), site.loops.end());
    lower::PreparedBlock block = lower::Prepare(*site.block, all);
    if (!BlockInLanes(around, block).Fits()) return false;
  }
  return true;
}

}  // namespace vta::compiler::opencl
