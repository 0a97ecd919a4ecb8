#include "tests/support/interpreter/interpret_kernel.h"

#include <algorithm>
#include <numeric>

#include "compiler/loop/analysis.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Index arithmetic and logic of variables that Scalar::Eval can do.
bool IsScalar(const Expr& e) {
  switch (e.op()) {
    case Op::kConst:
      return e.dtype() == DType::kInt64 || e.dtype() == DType::kBool;
    case Op::kVar:
      return true;
    case Op::kSelect:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kFloorDiv:
    case Op::kFloorMod:
    case Op::kMin:
    case Op::kMax:
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return std::all_of(e->args.begin(), e->args.end(), [](const Expr& a) {
        return (a.dtype() == DType::kInt64 || a.dtype() == DType::kBool) && IsScalar(a);
      });
    default:
      return false;
  }
}

/// affine in `lane` with everything else scalar.
bool IsLaneAffine(const Affine& affine, const Var& lane) {
  return std::all_of(affine.terms.begin(), affine.terms.end(), [&](const Affine::Term& t) {
    return t.atom.op() == Op::kVar || (IsScalar(t.atom) && !(lane && Uses(t.atom, lane)));
  });
}

Affine Flat(const Buffer& buffer, const std::vector<Expr>& indices, const Facts& facts) {
  if (indices.size() != buffer->shape.size())
    throw Error(StrCat("buffer ", buffer->name), "indices", StrCat(indices.size()),
                StrCat("must be ", buffer->shape.size()));
  return facts.Form(FlatIndex(buffer, indices));
}

bool SameIndices(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), Same);
}

/// `condition` as form >= 0, if it is one comparison of sides that cannot wrap.
bool AsNonNegative(const Expr& c, const Facts& facts, Affine& gap) {
  if ((c.op() != Op::kLt && c.op() != Op::kLe) || c->args[0].dtype() != DType::kInt64) return false;
  const Affine left = facts.Form(c->args[0]), right = facts.Form(c->args[1]);
  if (!facts.Bounds(left).Known() || !facts.Bounds(right).Known()) return false;
  gap = right.Plus(left, -1);
  gap.constant -= c.op() == Op::kLt;
  return true;
}

const Store* StoreOf(const Stmt& leaf) {
  const Store* store = As<Store>(leaf);
  if (!store) throw Error("", "statement in a block", Print(leaf), "must be a store or a call");
  return store;
}

/// True when iterations that differ in `lane` write different elements, whatever the loops inside
/// it do.
bool Injective(const Store& store, const Var& lane, int64_t extent, const std::vector<Stmt>& inner,
               const Facts& facts) {
  auto separates = [&](const Affine& form) {
    if (!IsLaneAffine(form, lane)) return false;
    const int64_t stride = std::abs(form.Coef(Expr(lane)));
    int64_t span = 0, gcd = 0;
    for (const Stmt& s : inner) {
      const For& loop = *As<For>(s);
      for (const Affine::Term& t : form.terms)
        if (t.atom.op() != Op::kVar && Uses(t.atom, loop.var)) return false;
      const int64_t coef = std::abs(form.Coef(Expr(loop.var)));
      if (loop.extent > 1 && coef) {
        span += coef * (loop.extent - 1);
        gcd = std::gcd(gcd, coef);
      }
    }
    return stride > span || (stride != 0 && gcd != 0 && stride * (extent - 1) < gcd);
  };
  if (separates(Flat(store.buffer, store.indices, facts))) return true;
  return std::any_of(store.indices.begin(), store.indices.end(),
                     [&](const Expr& index) { return separates(facts.Form(index)); });
}

/// The block may run `lane` in lanes with `inner` inside, by inspection of what it accesses.
bool MayBeLanes(const Block& block, const For& lane, const std::vector<Stmt>& inner,
                const Facts& facts) {
  const VarMap bindings = Bindings(block);
  for (const Iter& iter : block.iters)
    if (iter.kind == IterKind::kReduce && Uses(iter.binding, lane.var)) return false;
  for (const Expr& c : Conjuncts(block.where)) {
    Affine gap;
    if (Uses(c, lane.var) && !(AsNonNegative(c, facts, gap) && IsLaneAffine(gap, lane.var)))
      return false;
  }
  std::map<Buffer, std::vector<Expr>> written;
  for (const Stmt& leaf : Leaves(Substitute(block.body, bindings))) {
    const Store& store = *StoreOf(leaf);
    if (!Injective(store, lane.var, lane.extent, inner, facts)) return false;
    if (!written.emplace(store.buffer, store.indices).second) return false;
  }
  // What the block writes is touched at the elements of this lane alone.
  bool own = true;
  const auto check = [&](const Expr& e) {
    if (e.op() == Op::kLoad && written.contains(e->buffer))
      own &= SameIndices(e->args, written.at(e->buffer));
  };
  for (const Stmt& part : {block.body, block.init})
    for (const Stmt& leaf : Leaves(Substitute(part, bindings))) {
      const Store& store = *StoreOf(leaf);
      const auto at = written.find(store.buffer);
      own &= at != written.end() && SameIndices(store.indices, at->second);
      Visit(store.value, check);
      for (const Expr& index : store.indices) Visit(index, check);
    }
  return own;
}

class Codegen {
 public:
  Codegen(const Block& block, const std::vector<Stmt>& nest, const Facts& facts, const Names& names)
      : names_(names), facts_(facts) {
    kernel_.block = block.name;
    for (size_t i = 0; i < nest.size(); ++i) {
      const For& loop = *As<For>(nest[i]);
      const Kernel::Loop entry{Slot(loop.var), loop.extent};
      if (i == 0) {
        kernel_.lane = entry;
        lane_ = loop.var;
      } else {
        kernel_.inner.push_back(entry);
      }
    }
    for (const Expr& c : Conjuncts(block.where)) kernel_.guards.push_back(MakeGuard(c));
    facts_.Assume(block.where);
    const VarMap bindings = Bindings(block);
    for (const Iter& iter : block.iters)
      if (block.init && iter.kind == IterKind::kReduce)
        kernel_.reduce.push_back(MakeForm(facts_.Form(iter.binding)));
    if (block.init) Stores(Substitute(block.init, bindings), kernel_.init);
    Stores(Substitute(block.body, bindings), kernel_.body);
  }
  Kernel Take() { return std::move(kernel_); }

 private:
  int Slot(const Var& var) const {
    auto it = names_.vars.find(var.get());
    if (it == names_.vars.end())
      throw Error(StrCat("block ", kernel_.block), "variable", var->name,
                  "is not a loop around the block");
    return it->second;
  }

  Scalar MakeScalar(const Expr& e) const {
    if (e.op() == Op::kVar) return {Op::kVar, Slot(e->var), {}};
    if (!IsScalar(e))
      throw Error(StrCat("block ", kernel_.block), "expression", Print(e),
                  "must be of loop variables alone");
    Scalar s{e.op(), e->int_value, {}};
    for (const Expr& arg : e->args) s.args.push_back(MakeScalar(arg));
    return s;
  }

  Form MakeForm(const Affine& affine) const {
    Form form;
    form.constant = affine.constant;
    for (const Affine::Term& t : affine.terms) {
      if (t.atom.op() == Op::kVar) {
        form.terms.emplace_back(Slot(t.atom->var), t.coef);
        if (t.atom->var == lane_) form.stride = t.coef;
      } else {
        form.scalars.emplace_back(MakeScalar(t.atom), t.coef);
      }
    }
    return form;
  }

  Kernel::Guard MakeGuard(const Expr& c) const {
    Affine gap;
    if (AsNonNegative(c, facts_, gap) && IsLaneAffine(gap, lane_)) return {true, MakeForm(gap), {}};
    return {false, {}, MakeScalar(c)};
  }

  int NewReg() {
    kernel_.regs.emplace_back();
    return static_cast<int>(kernel_.regs.size()) - 1;
  }

  /// All at once: every value and index is there before the first is written.
  void Stores(const Stmt& part, std::vector<Instr>& code) {
    code_ = &code;
    std::vector<Instr> stores;
    for (const Stmt& leaf : Leaves(part)) {
      const Store& store = *StoreOf(leaf);
      const int value = Gen(store.value, -1, facts_);
      stores.push_back({.run = FindStoreFn(store.buffer->dtype),
                        .a = value,
                        .index = MakeAddress(store.buffer, store.indices, -1, facts_)});
    }
    for (const Instr& store : stores) Emit(store);
  }

  int Emit(Instr instr) {
    VTA_CHECK(instr.run, "an operation without a lane function in block ", kernel_.block);
    code_->push_back(instr);
    return instr.dst;
  }

  int Constant(const Expr& e) {
    const int reg = NewReg();
    Lanes& lanes = kernel_.regs[reg];
    for (int i = 0; i < kLanes; ++i) {
      if (e.dtype() == DType::kFloat32)
        lanes.f32[i] = static_cast<float>(e->float_value);
      else if (e.dtype() == DType::kInt64)
        lanes.i64[i] = e->int_value;
      else
        lanes.i32[i] = static_cast<int32_t>(e->int_value);
    }
    return reg;
  }

  /// The register that holds `e` for the lanes of `mask`; `facts` holds there.
  int Gen(const Expr& e, int mask, const Facts& facts) {
    if (e.op() == Op::kConst) return Constant(e);
    if (e.dtype() == DType::kInt64 && e.op() != Op::kLoad && e.op() != Op::kCast) {
      const Affine form = facts.Form(e);
      if (IsLaneAffine(form, lane_)) {
        kernel_.forms.push_back(MakeForm(form));
        return Emit({.run = IndexFn(),
                     .dst = NewReg(),
                     .index = static_cast<int>(kernel_.forms.size()) - 1});
      }
    }
    if (e.op() == Op::kVar) Slot(e->var);
    if (e.op() == Op::kLoad) {
      const int index = MakeAddress(e->buffer, e->args, mask, facts);
      const int loaded =
          Emit({.run = FindLoadFn(e.dtype()), .dst = NewReg(), .mask = mask, .index = index});
      if (e.dtype() != DType::kBool) return loaded;
      return Emit({.run = FindCastFn(DType::kInt32, DType::kBool), .dst = NewReg(), .a = loaded});
    }
    if (e.op() == Op::kSelect) return GenSelect(e, mask, facts);
    int args[4] = {};
    for (size_t i = 0; i < e->args.size(); ++i) args[i] = Gen(e->args[i], mask, facts);
    const DType operand = e->args[0].dtype();
    Instr instr{.dst = NewReg(), .a = args[0], .b = args[1], .c = args[2], .d = args[3]};
    instr.run = e.op() == Op::kCast ? FindCastFn(operand, e.dtype()) : FindOpFn(e.op(), operand);
    Emit(instr);
    const RunFn wrap = e.op() == Op::kCast ? nullptr : FindWrapFn(e.dtype());
    return wrap ? Emit({.run = wrap, .dst = NewReg(), .a = instr.dst}) : instr.dst;
  }

  int GenSelect(const Expr& e, int mask, const Facts& facts) {
    const Expr& condition = e->args[0];
    const int c = Gen(condition, mask, facts);
    auto side = [&](const Expr& value, bool holds) {
      bool loads = false;
      Visit(value, [&](const Expr& x) { loads |= x.op() == Op::kLoad; });
      if (!loads) return Gen(value, mask, facts);
      int under = c;
      if (mask >= 0 || !holds)
        under =
            Emit({.run = MaskFn(!holds), .dst = NewReg(), .a = mask >= 0 ? mask : Ones(), .b = c});
      Facts known = facts;
      known.Assume(condition, holds);
      return Gen(value, under, known);
    };
    const int a = side(e->args[1], true), b = side(e->args[2], false);
    return Emit({.run = FindSelectFn(e.dtype()), .dst = NewReg(), .a = c, .b = a, .c = b});
  }

  int Ones() {
    if (ones_ < 0) ones_ = Constant(IntConst(DType::kInt32, 1));
    return ones_;
  }

  int MakeAddress(const Buffer& buffer, const std::vector<Expr>& indices, int mask,
                  const Facts& facts) {
    auto it = names_.buffers.find(buffer.get());
    if (it == names_.buffers.end())
      throw Error(StrCat("block ", kernel_.block), "buffer", buffer->name,
                  "is not allocated around the block");
    Address at{.buffer = it->second, .node = buffer, .size = buffer->SizeElems()};
    const Affine flat = Flat(buffer, indices, facts);
    std::vector<Affine> forms;
    // Without a known bound the arithmetic may wrap, and the ends of a chunk would say nothing
    // about its middle.
    bool affine = IsLaneAffine(flat, lane_) && facts.Bounds(flat).Known();
    for (size_t d = 0; d < indices.size(); ++d) {
      forms.push_back(facts.Form(indices[d]));
      const bool proved =
          facts.ProvesNonNegative(forms[d]) &&
          facts.ProvesNonNegative(Affine{{}, buffer->shape[d] - 1}.Plus(forms[d], -1));
      if (!proved && !(IsLaneAffine(forms[d], lane_) && facts.Bounds(forms[d]).Known()))
        affine = false;
      if (!proved && affine) at.checks.emplace_back(static_cast<int>(d), MakeForm(forms[d]));
    }
    if (affine) {
      at.flat = MakeForm(flat);
    } else {
      at.checks.clear();
      for (const Expr& index : indices) at.gather.push_back(Gen(index, mask, facts));
    }
    kernel_.addresses.push_back(std::move(at));
    return static_cast<int>(kernel_.addresses.size()) - 1;
  }

  const Names& names_;
  Facts facts_;
  Kernel kernel_;
  Var lane_;
  std::vector<Instr>* code_ = nullptr;
  int ones_ = -1;
};

}  // namespace

size_t ChooseLaneLoop(const Block& block, const std::vector<Stmt>& nest, const Facts& facts) {
  size_t best = nest.size();
  int64_t best_score = 1;
  for (size_t i = nest.size(); i-- > 0;) {
    const For& loop = *As<For>(nest[i]);
    const int64_t score = std::min<int64_t>(loop.extent, kLanes);
    if (score <= best_score) continue;
    if (!MayBeLanes(block, loop, {nest.begin() + i + 1, nest.end()}, facts)) continue;
    best = i;
    best_score = score;
  }
  return best;
}

Kernel CompileKernel(const Block& block, const std::vector<Stmt>& nest, const Facts& facts,
                     const Names& names) {
  return Codegen(block, nest, facts, names).Take();
}

void Kernel::Run(Frame& frame) {
  frame.regs = regs.data();
  frame.addresses = addresses.data();
  frame.forms = forms.data();
  frame.block = &block;
  if (lane.slot < 0) return RunLanes(frame, 1);
  for (int64_t first = 0; first < lane.extent; first += kLanes) {
    const int lanes = static_cast<int>(std::min<int64_t>(kLanes, lane.extent - first));
    frame.vars[lane.slot] = first;
    for (const Loop& loop : inner) frame.vars[loop.slot] = 0;
    while (true) {
      frame.watch.Trip();
      RunLanes(frame, lanes);
      size_t i = inner.size();
      for (; i > 0; --i) {
        if (++frame.vars[inner[i - 1].slot] < inner[i - 1].extent) break;
        frame.vars[inner[i - 1].slot] = 0;
      }
      if (i == 0) break;
    }
  }
}

void Kernel::RunLanes(Frame& frame, int lanes) {
  int64_t lo = 0, hi = lanes;
  const int64_t* vars = frame.vars.data();
  for (const Guard& guard : guards) {
    if (!guard.affine) {
      if (!guard.scalar.Eval(vars)) return;
      continue;
    }
    // base + stride * lane >= 0 holds on one side of a lane.
    const int64_t base = guard.form.Base(vars), stride = guard.form.stride;
    if (stride == 0 && base < 0) return;
    if (stride > 0) lo = std::max(lo, -FoldInt64(Op::kFloorDiv, base, stride));
    if (stride < 0) hi = std::min(hi, FoldInt64(Op::kFloorDiv, base, -stride) + 1);
  }
  if (lo >= hi) return;
  const int first = static_cast<int>(lo), last = static_cast<int>(hi);
  if (!init.empty() &&
      std::all_of(reduce.begin(), reduce.end(), [&](const Form& f) { return f.Base(vars) == 0; }))
    for (const Instr& instr : init) instr.run(instr, frame, first, last);
  for (const Instr& instr : body) instr.run(instr, frame, first, last);
}

}  // namespace vta::compiler::loop
