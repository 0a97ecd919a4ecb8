// unroll: marks a loop to be written out.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"

namespace vta::compiler::loop {

std::vector<std::string> Unroll(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Stmt stmt = site.loops[FindSerialLoop(site, a.args[1])];
  For loop = *As<For>(stmt);
  loop.kind = ForKind::kUnroll;
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  return {};
}

}  // namespace vta::compiler::loop
