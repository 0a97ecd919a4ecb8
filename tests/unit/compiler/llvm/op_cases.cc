#include "tests/unit/compiler/llvm/op_cases.h"

#include <functional>
#include <utility>

#include "isa/support/error.h"

namespace vta::compiler::llvm {

using loop::DType;
using loop::Expr;
using loop::Op;

namespace {

OpCase MakeCase(std::string name, const LoopOfCase& around, const std::vector<DType>& types,
                const std::function<Expr(const std::vector<Expr>&)>& value) {
  const int64_t size = around.size;
  loop::Function f{"k", {}, {}};
  const loop::Var i = loop::MakeVar("i"), vi = loop::MakeVar("vi");
  std::vector<Expr> args;
  for (size_t a = 0; a < types.size(); ++a) {
    f.params.push_back(loop::MakeBuffer(StrCat("x", a), types[a], {size}));
    args.push_back(Load(f.params.back(), {Expr(vi)}));
  }
  const Expr y = value(args);
  const loop::Buffer out = loop::MakeBuffer("y", y.dtype(), {size});
  f.params.push_back(out);
  loop::Block block{.name = "y"};
  block.iters.push_back({vi, size, loop::IterKind::kSpatial, Expr(i)});
  block.body = MakeStmt(loop::Store{out, {Expr(vi)}, y});
  f.body = MakeStmt(
      loop::For{.var = i, .extent = size, .kind = around.kind, .body = MakeStmt(std::move(block))});
  return {std::move(name), std::move(f)};
}

std::vector<DType> OperandTypes(const loop::OpRow& row) {
  std::vector<DType> out;
  for (const loop::DTypeRow& dtype : loop::DTypes()) {
    const bool is_float = dtype.dtype == DType::kFloat32, is_bool = dtype.dtype == DType::kBool;
    switch (row.type) {
      case loop::OpType::kArithmetic:
        if (!is_bool) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kInteger:
        if (dtype.integer) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kFloat:
      case loop::OpType::kFloatInt16:
        if (is_float) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kCompare:
        out.push_back(dtype.dtype);
        break;
      case loop::OpType::kLogic:
        if (is_bool) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kInt32:
      case loop::OpType::kInt32Wide:
        if (dtype.dtype == DType::kInt32) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kInt16Float:
        if (dtype.dtype == DType::kInt16) out.push_back(dtype.dtype);
        break;
      case loop::OpType::kSpecial:
        break;
    }
  }
  return out;
}

bool IsApproximate(Op op) {
  return op == Op::kExp || op == Op::kLog || op == Op::kTanh || op == Op::kErf || op == Op::kGelu ||
         op == Op::kPow;
}

}  // namespace

std::vector<OpCase> OpCases(const LoopOfCase& loop) {
  std::vector<OpCase> cases;
  for (const loop::OpRow& row : loop::Ops()) {
    for (const DType type : OperandTypes(row)) {
      const std::vector<DType> types(row.arity, type);
      cases.push_back(MakeCase(StrCat(row.name, " ", Name(type)), loop, types,
                               [&](const auto& x) { return ApplyExactly(row.op, x); }));
      if (IsApproximate(row.op)) cases.back().tolerance = 1e-6;
      // Constants of both signs take other ways than variables.
      for (const int64_t by : {0, 1, -1, 2, 7, -7, 16, 100})
        if (row.op == Op::kFloorDiv || row.op == Op::kFloorMod || row.op == Op::kShr)
          cases.push_back(MakeCase(StrCat(row.name, " ", Name(type), " ", by), loop, {type},
                                   [&](const auto& x) {
                                     return ApplyExactly(row.op, {x[0], IntConst(type, by)});
                                   }));
    }
  }
  // Of these the low half alone is made.
  for (const Op op : {Op::kRescaleSingle, Op::kRescaleDouble})
    cases.push_back(MakeCase(StrCat(loop::Row(op).name, " to int32"), loop,
                             {DType::kInt32, DType::kInt32, DType::kInt32}, [&](const auto& x) {
                               return Cast(DType::kInt32, ApplyExactly(op, x));
                             }));
  for (const loop::DTypeRow& from : loop::DTypes()) {
    for (const loop::DTypeRow& to : loop::DTypes())
      cases.push_back(MakeCase(StrCat(from.name, " to ", to.name), loop, {from.dtype},
                               [&](const auto& x) { return Cast(to.dtype, x[0]); }));
    cases.push_back(MakeCase(StrCat("select ", from.name), loop,
                             {DType::kBool, from.dtype, from.dtype},
                             [&](const auto& x) { return Select(x[0], x[1], x[2]); }));
  }
  return cases;
}

}  // namespace vta::compiler::llvm
