#include "compiler/targets/vta/lower/weight_terms.h"

namespace vta::compiler::targets {

StoredElements::StoredElements(std::span<const uint8_t> bytes, int64_t element_bytes, int64_t whole)
    : element_bytes_(element_bytes), whole_(whole) {
  const int64_t elements = static_cast<int64_t>(bytes.size()) / element_bytes;
  for (int64_t element = whole; element < elements; ++element) {
    const auto values = bytes.subspan(element * element_bytes, element_bytes);
    if (std::ranges::any_of(values, [](uint8_t value) { return value != 0; }))
      sparse_.push_back(element);
  }
}

int64_t StoredElements::PlaceOf(int64_t element) const {
  if (IsWhole(element)) return element;
  const auto found = std::ranges::lower_bound(sparse_, element);
  if (found == sparse_.end() || *found != element) return kAbsent;
  return whole_ + (found - sparse_.begin());
}

int64_t StoredElements::count() const { return whole_ + static_cast<int64_t>(sparse_.size()); }

std::vector<uint8_t> StoredElements::Pack(std::span<const uint8_t> bytes) const {
  const auto first = bytes.first(whole_ * element_bytes_);
  std::vector<uint8_t> packed(first.begin(), first.end());
  for (const int64_t element : sparse_) {
    const auto values = bytes.subspan(element * element_bytes_, element_bytes_);
    packed.insert(packed.end(), values.begin(), values.end());
  }
  return packed;
}

}  // namespace vta::compiler::targets
