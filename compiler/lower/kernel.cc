#include "compiler/lower/kernel.h"

#include <algorithm>
#include <cctype>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/lives.h"
#include "compiler/lower/starts.h"
#include "compiler/lower/tails.h"
#include "compiler/memory_planner.h"
#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::As;
using loop::Buffer;
using loop::For;
using loop::Stmt;

namespace {

/// Together they must fit on a thread's stack even where they do not fit into registers.
constexpr int64_t kMostRegisterBytes = 16 * 1024;

}  // namespace

int64_t SizeBytes(const loop::BufferNode& buffer) {
  int64_t bytes = loop::SizeBytes(buffer.dtype);
  for (const int64_t extent :
       buffer.strides.empty() ? buffer.shape : std::vector{buffer.SizeElems()})
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw Error(StrCat("buffer ", buffer.name), "size", "", "must be less than 2^63 bytes");
  return bytes;
}

Kernel PlanKernel(const loop::Function& function) {
  loop::Verify(function);
  for (const Buffer& buffer : Buffers(function)) SizeBytes(*buffer);
  Kernel kernel{.function = WithStartsApart(function)};
  const Stmt body = loop::WithoutAllocates(kernel.function.body);
  if (const For* loop = As<For>(body); loop && loop->kind == loop::ForKind::kParallel) {
    if (const std::string why = loop::WhyNotIndependent(body, {}); !why.empty())
      throw Error(StrCat("func ", function.name), "parallel loop", loop->var->name, why);
    kernel.tasks = loop->extent;
  }
  kernel.function.body = TailsApart(kernel.function.body);
  std::vector<BufferLife> in_memory;
  int64_t register_bytes = 0;
  for (BufferLife& life : LivesOf(kernel.function)) {
    if (life.first < 0) continue;
    const bool small = life.buffer->scope == "local" && life.size_bytes <= kMostRegisterBytes &&
                       register_bytes + life.size_bytes <= kMostRegisterBytes;
    if (small) {
      kernel.registers.push_back(life.buffer);
      register_bytes += life.size_bytes;
    } else {
      in_memory.push_back(std::move(life));
    }
  }
  std::vector<Lifetime*> lives;
  for (BufferLife& life : in_memory) lives.push_back(&life);
  kernel.workspace_bytes = AssignOffsets(lives, kWorkspaceAlignment);
  for (const BufferLife& life : in_memory)
    kernel.workspace.push_back({life.buffer, life.offset_bytes});
  return kernel;
}

void RequireSymbolName(const std::string& name) {
  const auto fits = [](unsigned char ch) { return std::isalnum(ch) || ch == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), fits))
    throw Error("", "name of a kernel", name, "must be letters, digits and '_'");
}

}  // namespace vta::compiler::lower
