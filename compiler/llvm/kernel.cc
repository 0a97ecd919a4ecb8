#include <algorithm>

#include "compiler/llvm/body.h"

namespace vta::compiler::llvm {
namespace {

/// Buffers that share memory get one pointer, since distinct pointers promise distinct memory.
struct Arena {
  int64_t offset_bytes, end_bytes;
};
std::vector<Arena> Arenas(const lower::Kernel& kernel) {
  std::vector<Arena> spans, out;
  for (const lower::PlacedBuffer& placed : kernel.workspace)
    spans.push_back({placed.offset_bytes, placed.offset_bytes + lower::SizeBytes(*placed.buffer)});
  std::sort(spans.begin(), spans.end(),
            [](const Arena& a, const Arena& b) { return a.offset_bytes < b.offset_bytes; });
  for (const Arena& span : spans) {
    if (!out.empty() && span.offset_bytes < out.back().end_bytes)
      out.back().end_bytes = std::max(out.back().end_bytes, span.end_bytes);
    else
      out.push_back(span);
  }
  return out;
}

}  // namespace

void EmitKernel(Code& c, const lower::Kernel& kernel) {
  const std::string& name = kernel.function.name;
  lower::RequireSymbolName(name);
  const std::vector<Arena> arenas = Arenas(kernel);
  const size_t params = kernel.function.params.size();
  const Type pointer = c.PointerType(), index = c.IntType(64), byte = c.IntType(8);
  // The work is a function of its own, whose pointers are known to be distinct.
  std::vector<Type> types(params + arenas.size(), pointer);
  types.insert(types.end(), {index, index});
  const Value body = c.NewFunction("." + name, nullptr, types, false);
  std::map<const loop::BufferNode*, Value> memory;
  for (size_t i = 0; i < params; ++i)
    memory[kernel.function.params[i].get()] = Code::Param(body, static_cast<int>(i));
  for (size_t i = 0; i < params + arenas.size(); ++i)
    c.AddFlag(body, static_cast<int>(i) + 1, "noalias");
  c.AddFlag(body, -1, "noinline");
  for (const lower::PlacedBuffer& placed : kernel.workspace) {
    size_t arena = 0;
    while (arenas[arena].end_bytes <= placed.offset_bytes) ++arena;
    memory[placed.buffer.get()] =
        c.Offset(byte, Code::Param(body, static_cast<int>(params + arena)),
                 c.Int(64, placed.offset_bytes - arenas[arena].offset_bytes));
  }
  const int tasks = static_cast<int>(params + arenas.size());
  Body(c, kernel).Emit(std::move(memory), Code::Param(body, tasks), Code::Param(body, tasks + 1));
  c.Return();

  const Value outer = c.NewFunction(name, nullptr, {pointer, pointer, index, index}, true);
  std::vector<Value> args;
  const int alignment = c.traits().pointer_bits / 8;
  for (size_t i = 0; i < params; ++i) {
    const Value at = c.Offset(pointer, Code::Param(outer, 0), c.Int(64, static_cast<int64_t>(i)));
    args.push_back(c.LoadFrom(pointer, at, alignment));
  }
  for (const Arena& arena : arenas)
    args.push_back(c.Offset(byte, Code::Param(outer, 1), c.Int(64, arena.offset_bytes)));
  args.push_back(Code::Param(outer, 2));
  args.push_back(Code::Param(outer, 3));
  c.Call(body, args);
  c.Return();
}

}  // namespace vta::compiler::llvm
