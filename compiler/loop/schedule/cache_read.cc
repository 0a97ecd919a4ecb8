// cache_read: a block reads a copy of a buffer in another memory; the copy is made before it.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> CacheRead(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Buffer buffer = FindBuffer(a.function, a.args[1]);
  const std::string& scope = a.args[2];
  RequireScopeName(scope);
  if (!Reads(*site.block, buffer) || Writes(*site.block, buffer))
    throw Error("", "buffer", buffer->name,
                StrCat("must be read and not written by block ", a.args[0]));
  const Level level = LevelOf(a.function, buffer);
  const size_t at = ItemWith(level, site.stmt);
  for (const Site& writer : WritersOf(a.function, buffer))
    if (ItemWith(level, writer.stmt) >= at)
      throw Error(
          "", "buffer", buffer->name,
          StrCat("block ", writer.block->name, " writes it in the same statement or later"));

  NameSet names(a.function);
  const std::string name = names.Fresh(buffer->name + "_" + scope);
  const Buffer copy = MakeBuffer(name, buffer->dtype, buffer->shape, scope);
  NameSet loop_names(LoopsAround(a.function, level.whole), nullptr);
  std::vector<std::string> loops;
  for (size_t d = 0; d < buffer->shape.size(); ++d)
    loops.push_back(loop_names.Fresh(StrCat("ax", d)));
  std::vector<Stmt> items = level.items;
  items[at] = ReplaceIn(items[at], site.stmt, ReplaceBuffer(site.stmt, buffer, copy));
  items.insert(items.begin() + at, CopyNest(buffer, copy, name, loops));
  a.function = WithItems(a.function, level, std::move(items), copy);
  return {name};
}

}  // namespace vta::compiler::loop
