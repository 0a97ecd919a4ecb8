#include "sim/cycle/core/parts.h"

#include "isa/codec.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "sim/memory/dram.h"

namespace vta::sim::cycle {

// A part without an instruction of compute takes no time.
Parts::Parts(const isa::Layout& layout, const isa::LaunchRequest& launch,
             std::span<const uint8_t> dram)
    : last_(std::max<size_t>(1, launch.parts.size()), kNone) {
  const auto is_of_compute = [&](int64_t index) {
    const uint64_t at =
        (launch.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes) &
        isa::kAddressMask;
    return !IsRefused(dram.size(), at, isa::kInstructionBytes) &&
           isa::Route(layout.config(), isa::Decode(layout, isa::LoadWord(dram.data() + at))) ==
               isa::Module::kCompute;
  };
  for (size_t part = 0; part + 1 < last_.size(); ++part) {
    const int64_t begin = launch.parts[part], end = launch.parts[part + 1];
    VTA_CHECK(begin < end, begin, " ", end);
    for (int64_t i = end - 1; i >= begin && last_[part] == kNone; --i)
      if (is_of_compute(i)) last_[part] = i;
  }
  if (last_.size() > 1) last_[0] == kNone ? End(1) : void(next_ = last_[0]);
}

void Parts::End(int64_t end) {
  do {
    ends_.push_back(end);
    next_ = last_[ends_.size()];
  } while (next_ == kNone && ends_.size() + 1 < last_.size());
}

}  // namespace vta::sim::cycle
