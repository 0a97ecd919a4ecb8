#include "compiler/targets/cpu/parts.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using loop::As;
using loop::For;
using loop::Stmt;

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
    const std::string name = parts.empty() ? block : StrCat(block, "_", parts.size());
    part.body = RewriteStmts(part.body, [&](const Stmt& s) -> Stmt {
      const loop::Block* inside = As<loop::Block>(s);
      if (!inside || inside->name == name) return nullptr;
      loop::Block named = *inside;
      named.name = name;
      return MakeStmt(named);
    });
    parts.push_back(MakeStmt(part));
    begin = end;
  }
  return ReplaceStmt(function, whole, MakeSeq(parts));
}

}  // namespace vta::compiler::targets
