#include "compiler/llvm/intrinsics.h"

#include <bit>

#include "compiler/llvm/dot.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::llvm {

using loop::Affine;
using loop::CallPart;
using loop::DType;
using loop::Expr;

namespace {

/// The types of acc, x and w where the intrinsic is a dot product of 32-bit groups.
bool FindDot(const tensorize::Intrinsic& intrinsic, DotTypes* types, int* lanes, bool* by_lane) {
  if (intrinsic.operands.size() != 3) return false;
  const tensorize::Operand &acc = intrinsic.operands[0], &x = intrinsic.operands[1],
                           &w = intrinsic.operands[2];
  const bool words = x.dtype == DType::kInt16 && w.dtype == DType::kInt16;
  const bool bytes =
      (x.dtype == DType::kInt8 || x.dtype == DType::kUint8) && w.dtype == DType::kInt8;
  if (!words && !bytes) return false;
  *types = {words ? 16 : 8, x.dtype != DType::kUint8};
  const int64_t group = 32 / types->bits;
  if (acc.dtype != DType::kInt32 || acc.shape.size() != 1 || acc.shape[0] < 4 ||
      !std::has_single_bit(static_cast<uint64_t>(acc.shape[0])) ||
      w.shape != std::vector{acc.shape[0], group})
    return false;
  *lanes = static_cast<int>(acc.shape[0]);
  *by_lane = x.shape == std::vector{group, acc.shape[0]};
  return *by_lane || x.shape == std::vector{group};
}

const std::string& LoweringOf(const loop::Call& call) {
  const tensorize::Lowering& lowering = call.intrinsic->lowering;
  return call.part == CallPart::kCompute ? lowering.compute
         : call.part == CallPart::kReset ? lowering.reset
                                         : lowering.update;
}

/// True where the operand's elements stand one after the other in its buffer.
bool IsDense(const loop::Region& region, const tensorize::Operand& want) {
  if (!region.buffer || region.buffer->dtype != want.dtype) return false;
  std::vector<int64_t> shape;
  int64_t dense = 1;
  for (size_t d = region.ranges.size(); d-- > 0;) {
    const int64_t extent = region.ranges[d].extent;
    if (extent == 0) continue;
    if (extent > 1 && region.buffer->Stride(d) != dense) return false;
    dense *= extent;
    shape.insert(shape.begin(), extent);
  }
  return shape == want.shape;
}

}  // namespace

/// A block in its loops. The operands are where the call's regions begin, in elements.
struct Calls::Prepared {
  BlockFacts facts;
  bool fits = false;
  DotTypes types;
  int lanes = 0;
  bool by_lane = false;
  std::vector<Affine> operands, reduce;
  const loop::Call *init = nullptr, *body = nullptr;
  std::optional<WarpCall> warp;
};

Calls::Calls(Code& code) : c_(code) {}
Calls::~Calls() = default;

Calls::Prepared& Calls::Prepare(const Surroundings& around, const loop::Block& block,
                                const std::vector<loop::Stmt>& loops) {
  std::unique_ptr<Prepared>& found = prepared_[&block];
  if (found) return *found;
  found =
      std::make_unique<Prepared>(Prepared{.facts = BlockFacts(loop::FactsOf(loops), block.where)});
  Prepared& p = *found;
  p.body = loop::As<loop::Call>(block.body);
  p.init = loop::As<loop::Call>(block.init);
  const tensorize::Intrinsic& intrinsic = *p.body->intrinsic;
  const loop::VarMap bindings = Bindings(block);
  const loop::Facts& facts = p.facts.everywhere().facts;
  const auto fits = [&](const loop::Call& call) {
    const std::string& lowering = LoweringOf(call);
    if (call.intrinsic.get() != &intrinsic ||
        lowering != (call.part == CallPart::kReset ? kZero : kDot) ||
        call.operands.size() != (call.part == CallPart::kReset ? 1 : 3))
      return false;
    for (size_t i = 0; i < call.operands.size(); ++i)
      if (!IsDense(call.operands[i], intrinsic.operands[i])) return false;
    return true;
  };
  p.fits = FindDot(intrinsic, &p.types, &p.lanes, &p.by_lane) && fits(*p.body) &&
           (!block.init ||
            (p.init && fits(*p.init) && Print(p.init->operands[0]) == Print(p.body->operands[0])));
  if (!p.fits) {
    p.warp = WarpCall::Find(c_, around, block, loops);
    return p;
  }
  for (const loop::Region& region : p.body->operands) {
    std::vector<Expr> at;
    for (const loop::Range& range : region.ranges) at.push_back(range.base);
    p.operands.push_back(facts.Form(Substitute(FlatIndex(region.buffer, at), bindings)));
  }
  for (const loop::Iter& iter : block.iters)
    if (iter.kind == loop::IterKind::kReduce) p.reduce.push_back(facts.Form(iter.binding));
  return p;
}

void Calls::Run(const Surroundings& around, Prepared& p, const loop::Call& call) {
  Values values(c_, around, p.facts);
  const Type group = c_.IntType(32), vector = c_.Wide(group, p.lanes);
  const auto at = [&](size_t i) {
    return values.Address(p.body->operands[i].buffer, p.operands[i], p.facts.everywhere());
  };
  const auto load = [&](size_t i, Type type) {
    const loop::DType dtype = p.body->operands[i].buffer->dtype;
    return c_.LoadFrom(type, at(i), static_cast<int>(loop::SizeBytes(dtype)));
  };
  const Value acc = at(0), zero = c_.Splat(c_.Int(32, 0), p.lanes);
  Value sum = zero;
  if (call.part != CallPart::kReset) {
    if (call.part == CallPart::kUpdate) sum = load(0, vector);
    const Value x = p.by_lane ? Grouped(c_, p.types, load(1, vector)) : load(1, group);
    sum = Dot(c_, p.types, sum, x, load(2, vector));
  }
  c_.StoreTo(sum, acc, 4);
}

bool Calls::Emit(const Surroundings& around, const loop::Block& block,
                 const std::vector<loop::Stmt>& loops) {
  Prepared& p = Prepare(around, block, loops);
  if (p.warp) {
    p.warp->Emit(c_, around, p.facts);
    return true;
  }
  if (!p.fits) return false;
  Values values(c_, around, p.facts);
  Value condition = nullptr, first = nullptr;
  const auto also = [&](Value& all, Value one) { all = all ? c_.And(all, one) : one; };
  for (const Expr& guard : p.facts.guards())
    also(condition, values.Emit(guard, nullptr, p.facts.outside()));
  c_.Where(condition, [&] {
    if (p.init) {
      for (const Affine& reduce : p.reduce)
        also(first, c_.Compare(Cmp::kEq, values.Sum(reduce, nullptr, p.facts.everywhere()),
                               c_.Int(64, 0)));
      c_.Where(first, [&] { Run(around, p, *p.init); });
    }
    Run(around, p, *p.body);
  });
  return true;
}

}  // namespace vta::compiler::llvm
