// virtual_thread: the iterations of a loop become interleaved contexts, each with its own slot of
// every buffer.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "compiler/loop/schedule/slots.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

Stmt HoistFrom(const For& loop) {
  std::vector<Buffer> inside;
  Stmt body = RewriteStmts(loop.body, [&](const Stmt& s) -> Stmt {
    const Allocate* alloc = As<Allocate>(s);
    if (!alloc) return {};
    inside.push_back(alloc->buffer);
    return alloc->body;
  });
  std::vector<Buffer> slots;
  for (const Buffer& buffer : inside) {
    std::vector<int64_t> shape = buffer->shape;
    shape.insert(shape.begin(), loop.extent);
    std::vector<int64_t> strides = buffer->strides;
    if (!strides.empty()) strides.insert(strides.begin(), buffer->SizeElems());
    slots.push_back(MakeBuffer(buffer->name, buffer->dtype, std::move(shape), buffer->scope,
                               std::move(strides)));
    body = ReplaceBuffer(body, buffer, slots.back(), [&](std::vector<Expr> at) {
      at.insert(at.begin(), Expr(loop.var));
      return at;
    });
  }
  For copy = loop;
  copy.body = std::move(body);
  Stmt out = MakeStmt(std::move(copy));
  for (const Buffer& buffer : slots) out = MakeStmt(Allocate{buffer, std::move(out)});
  return out;
}

/// Threads must not meet: each block writes a private buffer, or elements that only this thread
/// writes.
void RequireThreads(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  RequireIndependentIterations(loop.body);
  std::vector<Buffer> inside;
  VisitStmts(loop.body, [&](const Stmt& s) {
    if (const Allocate* alloc = As<Allocate>(s)) inside.push_back(alloc->buffer);
  });
  for (const Site& site : Sites(loop.body)) {
    bool spatial = false, reduce = false;
    for (const Iter& iter : site.block->iters)
      (iter.kind == IterKind::kReduce ? reduce : spatial) |= Uses(iter.binding, loop.var);
    if (spatial && !reduce) continue;
    for (const Buffer& buffer : Written(*site.block))
      if (std::find(inside.begin(), inside.end(), buffer) == inside.end())
        throw Error("", StrCat("loop ", loop.var->name), reduce ? "a reduction" : "not an axis",
                    StrCat("the threads of block ", site.block->name,
                           " would write the same elements of ", buffer->name));
  }
}

}  // namespace

Stmt HoistSlots(const Stmt& stmt) {
  return RewriteStmts(stmt, [](const Stmt& s) -> Stmt {
    const For* loop = As<For>(s);
    return loop && loop->kind == ForKind::kVthread ? HoistFrom(*loop) : nullptr;
  });
}

std::vector<std::string> VirtualThread(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Stmt stmt = site.loops[FindSerialLoop(site, a.args[1])];
  RequireThreads(stmt);
  For loop = *As<For>(stmt);
  loop.kind = ForKind::kVthread;
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  a.function.body = HoistSlots(a.function.body);
  return {};
}

}  // namespace vta::compiler::loop
