#include "compiler/tensorize/match.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "isa/support/error.h"

namespace vta::compiler::tensorize {

using loop::Affine;
using loop::Block;
using loop::Buffer;
using loop::Call;
using loop::CallPart;
using loop::Expr;
using loop::Facts;
using loop::For;
using loop::Iter;
using loop::IterKind;
using loop::Op;
using loop::Region;
using loop::Stmt;
using loop::Store;
using loop::Var;
using loop::VarMap;

namespace {

/// A difference, and how far the comparison had come when it was met.
struct Difference {
  int progress = 0;
  std::string what, found, wanted;
};

struct Axis {
  Var var;
  int64_t extent;
  IterKind kind;
};

std::string Describe(const std::vector<Axis>& axes) {
  std::string out;
  for (const Axis& axis : axes)
    out += StrCat(out.empty() ? "" : ", ", axis.kind == IterKind::kReduce ? "reduce " : "",
                  axis.var->name, ": ", axis.extent);
  return StrCat("(", out, ")");
}

/// Compares one leaf of the description with one of the nest under a fixed assignment of axes.
class Unifier {
 public:
  Unifier(const Intrinsic& intrinsic, const Facts& facts, const std::vector<Axis>& inner,
          VarMap axes, VarMap bindings)
      : intrinsic_(intrinsic),
        facts_(facts),
        inner_(inner),
        axes_(std::move(axes)),
        bindings_(std::move(bindings)),
        regions_(intrinsic.operands.size()),
        bound_(intrinsic.operands.size()) {}

  bool Leaf(const Store& want, const Store& have) {
    return Element(want.buffer, want.indices, have.buffer, have.indices) &&
           Value(want.value, have.value);
  }
  const Difference& difference() const { return difference_; }
  bool bound(size_t operand) const { return bound_[operand]; }
  const Region& region(size_t operand) const { return regions_[operand]; }

 private:
  bool Differ(std::string what, std::string found, std::string wanted) {
    if (difference_.what.empty() || progress_ > difference_.progress)
      difference_ = {progress_, std::move(what), std::move(found), std::move(wanted)};
    return false;
  }

  size_t OperandOf(const Buffer& buffer) const {
    const auto& params = intrinsic_.description.params;
    return std::find(params.begin(), params.end(), buffer) - params.begin();
  }

  Affine InnerPart(const Expr& index) const {
    const Affine form = facts_.Form(Substitute(index, bindings_));
    Affine out;
    for (const Affine::Term& term : form.terms)
      if (std::any_of(inner_.begin(), inner_.end(),
                      [&](const Axis& a) { return Uses(term.atom, a.var); }))
        out.terms.push_back(term);
    return out;
  }

  bool Element(const Buffer& want, const std::vector<Expr>& want_at, const Buffer& have,
               const std::vector<Expr>& have_at) {
    const size_t operand = OperandOf(want);
    const Operand& declared = intrinsic_.operands[operand];
    const std::string name = StrCat("operand ", declared.name);
    if (have->dtype != declared.dtype)
      return Differ(StrCat(name, ": type of ", have->name), std::string(Name(have->dtype)),
                    std::string(Name(declared.dtype)));
    if (!declared.scope.empty() && have->scope != declared.scope)
      return Differ(StrCat(name, ": scope of ", have->name), have->scope, declared.scope);
    // Dimensions that move with the inner loops are the operand's, in order; the others are points.
    Region region{.buffer = have};
    std::vector<size_t> dims;
    for (size_t d = 0; d < want_at.size(); ++d)
      if (want->shape[d] > 1) dims.push_back(d);
    if (IsLookedUp(want_at)) return Table(operand, want, want_at, have, have_at);
    size_t next = 0;
    for (size_t j = 0; j < have_at.size(); ++j) {
      const Affine part = InnerPart(have_at[j]);
      if (part.IsConstant()) {
        region.ranges.push_back({have_at[j], 0});
        continue;
      }
      const Expr wanted = next < dims.size() ? Substitute(want_at[dims[next]], axes_) : Expr(0);
      if (!facts_.Form(wanted).Plus(part, -1).IsConstant())
        return Differ(StrCat(name, ": index ", j, " of ", have->name), Print(loop::ToExpr(part)),
                      next < dims.size() ? Print(wanted) : "no such dimension");
      region.ranges.push_back({have_at[j], want->shape[dims[next]]});
      ++next;
    }
    if (next < dims.size())
      return Differ(StrCat(name, ": dimensions of ", have->name), StrCat(next),
                    StrCat(dims.size()));
    return Bind(operand, std::move(region));
  }

  /// Whether data tells which element it is.
  static bool IsLookedUp(const std::vector<Expr>& at) {
    return std::any_of(at.begin(), at.end(), loop::HasLoad);
  }

  /// An element that data tells: of the whole buffer, where both compute its place alike.
  bool Table(size_t operand, const Buffer& want, const std::vector<Expr>& want_at,
             const Buffer& have, const std::vector<Expr>& have_at) {
    if (have->shape != want->shape)
      return Differ(
          StrCat("operand ", intrinsic_.operands[operand].name, ": elements of ", have->name),
          StrCat(have->SizeElems()), StrCat(want->SizeElems()));
    Region region{.buffer = have};
    for (size_t d = 0; d < want_at.size(); ++d) {
      if (!Value(want_at[d], have_at[d])) return false;
      region.ranges.push_back({Expr(0), want->shape[d]});
    }
    return Bind(operand, std::move(region));
  }

  bool Bind(size_t operand, Region region) {
    if (bound_[operand]) {
      const std::string before = Print(regions_[operand]), now = Print(region);
      return before == now ||
             Differ(StrCat("operand ", intrinsic_.operands[operand].name), now, before);
    }
    bound_[operand] = true;
    regions_[operand] = std::move(region);
    ++progress_;
    return true;
  }

  bool Value(const Expr& want, const Expr& have) {
    if (want.op() == Op::kLoad &&
        intrinsic_.operands[OperandOf(want->buffer)].scope == kImmediate) {
      const bool varies = HasLoad(have) || !InnerParts(have);
      if (have.dtype() != want.dtype() || varies)
        return Differ("immediate operand", Print(have), Print(want));
      return Bind(OperandOf(want->buffer), {nullptr, {}, have});
    }
    if (want.op() == Op::kLoad && have.op() == Op::kLoad)
      return Element(want->buffer, want->args, have->buffer, have->args);
    if (want.op() == Op::kVar) return Number(want, have);
    if (want.op() != have.op() || want.dtype() != have.dtype() ||
        want->args.size() != have->args.size())
      return Differ("expression", Print(have), Print(want));
    switch (want.op()) {
      case Op::kConst:
        return Same(want, have) || Differ("constant", Print(have), Print(want));
      default:
        break;
    }
    ++progress_;
    return Operands(want, have);
  }

  /// A loop's variable as a number of the expression.
  bool Number(const Expr& want, const Expr& have) {
    const Affine wanted = facts_.Form(Substitute(want, axes_)),
                 found = facts_.Form(Substitute(have, bindings_)), apart = wanted.Plus(found, -1);
    if (want.dtype() != have.dtype() || !apart.IsConstant() || apart.constant != 0)
      return Differ("expression", Print(have), Print(want));
    ++progress_;
    return true;
  }

  /// True when no inner loop occurs.
  bool InnerParts(const Expr& e) const {
    const Expr bound = Substitute(e, bindings_);
    return std::none_of(inner_.begin(), inner_.end(),
                        [&](const Axis& a) { return Uses(bound, a.var); });
  }

  bool Operands(const Expr& want, const Expr& have) {
    const auto saved = std::make_tuple(regions_, bound_, progress_);
    auto in_order = [&](bool swapped) {
      for (size_t i = 0; i < want->args.size(); ++i)
        if (!Value(want->args[i], have->args[swapped ? 1 - i : i])) return false;
      return true;
    };
    if (in_order(false)) return true;
    switch (want.op()) {
      case Op::kAdd:
      case Op::kMul:
      case Op::kMin:
      case Op::kMax:
      case Op::kEq:
      case Op::kNe:
      case Op::kAnd:
      case Op::kOr:
        break;
      default:
        return false;
    }
    std::tie(regions_, bound_, progress_) = saved;
    return in_order(true);
  }

  const Intrinsic& intrinsic_;
  const Facts& facts_;
  const std::vector<Axis>& inner_;
  VarMap axes_, bindings_;
  std::vector<Region> regions_;
  std::vector<bool> bound_;
  int progress_ = 0;
  Difference difference_;
};

class Matcher {
 public:
  Matcher(const loop::Site& site, size_t from, const IntrinsicRef& intrinsic)
      : site_(site),
        from_(from),
        intrinsic_(intrinsic),
        facts_(FactsAt(site)),
        description_(*loop::Sites(intrinsic->description.body)[0].block) {
    VarMap unit;
    for (size_t i = from; i < site.loops.size(); ++i) {
      const For& loop = *loop::As<For>(site.loops[i]);
      bool reduce = false;
      for (const Iter& iter : site.block->iters)
        reduce |= iter.kind == IterKind::kReduce && Uses(iter.binding, loop.var);
      if (loop.extent > 1)
        inner_.push_back({loop.var, loop.extent, reduce ? IterKind::kReduce : IterKind::kSpatial});
    }
    for (const Iter& iter : description_.iters)
      if (iter.extent > 1) wanted_.push_back({iter.var, iter.extent, iter.kind});
  }

  Block Run() {
    const Block& block = *site_.block;
    const loop::Buffer written = loop::OnlyWrite(block).buffer;
    const Store* body = loop::As<Store>(block.body);
    if (!body) Fail("body", OneLine(block.body), "must be a store");
    const Store* init = loop::As<Store>(block.init);
    const Store& want = *loop::As<Store>(description_.body);
    const Store* want_init = loop::As<Store>(description_.init);
    CheckGuards();
    const bool reads_itself = Reads(block, written);
    if (!want_init) {
      if (init)
        Fail("block", block.name, "has a start of a reduction, which the intrinsic has not");
      return Build({{CallPart::kCompute, &want, body}}, "");
    }
    if (!init && !reads_itself)
      return Build({{CallPart::kReset, want_init, body}}, intrinsic_->lowering.reset);
    if (!init) return Build({{CallPart::kUpdate, &want, body}}, intrinsic_->lowering.update);
    if (!intrinsic_->lowering.compute.empty() && !ReducesOutside())
      return Build({{CallPart::kCompute, &want, body}, {CallPart::kReset, want_init, init}},
                   intrinsic_->lowering.compute);
    if (intrinsic_->lowering.reset.empty())
      Fail("block", block.name, "starts a reduction, and the intrinsic has no reset");
    return Build({{CallPart::kUpdate, &want, body}, {CallPart::kReset, want_init, init}},
                 intrinsic_->lowering.update);
  }

 private:
  struct Part {
    CallPart part;
    const Store *want, *have;
  };

  [[noreturn]] void Fail(std::string what, std::string found, std::string rule) const {
    throw Error(StrCat("intrinsic ", intrinsic_->name), std::move(what), std::move(found),
                std::move(rule));
  }

  void CheckGuards() const {
    Facts outside = FactsOf(site_.loops);
    for (const Expr& condition : loop::Conjuncts(site_.block->where))
      for (const Axis& axis : inner_)
        if (Uses(condition, axis.var))
          Fail("guard", Print(condition),
               StrCat("must not depend on loop ", axis.var->name, ", which the intrinsic covers"));
  }

  bool ReducesOutside() const {
    for (size_t i = 0; i < from_; ++i)
      for (const Iter& iter : site_.block->iters)
        if (iter.kind == IterKind::kReduce &&
            Uses(iter.binding, loop::As<For>(site_.loops[i])->var))
          return true;
    return false;
  }

  Block Build(const std::vector<Part>& parts, const std::string& lowering) {
    if (lowering.empty() && description_.init)
      Fail("block", site_.block->name,
           StrCat("needs the ", Name(parts[0].part), " of the intrinsic, which it has not"));
    // A reset alone runs over the spatial axes only.
    std::vector<Axis> wanted = wanted_;
    if (parts[0].part == CallPart::kReset)
      std::erase_if(wanted, [](const Axis& a) { return a.kind == IterKind::kReduce; });
    const std::string extents = StrCat("must be the intrinsic's ", Describe(wanted));
    if (wanted.size() != inner_.size()) Fail("loops", Describe(inner_), extents);
    std::vector<size_t> order(inner_.size());
    std::iota(order.begin(), order.end(), 0);
    std::optional<Difference> nearest;
    do {
      bool fits = true;
      VarMap axes;
      for (size_t i = 0; i < wanted.size(); ++i) {
        const Axis& axis = inner_[order[i]];
        fits &= axis.extent == wanted[i].extent && axis.kind == wanted[i].kind;
        axes.emplace_back(wanted[i].var, Expr(axis.var));
      }
      if (!fits) continue;
      for (const Iter& iter : description_.iters)
        if (iter.extent == 1) axes.emplace_back(iter.var, Expr(0));
      std::optional<Block> built = TryParts(parts, axes, nearest);
      if (built) return *built;
    } while (std::next_permutation(order.begin(), order.end()));
    if (!nearest) Fail("loops", Describe(inner_), extents);
    Fail(nearest->what, nearest->found, StrCat("must be ", nearest->wanted));
  }

  std::optional<Block> TryParts(const std::vector<Part>& parts, const VarMap& axes,
                                std::optional<Difference>& nearest) {
    std::vector<Stmt> calls;
    for (const Part& part : parts) {
      Unifier unifier(*intrinsic_, facts_, inner_, axes, Bindings(*site_.block));
      if (!unifier.Leaf(*part.want, *part.have)) {
        if (!nearest || unifier.difference().progress > nearest->progress)
          nearest = unifier.difference();
        return std::nullopt;
      }
      Call call{intrinsic_, part.part, {}};
      const size_t count = part.part == CallPart::kReset ? 1 : intrinsic_->operands.size();
      for (size_t i = 0; i < count; ++i) call.operands.push_back(unifier.region(i));
      calls.push_back(MakeStmt(std::move(call)));
    }
    Block block = *site_.block;
    block.body = calls[0];
    block.init = parts[0].part == CallPart::kUpdate && calls.size() > 1 ? calls[1] : nullptr;
    return Outer(std::move(block));
  }

  /// The block with its iterators at their values where the inner loops stand at 0; those that are
  /// then fixed go.
  Block Outer(Block block) const {
    VarMap zero, gone;
    for (size_t i = from_; i < site_.loops.size(); ++i)
      zero.emplace_back(loop::As<For>(site_.loops[i])->var, Expr(0));
    std::vector<Iter> iters;
    for (Iter iter : block.iters) {
      const bool moved = std::any_of(zero.begin(), zero.end(),
                                     [&](const auto& z) { return Uses(iter.binding, z.first); });
      iter.binding = Substitute(iter.binding, zero);
      if (moved && iter.binding.IsConst(0)) {
        gone.emplace_back(iter.var, Expr(0));
      } else {
        iters.push_back(std::move(iter));
      }
    }
    block.iters = std::move(iters);
    const VarMap all = [&] {
      VarMap map = gone;
      map.insert(map.end(), zero.begin(), zero.end());
      return map;
    }();
    block.body = Substitute(block.body, all);
    block.init = block.init ? Substitute(block.init, all) : nullptr;
    return block;
  }

  const loop::Site& site_;
  size_t from_;
  const IntrinsicRef& intrinsic_;
  Facts facts_;
  const Block& description_;
  std::vector<Axis> inner_, wanted_;
};

}  // namespace

Block Match(const loop::Site& site, size_t from, const IntrinsicRef& intrinsic) {
  return Matcher(site, from, intrinsic).Run();
}

}  // namespace vta::compiler::tensorize
