#include "compiler/llvm/machine.h"

#include <algorithm>

#include "isa/spec/cpu.h"
#include "isa/spec/gpu.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

struct ArchRow {
  std::string_view name, base_cpu, features;
  int pointer_bits, counter_bits, access_bytes;
  bool rounds, divides, converts_64;
};

constexpr ArchRow kArchs[] = {
    {"x86_64", "x86-64", "", 64, 64, 1, false, true, true},
    {"aarch64", "generic", "+neon", 64, 64, 1, true, true, true},
    // Without NEON: its floats flush denormals, so a machine that wants it says so.
    {"armv7", "generic", "+v7,+vfp3d16", 32, 32, 1, false, false, false},
    {isa::kPtxArch, "", "+ptx75", 64, 32, isa::kGpuAccessBytes, true, true, true},
};

}  // namespace

bool Machine::Has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

MachineTraits TraitsOf(const Machine& machine) {
  const std::string& triple = machine.triple;
  const std::string_view arch = std::string_view(triple).substr(0, triple.find('-'));
  for (const ArchRow& row : kArchs) {
    if (row.name != arch) continue;
    if (std::count(triple.begin(), triple.end(), '-') != 3) break;
    std::string base_cpu(row.base_cpu), features(row.features);
    if (base_cpu.empty()) base_cpu = machine.features.at(0);
    for (const std::string& feature : machine.features)
      if (feature != base_cpu) features += StrCat(features.empty() ? "+" : ",+", feature);
    // Every wider set of vectors brings SSE4.1's roundings.
    const bool rounds = row.rounds || machine.Has("sse4.1") || machine.Has("avx") ||
                        machine.Has("avx2") || machine.Has("avx512f");
    constexpr int kLeastToCopyAside = 80;
    const bool copies_aside =
        row.name == isa::kPtxArch && std::stoi(base_cpu.substr(3)) >= kLeastToCopyAside;
    return {.arch = std::string(row.name),
            .base_cpu = std::move(base_cpu),
            .features = features,
            .pointer_bits = row.pointer_bits,
            .counter_bits = row.counter_bits,
            .access_bytes = row.access_bytes,
            .copies_aside = copies_aside,
            .has_warp_products = copies_aside,
            .rounds = rounds,
            .divides = row.divides,
            .converts_64 = row.converts_64};
  }
  throw Error("", "triple", triple,
              "must have four parts, the first x86_64, aarch64 or armv7, as in "
              "x86_64-unknown-linux-gnu");
}

}  // namespace vta::compiler::llvm
