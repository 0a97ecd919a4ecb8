// The memory types of LOAD and STORE, a row each. The row's `code` is the wire value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/config.h"
#include "isa/spec/modules.h"
#include "isa/spec/requant.h"

namespace vta::isa {

enum class MemoryType : uint8_t {
  kUop = 0,
  kWgt = 1,
  kInp = 2,
  kAcc = 3,
  kOut = 4,
  kAcc8 = 5,
  kLut = 6,
};

struct MemorySpec {
  MemoryType code;
  std::string_view name;
  bool loadable, storable;
  Module load_module;  // the module that executes a LOAD of this type
  bool may_pad;
  int64_t Arch::*flag;   // the extension it needs, or nullptr
  int64_t Arch::*depth;  // elements of its scratchpad, or nullptr: one
  int64_t (*dram_element_bytes)(const Config&);
  std::string_view meaning;
};

inline constexpr MemorySpec kMemories[] = {
    {MemoryType::kUop, "uop", true, false, Module::kCompute, false, nullptr, &Arch::uop_depth,
     [](const Config&) -> int64_t { return kUopBits / 8; }, "micro-ops"},
    {MemoryType::kWgt, "wgt", true, false, Module::kLoad, true, nullptr, &Arch::wgt_depth,
     [](const Config& c) { return c.wgt_bytes(); }, "weights, [block_out][block_in] int8"},
    {MemoryType::kInp, "inp", true, false, Module::kLoad, true, nullptr, &Arch::inp_depth,
     [](const Config& c) { return c.inp_bytes(); }, "inputs, [batch][block_in] int8"},
    {MemoryType::kAcc, "acc", true, false, Module::kCompute, true, nullptr, &Arch::acc_depth,
     [](const Config& c) { return c.acc_bytes(); }, "accumulators, [batch][block_out] int32"},
    {MemoryType::kOut, "out", false, true, Module::kStore, false, nullptr, &Arch::acc_depth,
     [](const Config& c) { return c.out_bytes(); },
     "outputs, [batch][block_out] int8: the low byte of what GEMM or ALU last wrote to that row"},
    {MemoryType::kAcc8, "acc8", true, false, Module::kCompute, true, &Arch::acc8, &Arch::acc_depth,
     [](const Config& c) { return c.out_bytes(); },
     "accumulators from int8 [batch][block_out], sign-extended"},
    {MemoryType::kLut, "lut", true, false, Module::kCompute, false, &Arch::lut, nullptr,
     [](const Config&) -> int64_t { return kLutBytes; },
     "the table of lut: the int8 for each code, codes 0 to 127 before -128 to -1"},
};

/// Elements of a type's scratchpad.
constexpr int64_t DepthOf(const Arch& arch, const MemorySpec& memory) {
  return memory.depth ? arch.*memory.depth : 1;
}

/// The type among whose bytes and elements what a LOAD or STORE moves is counted: a table counts as
/// so many micro-ops.
constexpr MemoryType CountedAs(MemoryType type) {
  return type == MemoryType::kLut ? MemoryType::kUop : type;
}
inline constexpr int kCountedMemories = static_cast<int>(MemoryType::kAcc8) + 1;
/// Those types, in the order of their codes.
inline constexpr std::span<const MemorySpec> kCountedTypes(kMemories, kCountedMemories);

/// The row of a wire value, or nullptr where the value names nothing or its extension is off.
constexpr const MemorySpec* FindMemory(const Arch& arch, int64_t code) {
  for (const MemorySpec& row : kMemories)
    if (static_cast<int64_t>(row.code) == code)
      return row.flag && !(arch.*row.flag) ? nullptr : &row;
  return nullptr;
}

}  // namespace vta::isa
