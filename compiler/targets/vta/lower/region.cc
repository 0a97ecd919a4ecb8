#include "compiler/targets/vta/lower/region.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::Expr;
using loop::Op;

int64_t Evaluate(const Expr& expr, const LoopValues& values) {
  if (expr.op() == Op::kConst) return expr->int_value;
  if (expr.op() == Op::kVar) {
    for (const auto& [var, value] : values)
      if (var == expr->var.get()) return value;
    VTA_CHECK(false, "no value for loop ", expr->var->name);
  }
  VTA_CHECK(expr->args.size() == 2, "index operation ", loop::Print(expr));
  return loop::FoldInt64(expr.op(), Evaluate(expr->args[0], values),
                         Evaluate(expr->args[1], values));
}

/// Whether Evaluate can compute it.
bool IsIndexExpr(const Expr& expr) {
  switch (expr.op()) {
    case Op::kConst:
    case Op::kVar:
      return true;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMin:
    case Op::kMax:
    case Op::kFloorDiv:
    case Op::kFloorMod:
      return IsIndexExpr(expr->args[0]) && IsIndexExpr(expr->args[1]);
    default:
      return false;
  }
}

class Analysis {
 public:
  Analysis(const isa::Config& config, const loop::Stmt& stmt,
           const std::vector<const loop::For*>& outer)
      : config_(config) {
    for (const loop::For* loop : outer) facts_.SetRange(loop->var, {0, loop->extent - 1});
    loop::Stmt leaf = stmt;
    while (const loop::For* loop = loop::As<loop::For>(leaf)) {
      facts_.SetRange(loop->var, {0, loop->extent - 1});
      vars_.push_back(loop->var);
      region_.extents.push_back(loop->extent);
      leaf = loop->body;
    }
    block_ = loop::As<loop::Block>(leaf);
    region_.block = block_->name;
    bindings_ = loop::Bindings(*block_);
  }

  std::vector<Region> Run() {
    if (block_->init) Fail("init", loop::OneLine(block_->init), "must be a block of its own");
    loop::OnlyWrite(*block_);  // throws where there are several
    region_.guards = Conditions(block_->where);
    if (const loop::Call* call = loop::As<loop::Call>(block_->body)) {
      RunCall(*call);
      return {region_};
    }
    return RunCopy(*loop::As<loop::Store>(block_->body));
  }

 private:
  [[noreturn]] void Fail(const std::string& what, const std::string& value,
                         const std::string& rule) const {
    throw Error(StrCat("block ", block_->name), what, value, rule);
  }

  LinearForm Linear(const loop::Affine& affine) const {
    LinearForm form{affine.constant, std::vector<int64_t>(vars_.size()), {}};
    for (const loop::Affine::Term& term : affine.terms) {
      const auto var = std::find_if(vars_.begin(), vars_.end(), [&](const loop::Var& v) {
        return term.atom.op() == Op::kVar && term.atom->var == v;
      });
      if (var != vars_.end()) {
        form.steps[var - vars_.begin()] = term.coef;
        continue;
      }
      const bool inner = std::any_of(vars_.begin(), vars_.end(),
                                     [&](const loop::Var& v) { return Uses(term.atom, v); });
      if (inner || !IsIndexExpr(term.atom))
        Fail("index", loop::Print(term.atom), "must be affine in the loops around the block");
      form.outer.emplace_back(term.atom, term.coef);
    }
    return form;
  }
  LinearForm Linear(const Expr& expr) const {
    return Linear(facts_.Form(loop::Substitute(expr, bindings_)));
  }

  /// a condition as forms that are >= 0 where it holds; none for an empty one.
  std::vector<LinearForm> Conditions(const Expr& condition) const {
    std::vector<LinearForm> forms;
    for (const Expr& part : loop::Conjuncts(condition)) {
      if (part.op() == Op::kConst && part->int_value) continue;
      const bool negated = part.op() == Op::kNot;
      const Expr compare = negated ? part->args[0] : part;
      const bool strict = compare.op() == Op::kLt;
      if (!strict && compare.op() != Op::kLe)
        Fail("condition", loop::Print(part), "must be comparisons joined by &&");
      auto form = [&](int i) { return facts_.Form(loop::Substitute(compare->args[i], bindings_)); };
      loop::Affine gap = negated ? form(0).Plus(form(1), -1) : form(1).Plus(form(0), -1);
      gap.constant -= strict != negated;
      if (!facts_.ProvesNonNegative(gap)) forms.push_back(Linear(gap));
    }
    return forms;
  }

  LinearForm Flat(const loop::Buffer& buffer, const std::vector<Expr>& indices) const {
    loop::Affine sum;
    for (size_t d = 0; d < indices.size(); ++d)
      sum = sum.Plus(facts_.Form(loop::Substitute(indices[d], bindings_)), buffer->Stride(d));
    return Linear(sum);
  }

  /// Elements -> rows. The region has to start at a row and cover it.
  LinearForm Rows(const loop::Region& operand, LinearForm form) const {
    const int64_t row = RowElems(config_, operand.buffer->scope);
    auto divide = [&](int64_t& value) {
      if (value % row != 0)
        Fail("operand", loop::Print(operand), StrCat("must start at whole rows of ", row));
      value /= row;
    };
    divide(form.constant);
    for (int64_t& step : form.steps) divide(step);
    for (auto& [expr, coef] : form.outer) divide(coef);
    int64_t dense = 1;
    for (size_t d = operand.ranges.size(); d-- > 0 && dense < row;) {
      if (std::max<int64_t>(operand.ranges[d].extent, 1) != operand.buffer->shape[d] ||
          operand.buffer->Stride(d) != dense)
        Fail("operand", loop::Print(operand), "must cover whole rows");
      dense *= operand.buffer->shape[d];
    }
    return form;
  }

  void RunCall(const loop::Call& call) {
    const tensorize::Lowering& names = call.intrinsic->lowering;
    region_.is_call = true;
    region_.op = ParseLowering(call.part == loop::CallPart::kReset    ? names.reset
                               : call.part == loop::CallPart::kUpdate ? names.update
                                                                      : names.compute,
                               call.intrinsic->name);
    for (const loop::Region& operand : call.operands) {
      if (!operand.buffer) {
        if (!operand.immediate.IsIntConst())
          Fail("immediate", loop::Print(operand.immediate), "must be a constant");
        region_.imm = operand.immediate->int_value;
        continue;
      }
      if (!IsScratchpad(operand.buffer))
        Fail("operand", loop::Print(operand), "must lie in a scratchpad");
      std::vector<Expr> start;
      for (const loop::Range& range : operand.ranges) start.push_back(range.base);
      region_.operands.push_back({operand.buffer, Rows(operand, Flat(operand.buffer, start))});
    }
  }

  std::vector<Region> RunCopy(const loop::Store& store) {
    const Expr value = WithoutCast(store.value);
    if (value.op() != Op::kSelect) return {Copy(region_, store, value)};
    const Expr chosen = WithoutCast(value->args[1]), other = WithoutCast(value->args[2]);
    if (other.IsIntConst()) {
      Region padded = region_;
      padded.inside = Conditions(value->args[0]);
      padded.pad_value = other->int_value;
      return {Copy(std::move(padded), store, chosen)};
    }
    Region first = region_, second = region_;
    first.cases = Conditions(value->args[0]);
    second.cases = Conditions(Apply(Op::kNot, {value->args[0]}));
    if (first.cases.size() != 1)
      Fail("select", loop::Print(value->args[0]), "must be one comparison between two buffers");
    return {Copy(std::move(first), store, chosen), Copy(std::move(second), store, other)};
  }

  static Expr WithoutCast(const Expr& value) {
    return value.op() == Op::kCast ? value->args[0] : value;
  }

  Region Copy(Region region, const loop::Store& store, const Expr& value) const {
    if (value.op() != Op::kLoad)
      Fail("value", loop::Print(store.value), "must be a tensorized call or a copy");
    region.to = {store.buffer, Flat(store.buffer, store.indices)};
    region.from = {value->buffer, Flat(value->buffer, value->args)};
    if (IsScratchpad(region.to.buffer) == IsScratchpad(region.from.buffer))
      Fail("copy", StrCat(value->buffer->name, " to ", store.buffer->name),
           "must be between DRAM and a scratchpad");
    return region;
  }

  const isa::Config& config_;
  const loop::Block* block_ = nullptr;
  loop::Facts facts_;
  std::vector<loop::Var> vars_;
  loop::VarMap bindings_;
  Region region_;
};

}  // namespace

int64_t LinearForm::At(const LoopValues& values) const {
  int64_t sum = constant;
  for (const auto& [expr, coef] : outer) sum += coef * Evaluate(expr, values);
  return sum;
}

bool IsScratchpad(const loop::Buffer& buffer) {
  return buffer->scope == kInpScope || buffer->scope == kWgtScope || buffer->scope == kAccScope ||
         buffer->scope == kLutScope;
}

int64_t RowElems(const isa::Config& config, const std::string& scope) {
  int64_t product = 1;
  for (const int64_t extent : ElementShape(config, scope)) product *= extent;
  return product;
}

bool IsRegion(const loop::Stmt& stmt) {
  const loop::For* loop = loop::As<loop::For>(stmt);
  if (!loop) return loop::As<loop::Block>(stmt) != nullptr;
  return loop->kind == loop::ForKind::kSerial && IsRegion(loop->body);
}

std::vector<Region> AnalyseRegion(const isa::Config& config, const loop::Stmt& stmt,
                                  const std::vector<const loop::For*>& outer) {
  return Analysis(config, stmt, outer).Run();
}

}  // namespace vta::compiler::targets
