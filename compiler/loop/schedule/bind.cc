// bind: the iterations of a loop become the blocks of a GPU's grid, or the threads of each block;
// of a loop that each iteration of the outermost one begins with, the blocks of a team.
#include "compiler/loop/independent.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> Bind(Application& a) {
  if (a.args[2] != "blockIdx" && a.args[2] != "threadIdx")
    throw Error("", "axis", a.args[2], "must be blockIdx or threadIdx");
  const Site site = FindSite(a.function, a.args[0]);
  const size_t at = FindSerialLoop(site, a.args[1]);
  const Stmt stmt = site.loops[at];
  if (a.args[2] == "blockIdx") {
    if (at == 0) return Parallel(a);
    const Stmt inside = WithoutAllocates(As<For>(site.loops[0])->body);
    const Seq* all = As<Seq>(inside);
    if (at != 1 || (all ? all->stmts[0] : inside) != stmt ||
        WithoutAllocates(a.function.body) != site.loops[0])
      throw Error("", "loop", a.args[1],
                  "must be the outermost one, around all blocks of the function, or what each "
                  "iteration of that begins with");
  }
  const std::vector<Stmt> outside(site.loops.begin(),
                                  site.loops.begin() + static_cast<int64_t>(at));
  if (const std::string why = WhyNotIndependent(stmt, outside); !why.empty())
    throw Error("", "loop", a.args[1], why);
  For loop = *As<For>(stmt);
  loop.kind = a.args[2] == "blockIdx" ? ForKind::kParallel : ForKind::kThread;
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  return {};
}

}  // namespace vta::compiler::loop
