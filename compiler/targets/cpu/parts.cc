#include "compiler/targets/cpu/parts.h"

#include <algorithm>
#include <memory>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using loop::As;
using loop::For;
using loop::Stmt;

namespace {

/// With what it allocates, and its blocks, under other names.
Stmt WithNames(const Stmt& body, const std::string& suffix) {
  return RewriteStmts(body, [&](const Stmt& s) -> Stmt {
    if (const loop::Allocate* own = As<loop::Allocate>(s)) {
      loop::BufferNode node = *own->buffer;
      node.name += suffix;
      const loop::Buffer buffer = std::make_shared<const loop::BufferNode>(std::move(node));
      return MakeStmt(loop::Allocate{buffer, ReplaceBuffer(own->body, own->buffer, buffer)});
    }
    const loop::Block* block = As<loop::Block>(s);
    if (!block) return nullptr;
    loop::Block named = *block;
    named.name += suffix;
    return MakeStmt(named);
  });
}

}  // namespace

loop::Function InParts(const loop::Function& function, const std::string& block,
                       const std::string& loop, const std::vector<int64_t>& begins) {
  const loop::Site site = loop::FindSite(function, block);
  const Stmt whole = site.loops[loop::FindLoop(site, loop)];
  const For& all = *As<For>(whole);
  std::vector<int64_t> ends = begins;
  ends.push_back(all.extent);
  std::vector<Stmt> parts;
  int64_t begin = 0;
  for (int64_t end : ends) {
    end = std::min(end, all.extent);
    if (end <= begin) continue;
    For part = all;
    part.extent = end - begin;
    part.body = Substitute(all.body, {{all.var, loop::Expr(all.var) + begin}});
    if (!parts.empty()) part.body = WithNames(part.body, StrCat("_", parts.size()));
    parts.push_back(MakeStmt(part));
    begin = end;
  }
  return ReplaceStmt(function, whole, MakeSeq(parts));
}

}  // namespace vta::compiler::targets
