#include "compiler/loop/schedule/rewrite.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/loop/simplify.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

size_t FindLoop(const Site& site, const std::string& name) {
  std::string names;
  for (size_t i = 0; i < site.loops.size(); ++i) {
    const std::string& own = As<For>(site.loops[i])->var->name;
    if (own == name) return i;
    names += StrCat(names.empty() ? "" : ", ", own);
  }
  throw Error("", "loop", name, StrCat("block ", site.block->name, " has the loops ", names));
}

size_t FindSerialLoop(const Site& site, const std::string& name) {
  const size_t i = FindLoop(site, name);
  const For& loop = *As<For>(site.loops[i]);
  if (loop.kind != ForKind::kSerial)
    throw Error("", StrCat("loop ", name), std::string(Name(loop.kind)), "must be serial");
  return i;
}

void RequireScopeName(const std::string& scope) {
  bool ok = !scope.empty() && std::isalpha(static_cast<unsigned char>(scope[0]));
  for (char c : scope) ok &= std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  if (!ok) throw Error("", "scope", scope, "must be a name of letters, digits and '_'");
}

Stmt ReplaceIn(const Stmt& root, const Stmt& from, const Stmt& to) {
  if (root == from) return to;
  if (const For* loop = As<For>(root)) {
    Stmt body = ReplaceIn(loop->body, from, to);
    if (body == loop->body) return root;
    if (!body) return nullptr;
    For copy = *loop;
    copy.body = std::move(body);
    return MakeStmt(std::move(copy));
  }
  if (const Allocate* alloc = As<Allocate>(root)) {
    Stmt body = ReplaceIn(alloc->body, from, to);
    if (body == alloc->body) return root;
    return body ? MakeStmt(Allocate{alloc->buffer, std::move(body)}) : nullptr;
  }
  if (const Seq* seq = As<Seq>(root)) {
    std::vector<Stmt> stmts;
    for (const Stmt& s : seq->stmts)
      if (Stmt replaced = ReplaceIn(s, from, to)) stmts.push_back(std::move(replaced));
    if (stmts == seq->stmts) return root;
    return stmts.empty() ? nullptr : MakeSeq(std::move(stmts));
  }
  return root;
}

Function ReplaceStmt(const Function& function, const Stmt& from, const Stmt& to) {
  Function out = function;
  out.body = ReplaceIn(function.body, from, to);
  VTA_CHECK(out.body != function.body, "the statement is not in the function");
  return out;
}

bool Contains(const Stmt& root, const Stmt& stmt) {
  bool found = false;
  VisitStmts(root, [&](const Stmt& s) { found |= s == stmt; });
  return found;
}

Function Simplified(const Function& function) {
  return {function.name, function.params, SimplifyStmt(function.body, Facts(), Blocks::kNew)};
}

NameSet::NameSet(const Function& function) {
  for (const Buffer& buffer : Buffers(function)) names_.push_back(buffer->name);
  for (const Site& site : Sites(function.body)) names_.push_back(site.block->name);
}

NameSet::NameSet(const std::vector<Stmt>& around, const Stmt& inner) {
  auto add = [&](const Stmt& s) {
    if (const For* loop = As<For>(s)) names_.push_back(loop->var->name);
    if (const Block* block = As<Block>(s))
      for (const Iter& iter : block->iters) names_.push_back(iter.var->name);
  };
  for (const Stmt& s : around) add(s);
  VisitStmts(inner, add);
}

std::string NameSet::Fresh(std::string base) {
  auto taken = [&](const std::string& name) {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  };
  if (taken(base)) {
    const size_t end = base.find_last_not_of("0123456789");
    if (end != base.npos && end > 0 && end + 1 < base.size() && base[end] == '_') base.resize(end);
    int i = 1;
    while (taken(StrCat(base, "_", i))) ++i;
    base = StrCat(base, "_", i);
  }
  names_.push_back(base);
  return base;
}

std::optional<int64_t> Gap(const Expr& index, const Expr& other, const Facts& facts) {
  const Affine gap = facts.Form(index).Plus(facts.Form(other), -1);
  return gap.IsConstant() ? std::optional(gap.constant) : std::nullopt;
}

std::vector<Stmt> LoopsAround(const Function& function, const Stmt& stmt) {
  std::vector<Stmt> out;
  VisitStmts(function.body, [&](const Stmt& s) {
    if (s != stmt && As<For>(s) && Contains(s, stmt)) out.push_back(s);
  });
  return out;
}

Buffer FindBuffer(const Function& function, const std::string& name) {
  for (const Buffer& buffer : Buffers(function))
    if (buffer->name == name) return buffer;
  throw Error("", "buffer", name, StrCat("func ", function.name, " has no such buffer"));
}

Buffer FindOwnBuffer(const Function& function, const std::string& name) {
  const Buffer buffer = FindBuffer(function, name);
  if (IsParam(function, buffer))
    throw Error("", "buffer", name, "is a parameter, which lies as the caller put it");
  return buffer;
}

bool UsedBy(const Block& block, IterKind kind, const Var& var) {
  return std::ranges::any_of(
      block.iters, [&](const Iter& iter) { return iter.kind == kind && Uses(iter.binding, var); });
}

std::vector<Site> ReadersOf(const Function& function, const Buffer& buffer) {
  std::vector<Site> out;
  for (Site& site : Sites(function.body))
    if (Reads(*site.block, buffer)) out.push_back(std::move(site));
  return out;
}

std::vector<Site> WritersOf(const Function& function, const Buffer& buffer) {
  std::vector<Site> out;
  for (Site& site : Sites(function.body))
    if (Writes(*site.block, buffer)) out.push_back(std::move(site));
  return out;
}

void RequireIndependentIterations(const Stmt& innermost) {
  std::vector<Buffer> inside;
  VisitStmts(innermost, [&](const Stmt& s) {
    if (const Allocate* alloc = As<Allocate>(s)) inside.push_back(alloc->buffer);
  });
  const std::vector<Site> sites = Sites(innermost);
  for (const Site& writer : sites)
    for (const Buffer& buffer : Written(*writer.block)) {
      if (std::find(inside.begin(), inside.end(), buffer) != inside.end()) continue;
      for (const Site& reader : sites)
        if (reader.block != writer.block && Reads(*reader.block, buffer))
          throw Error("", StrCat("blocks ", writer.block->name, " and ", reader.block->name),
                      buffer->name, "pass data through a buffer that outlives an iteration");
    }
}

Level LevelOf(const Function& function, const Buffer& buffer) {
  Stmt whole = function.body;
  if (!IsParam(function, buffer))
    VisitStmts(function.body, [&](const Stmt& s) {
      if (const Allocate* alloc = As<Allocate>(s); alloc && alloc->buffer == buffer)
        whole = alloc->body;
    });
  whole = WithoutAllocates(whole);
  if (const Seq* seq = As<Seq>(whole)) return {whole, seq->stmts};
  return {whole, {whole}};
}

Function WithItems(const Function& function, const Level& level, std::vector<Stmt> items,
                   const Buffer& buffer) {
  return ReplaceStmt(function, level.whole, MakeStmt(Allocate{buffer, MakeSeq(std::move(items))}));
}

size_t ItemWith(const Level& level, const Stmt& stmt) {
  for (size_t i = 0; i < level.items.size(); ++i)
    if (Contains(level.items[i], stmt)) return i;
  VTA_CHECK(false, "the statement is outside its buffer's allocation");
  return 0;
}

Stmt CopyNest(const Buffer& from, const Buffer& to, const std::string& block,
              const std::vector<std::string>& loops) {
  Block copy{.name = block};
  std::vector<Expr> at;
  std::vector<Var> vars;
  for (size_t d = 0; d < from->shape.size(); ++d) {
    vars.push_back(MakeVar(loops[d]));
    const Var iter = MakeVar("v" + loops[d]);
    copy.iters.push_back({iter, from->shape[d], IterKind::kSpatial, Expr(vars[d])});
    at.push_back(iter);
  }
  copy.body = MakeStmt(Store{to, at, Load(from, at)});
  Stmt stmt = MakeStmt(std::move(copy));
  for (size_t d = vars.size(); d-- > 0;)
    stmt = MakeStmt(For{.var = vars[d], .extent = from->shape[d], .body = stmt});
  return stmt;
}

}  // namespace vta::compiler::loop
