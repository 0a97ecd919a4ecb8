// cache_write: a block computes into another memory; a copy block then fills its buffer.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Loop names for the copy: those of the block's iterators where they index the buffer.
std::vector<std::string> LoopNames(const Access& write, NameSet names) {
  std::vector<std::string> out;
  for (size_t d = 0; d < write.ranges.size(); ++d) {
    const Expr& index = write.ranges[d].base;
    const bool named =
        index.op() == Op::kVar && index->var->name.size() > 1 && index->var->name[0] == 'v';
    out.push_back(names.Fresh(named ? index->var->name.substr(1) : StrCat("ax", d)));
  }
  return out;
}

}  // namespace

std::vector<std::string> CacheWrite(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const std::string& scope = a.args[1];
  RequireScopeName(scope);
  const Access write = OnlyWrite(*site.block);
  const Buffer& buffer = write.buffer;
  if (const std::vector<Site> writers = WritersOf(a.function, buffer); writers.size() > 1)
    throw Error(
        "", "buffer", buffer->name,
        StrCat("is also written by block ", writers[writers[0].block == site.block].block->name));
  const Level level = LevelOf(a.function, buffer);
  const size_t at = ItemWith(level, site.stmt);
  for (const Site& reader : ReadersOf(a.function, buffer))
    if (reader.block != site.block && ItemWith(level, reader.stmt) <= at)
      throw Error("", "buffer", buffer->name,
                  StrCat("block ", reader.block->name, " reads it in the same statement"));

  NameSet names(a.function);
  const std::string name = names.Fresh(buffer->name + "_" + scope),
                    block = names.Fresh(a.args[0] + "_copy");
  const Buffer cache = MakeBuffer(name, buffer->dtype, buffer->shape, scope);
  std::vector<Stmt> items = level.items;
  items[at] = ReplaceIn(items[at], site.stmt, ReplaceBuffer(site.stmt, buffer, cache));
  items.insert(items.begin() + at + 1,
               CopyNest(cache, buffer, block,
                        LoopNames(write, NameSet(LoopsAround(a.function, level.whole), nullptr))));
  a.function = WithItems(a.function, level, std::move(items), cache);
  return {name, block};
}

}  // namespace vta::compiler::loop
