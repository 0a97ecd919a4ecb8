#include "compiler/memory_planner.h"

#include <algorithm>
#include <vector>

#include "isa/support/error.h"

namespace vta::compiler {
namespace {

bool AliveTogether(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

int64_t AlignUp(int64_t bytes, int64_t alignment) {
  int64_t up;
  if (__builtin_add_overflow(bytes, alignment - 1, &up))
    throw Error("", "memory", StrCat(bytes), "must be less than 2^63 bytes");
  return up / alignment * alignment;
}

int64_t AssignOffsets(std::span<Lifetime* const> lives, int64_t alignment) {
  std::vector<Lifetime*> by_size(lives.begin(), lives.end());
  std::stable_sort(by_size.begin(), by_size.end(), [](const Lifetime* a, const Lifetime* b) {
    return a->size_bytes > b->size_bytes;
  });
  int64_t total = 0;
  std::vector<const Lifetime*> placed;  // by offset
  for (Lifetime* life : by_size) {
    life->offset_bytes = 0;
    for (const Lifetime* other : placed) {
      if (!AliveTogether(*life, *other)) continue;
      if (other->offset_bytes - life->offset_bytes >= life->size_bytes) break;
      life->offset_bytes =
          std::max(life->offset_bytes, AlignUp(other->offset_bytes + other->size_bytes, alignment));
    }
    int64_t end;
    if (__builtin_add_overflow(life->offset_bytes, life->size_bytes, &end))
      throw Error("", "memory", StrCat(life->size_bytes), "must be less than 2^63 bytes in all");
    total = std::max(total, AlignUp(end, alignment));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), life,
                                   [](const Lifetime* a, const Lifetime* b) {
                                     return a->offset_bytes < b->offset_bytes;
                                   }),
                  life);
  }
  return total;
}

}  // namespace vta::compiler
