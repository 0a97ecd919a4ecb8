#include "compiler/lower/kernel.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/tails.h"
#include "compiler/place_lives.h"
#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::As;
using loop::Buffer;
using loop::For;
using loop::Stmt;

namespace {

/// Together they must fit on a thread's stack even where they do not fit into registers.
constexpr int64_t kMostRegisterBytes = 16 * 1024;

/// The starts of reductions, each before the outermost loop that reduces.
loop::Function WithStartsApart(const loop::Function& function) {
  loop::Schedule schedule(function);
  for (const loop::Site& site : loop::Sites(function.body)) {
    if (!site.block->init) continue;
    const auto reduces = [&](const Stmt& loop) {
      return std::any_of(
          site.block->iters.begin(), site.block->iters.end(), [&](const loop::Iter& iter) {
            return iter.kind == loop::IterKind::kReduce && Uses(iter.binding, As<For>(loop)->var);
          });
    };
    const auto at = std::find_if(site.loops.begin(), site.loops.end(), reduces);
    if (at == site.loops.end()) continue;
    try {
      schedule.Do("decompose_reduction", site.block->name, As<For>(*at)->var->name);
    } catch (const Error&) {  // it stays where it is
    }
  }
  return schedule.function();
}

/// When a buffer is alive: from the first to the last block that uses it, and as long as any loop
/// inside its allocation that repeats them.
struct BufferLife : Life {
  Buffer buffer;
};

class Lives {
 public:
  explicit Lives(const loop::Function& function) { Walk(function.body); }
  std::vector<BufferLife> Take() { return std::move(lives_); }

 private:
  void Walk(const Stmt& stmt) {
    if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      for (const Stmt& s : seq->stmts) Walk(s);
    } else if (const For* loop = As<For>(stmt)) {
      const int64_t begin = time_;
      ++loops_;
      Walk(loop->body);
      --loops_;
      for (size_t i = 0; i < lives_.size(); ++i)
        if (lives_[i].last >= begin && outside_[i] <= loops_) {
          lives_[i].first = std::min(lives_[i].first, begin);
          lives_[i].last = time_;
        }
      ++time_;
    } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
      lives_.push_back({{lower::SizeBytes(*alloc->buffer)}, alloc->buffer});
      outside_.push_back(loops_);
      Walk(alloc->body);
    } else if (const loop::Block* block = As<loop::Block>(stmt)) {
      ++time_;
      for (const loop::Access& access : Accesses(*block))
        for (BufferLife& life : lives_)
          if (life.buffer == access.buffer) {
            if (life.first < 0) life.first = time_;
            life.last = time_;
          }
    }
  }

  std::vector<BufferLife> lives_;
  std::vector<int> outside_;  // loops around each allocation
  int loops_ = 0;
  int64_t time_ = 0;
};

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
  Stmt body = kernel.function.body;
  while (const loop::Allocate* alloc = As<loop::Allocate>(body)) body = alloc->body;
  if (const For* loop = As<For>(body); loop && loop->kind == loop::ForKind::kParallel) {
    if (const std::string why = loop::WhyNotIndependent(body, {}); !why.empty())
      throw Error(StrCat("func ", function.name), "parallel loop", loop->var->name, why);
    kernel.tasks = loop->extent;
  }
  kernel.function.body = TailsApart(kernel.function.body);
  std::vector<BufferLife> in_memory;
  int64_t register_bytes = 0;
  for (BufferLife& life : Lives(kernel.function).Take()) {
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
  std::vector<Life*> lives;
  for (BufferLife& life : in_memory) lives.push_back(&life);
  kernel.workspace_bytes = PlaceLives(lives, kWorkspaceAlignment);
  for (const BufferLife& life : in_memory)
    kernel.workspace.push_back({life.buffer, life.offset_bytes});
  return kernel;
}

}  // namespace vta::compiler::lower
