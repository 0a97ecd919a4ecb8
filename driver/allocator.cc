#include "driver/allocator.h"

#include <algorithm>
#include <iterator>

#include "driver/device.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver {

uint64_t Allocator::Allocate(int64_t bytes) {
  VTA_CHECK(bytes >= 0, bytes);
  const uint64_t unit = kAllocationAlignment;
  const uint64_t size =
      std::max<uint64_t>(1, (static_cast<uint64_t>(bytes) + unit - 1) / unit) * unit;
  uint64_t candidate = (begin_ + unit - 1) / unit * unit, largest = 0;
  const auto fits = [&](uint64_t end) {
    const uint64_t gap = end > candidate ? end - candidate : 0;
    largest = std::max(largest, gap);
    return gap >= size;
  };
  for (auto it = sizes_.begin(); it != sizes_.end() && !fits(it->first); ++it)
    candidate = it->first + it->second;
  const auto next = sizes_.lower_bound(candidate);
  if (!fits(next == sizes_.end() ? end_ : next->first))
    throw Error(StrCat("device ", device_), "memory", Counted(bytes, "byte"),
                StrCat("the largest free range has ", largest));
  sizes_[candidate] = size;
  return candidate;
}

void Allocator::Free(uint64_t address) {
  const auto it = sizes_.find(address);
  if (it == sizes_.end())
    throw Error(StrCat("device ", device_), "free", Hex(address), "is not an allocation's address");
  sizes_.erase(it);
}

void Allocator::RequireInside(uint64_t address, uint64_t bytes) const {
  const auto after = sizes_.upper_bound(address);
  if (after != sizes_.begin()) {
    const auto& [start, size] = *std::prev(after);
    const uint64_t offset = address - start;
    if (offset <= size && bytes <= size - offset) return;
  }
  throw Error(StrCat("device ", device_), "copy",
              StrCat(Hex(address), " + ", Counted(bytes, "byte")),
              "must lie inside one allocation");
}

}  // namespace vta::driver
