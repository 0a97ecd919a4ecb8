#include "compiler/lower/lives.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::lower {

using loop::As;
using loop::Buffer;
using loop::For;
using loop::Stmt;

namespace {

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

std::vector<BufferLife> LivesOf(const loop::Function& function) { return Lives(function).Take(); }

}  // namespace vta::compiler::lower
