#include "runtime/diagnosis/compare.h"

#include <algorithm>
#include <cstring>

#include "isa/spec/instructions.h"
#include "isa/spec/memories.h"
#include "isa/spec/modules.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

template <typename T>
std::string TextOf(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return StrCat(value);
}

std::string TextOf(const uint8_t* bytes, isa::ElementType type) {
  switch (type) {
    case isa::ElementType::kInt8:
      return TextOf<int8_t>(bytes);
    case isa::ElementType::kUint8:
    case isa::ElementType::kBool:
      return TextOf<uint8_t>(bytes);
    case isa::ElementType::kInt16:
      return TextOf<int16_t>(bytes);
    case isa::ElementType::kInt32:
      return TextOf<int32_t>(bytes);
    case isa::ElementType::kInt64:
      return TextOf<int64_t>(bytes);
    case isa::ElementType::kFloat32: {
      float value;
      std::memcpy(&value, bytes, sizeof value);
      return StrCat(double{value});
    }
  }
  return "";
}

}  // namespace

std::optional<ValueDifference> CompareValues(const std::string& what, isa::ElementType type,
                                             uint64_t address, std::span<const uint8_t> expected,
                                             std::span<const uint8_t> actual) {
  VTA_CHECK(expected.size() == actual.size(), what, " ", expected.size(), " ", actual.size());
  const auto bytes = static_cast<size_t>(isa::ElementTypeBytes(type));
  std::optional<ValueDifference> found;
  for (size_t at = 0; at + bytes <= expected.size(); at += bytes) {
    if (std::equal(&expected[at], &expected[at] + bytes, &actual[at])) continue;
    if (!found)
      found = {what,
               static_cast<int64_t>(at / bytes),
               address + at,
               TextOf(&expected[at], type),
               TextOf(&actual[at], type),
               0,
               static_cast<int64_t>(expected.size() / bytes)};
    ++found->differing;
  }
  return found;
}

std::string Describe(const ValueDifference& difference) {
  return StrCat(difference.what, ", element ", difference.element, " at ", Hex(difference.address),
                ": expected ", difference.expected, ", is ", difference.actual, "; ",
                difference.differing, " of ", Counted(difference.elements, "element"), " ",
                VerbOf(difference.differing, difference.elements, "differ"));
}

std::vector<std::string> CompareCounters(const isa::Counters& expected,
                                         const isa::Counters& actual) {
  std::vector<std::string> differ;
  const auto look = [&](const std::string& name, int64_t want, int64_t have) {
    if (want != have) differ.push_back(StrCat(name, " ", have, ", expected ", want));
  };
  for (const isa::InstructionSpec& row : isa::kInstructions) {
    const auto i = static_cast<size_t>(row.code);
    look(StrCat("instructions ", row.name), expected.instructions[i], actual.instructions[i]);
  }
  look("gemm_uops", expected.gemm_uops, actual.gemm_uops);
  look("alu_uops", expected.alu_uops, actual.alu_uops);
  look("macs", expected.macs, actual.macs);
  for (const isa::MemorySpec& row : isa::kCountedTypes) {
    const auto i = static_cast<size_t>(row.code);
    look(StrCat("bytes of ", row.name), expected.bytes[i], actual.bytes[i]);
  }
  for (const isa::QueueSpec& row : isa::kQueueTable) {
    const auto i = static_cast<size_t>(row.code);
    look(StrCat("tokens ", row.name), expected.tokens[i], actual.tokens[i]);
  }
  return differ;
}

}  // namespace vta::runtime
