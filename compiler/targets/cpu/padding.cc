#include "compiler/targets/cpu/padding.h"

#include <optional>

#include "compiler/loop/analysis.h"
#include "compiler/targets/cpu/layout.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using loop::As;
using loop::Buffer;
using loop::Expr;
using loop::For;
using loop::Stmt;

namespace {

/// for k < blocks, r < rows, j < columns, o < channels: out[n, first + k, row + r, column + j, o] =
/// fill; of rows before `end`, where one is given.
Stmt Fill(const Buffer& out, const std::string& name, const RowsOfBlocks& part, const Expr& row,
          int64_t rows, std::optional<int64_t> end, int64_t column, int64_t columns, Expr where,
          double fill) {
  if (rows == 0 || columns == 0) return nullptr;
  const std::pair<const char*, int64_t> loops[] = {
      {"k", part.blocks}, {"r", rows}, {"j", columns}, {"o", out->shape[4]}};
  std::vector<loop::Var> vars;
  for (const auto& [var, extent] : loops) vars.push_back(loop::MakeVar(var + ("_" + name)));
  const Expr at_row = row + vars[1];
  if (end) where = at_row < *end;
  loop::Block block{.name = "out_" + name, .where = where};
  const Expr index[] = {part.n, part.first + vars[0], at_row, Expr(vars[2]) + column, vars[3]};
  std::vector<Expr> at;
  for (size_t d = 0; d < 5; ++d) {
    const loop::Var iter = loop::MakeVar(StrCat("v", d));
    const int64_t extent = d == 2 ? end.value_or(out->shape[2]) : out->shape[d];
    block.iters.push_back({iter, extent, loop::IterKind::kSpatial, index[d]});
    at.emplace_back(iter);
  }
  block.body = MakeStmt(loop::Store{out, at, loop::ConstOf(out->dtype, fill)});
  Stmt stmt = MakeStmt(std::move(block));
  for (size_t i = std::size(loops); i-- > 0;)
    stmt = MakeStmt(For{.var = vars[i],
                        .extent = loops[i].second,
                        .kind = i == 3 ? loop::ForKind::kVectorize : loop::ForKind::kSerial,
                        .body = stmt});
  return stmt;
}

}  // namespace

loop::Function AddPadding(const loop::Function& function, const Storage& storage,
                          const RowsOfBlocks& part) {
  const auto [top, left, bottom, right] = storage.border;
  if (storage.border == std::array<int64_t, 4>{}) return function;
  const Buffer inner = function.params.back();
  VTA_CHECK(inner->shape.size() == 5, inner->name);
  const int64_t height = inner->shape[2], width = inner->shape[3];
  std::vector<int64_t> shape = inner->shape;
  shape[2] += top + bottom, shape[3] += left + right;
  const Buffer out = MakeBuffer(inner->name, inner->dtype, shape);
  loop::Function f = function;
  f.params.back() = out;
  f.body = ReplaceBuffer(f.body, inner, out, [&](std::vector<Expr> at) {
    at[2] = at[2] + storage.border[0];
    at[3] = at[3] + storage.border[1];
    return at;
  });
  const double code = storage.fill + (storage.biased ? 128 : 0);
  const double fill =
      IsWords(storage) ? static_cast<int32_t>(0x01010101u * static_cast<uint32_t>(code)) : code;
  const bool all = part.rows == height;
  const Expr row = part.h + top;
  std::vector<Stmt> fills;
  const auto add = [&](const char* name, const Expr& first, int64_t rows,
                       std::optional<int64_t> end, int64_t column, int64_t columns,
                       const Expr& where) {
    if (const Stmt s = Fill(out, name, part, first, rows, end, column, columns, where, fill))
      fills.push_back(s);
  };
  std::optional<int64_t> end;
  if (height % part.rows != 0) end = top + height;
  add("left", row, part.rows, end, 0, left, {});
  add("right", row, part.rows, end, left + width, right, {});
  add("top", Expr(0), top, {}, 0, shape[3], all ? Expr() : Eq(part.h, Expr(0)));
  add("bottom", Expr(top + height), bottom, {}, 0, shape[3],
      all ? Expr() : Expr(height) <= part.h + part.rows);
  const Stmt outermost = FindSite(f, "out").loops[0];
  For rows = *As<For>(outermost);
  fills.insert(fills.begin(), rows.body);
  rows.body = loop::MakeSeq(std::move(fills));
  f.body = RewriteStmts(f.body,
                        [&](const Stmt& s) { return s == outermost ? MakeStmt(rows) : nullptr; });
  return f;
}

}  // namespace vta::compiler::targets
