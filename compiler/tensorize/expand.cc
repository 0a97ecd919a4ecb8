#include "compiler/tensorize/expand.h"

#include "compiler/loop/analysis.h"
#include "isa/support/error.h"

namespace vta::compiler::tensorize {

using loop::Block;
using loop::Call;
using loop::CallPart;
using loop::Expr;
using loop::For;
using loop::Iter;
using loop::IterKind;
using loop::Region;
using loop::Stmt;

namespace {

/// Indices into the region's buffer of the element `at` of an operand, which is declared with this
/// shape.
std::vector<Expr> Place(const Region& region, const std::vector<int64_t>& shape,
                        const std::vector<Expr>& at) {
  std::vector<Expr> own, out;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1) own.push_back(at[d]);
  size_t dim = 0;
  for (const loop::Range& range : region.ranges)
    out.push_back(range.extent ? range.base + own[dim++] : range.base);
  return out;
}

void CheckOperand(const Call& call, size_t i) {
  const Operand& want = call.intrinsic->operands[i];
  const Region& region = call.operands[i];
  const std::string where = StrCat("call of ", call.intrinsic->name, ": operand ", want.name);
  if ((want.scope == kImmediate) != !region.buffer)
    throw Error(where, "operand", Print(region),
                want.scope == kImmediate ? "must be a value" : "must be a region");
  if (!region.buffer) {
    if (region.immediate.dtype() != want.dtype)
      throw Error(where, "type", std::string(Name(region.immediate.dtype())),
                  StrCat("must be ", Name(want.dtype)));
    return;
  }
  std::vector<int64_t> shape;
  for (const loop::Range& range : region.ranges)
    if (range.extent) shape.push_back(range.extent);
  if (shape != want.shape)
    throw Error(where, "region", Print(region), "must have the declared shape");
  if (region.buffer->dtype != want.dtype)
    throw Error(where, "type", std::string(Name(region.buffer->dtype)),
                StrCat("must be ", Name(want.dtype)));
  if (!want.scope.empty() && region.buffer->scope != want.scope)
    throw Error(where, "scope", region.buffer->scope, StrCat("must be ", want.scope));
}

/// The description's nest on the call's operands. `outer` gives the block's own guard and
/// iterators.
Stmt Expand(const Block& block, const Call& call, const Expr& where) {
  const Intrinsic& intrinsic = *call.intrinsic;
  const loop::VarMap bindings = Bindings(block);
  const loop::Site site = Sites(intrinsic.description.body)[0];
  Block inner = *site.block;
  inner.name = block.name;
  if (call.part != CallPart::kCompute && !inner.init)
    throw Error(StrCat("block ", block.name), "call", std::string(Name(call.part)),
                "the intrinsic has no reduction");
  if (call.part == CallPart::kReset) inner.body = inner.init;
  if (call.part != CallPart::kCompute) inner.init = nullptr;
  Stmt body = MakeStmt(inner);
  const size_t count = call.part == CallPart::kReset ? 1 : intrinsic.operands.size();
  if (call.operands.size() != count)
    throw Error(StrCat("block ", block.name), "operands", StrCat(call.operands.size()),
                StrCat("must be ", count));
  for (size_t i = 0; i < count; ++i) {
    CheckOperand(call, i);
    Region region = call.operands[i];
    const loop::Buffer& declared = intrinsic.description.params[i];
    if (!region.buffer) {
      const Expr value = Substitute(region.immediate, bindings);
      body = RewriteExprs(body, [&](const Expr& e) {
        return e.op() == loop::Op::kLoad && e->buffer == declared ? value : Expr();
      });
      continue;
    }
    for (loop::Range& range : region.ranges) range.base = Substitute(range.base, bindings);
    body = ReplaceBuffer(body, declared, region.buffer,
                         [&](std::vector<Expr> at) { return Place(region, declared->shape, at); });
  }
  if (where) {
    Block guarded = *loop::As<Block>(body);
    guarded.where = guarded.where ? guarded.where && where : where;
    body = MakeStmt(std::move(guarded));
  }
  // Fresh loops, since a description may be expanded more than once.
  const bool reset = call.part == CallPart::kReset;
  for (size_t i = site.loops.size(); i-- > 0;) {
    const For& loop = *loop::As<For>(site.loops[i]);
    bool used = !reset;
    for (const Iter& iter : inner.iters)
      used |= iter.kind == IterKind::kSpatial && Uses(iter.binding, loop.var);
    const loop::Var fresh = loop::MakeVar(loop.var->name);
    body = Substitute(body, {{loop.var, used ? Expr(fresh) : Expr(0)}});
    if (used) body = MakeStmt(For{.var = fresh, .extent = loop.extent, .body = body});
  }
  return body;
}

}  // namespace

Stmt ExpandCalls(const Block& block) {
  const Call& body = *loop::As<Call>(block.body);
  Stmt main = Expand(block, body, block.where);
  if (!block.init) return main;
  Expr first = block.where;
  for (const Iter& iter : block.iters)
    if (iter.kind == IterKind::kReduce)
      first = first ? first && Eq(iter.binding, 0) : Eq(iter.binding, 0);
  const Call* init = loop::As<Call>(block.init);
  if (!init)
    throw Error(StrCat("block ", block.name), "init", OneLine(block.init),
                "must be a call, as the body");
  return loop::MakeSeq({Expand(block, *init, first), main});
}

}  // namespace vta::compiler::tensorize
