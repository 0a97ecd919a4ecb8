#include "isa/gen/host_registers.h"

#include "isa/launch.h"
#include "isa/spec/memories.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

constexpr std::string_view kLow = "_low", kHigh = "_high";
constexpr int64_t kWordBytes = 4, kWordBits = 32;

// Whether row i and the next are the words of one value.
bool IsPair(size_t i) {
  if (i + 1 == std::size(kRegisters)) return false;
  const std::string_view name = kRegisters[i].name;
  return name.ends_with(kLow) &&
         kRegisters[i + 1].name == StrCat(name.substr(0, name.size() - kLow.size()), kHigh);
}

std::string MemoryName(int64_t base) {
  for (const MemorySpec& row : kMemories)
    if (BaseRegister(row.code) == base) return std::string(row.name);
  return std::to_string(base);
}

void AppendArray(const RegisterSpec& row, std::vector<HostRegister>& out) {
  const bool is_base = row.offset == Register::kBase;
  const int64_t words = is_base || row.offset == Register::kCounter ? 2 : 1;
  for (int64_t i = 0; i < row.count / words; ++i)
    out.push_back({.name = StrCat(row.name, "_", is_base ? MemoryName(i) : std::to_string(i)),
                   .offset_bytes = static_cast<int64_t>(row.offset) + i * words * kWordBytes,
                   .bits = words * kWordBits,
                   .access = row.access,
                   .is_address = is_base,
                   .meaning = std::string(row.meaning)});
}

}  // namespace

bool HostRegister::IsArgument() const {
  return access == Access::kReadWrite &&
         offset_bytes != static_cast<int64_t>(Register::kInterruptEnable);
}

std::vector<HostRegister> HostRegisters() {
  std::vector<HostRegister> out;
  for (size_t i = 0; i < std::size(kRegisters); ++i) {
    const RegisterSpec& row = kRegisters[i];
    if (row.count > 1) {
      AppendArray(row, out);
      continue;
    }
    const bool is_pair = IsPair(i);
    out.push_back(
        {.name = std::string(row.name.substr(0, row.name.size() - (is_pair ? kLow.size() : 0))),
         .offset_bytes = static_cast<int64_t>(row.offset),
         .bits = is_pair ? 2 * kWordBits : kWordBits,
         .access = row.access,
         .is_address = row.offset == Register::kInstructionAddressLow,
         .meaning = std::string(row.meaning)});
    i += is_pair;
  }
  return out;
}

}  // namespace vta::isa
