// Any memory image with any instructions in it: the machine ends, within its limit of work, without
// touching anything outside; and every SIMD path of this processor ends as the in-order reference
// does.
#include "sim/functional/machine.h"

#include <algorithm>
#include <vector>

#include "isa/support/error.h"

namespace vta::sim {
namespace {

// The image's first bytes are data, the rest is instructions.
constexpr size_t kDataBytes = 1024, kMaxBytes = 8192;

isa::Config SmallMachine() {
  isa::Config config;
  config.version = isa::Version::k100;
  config.arch.uop_depth = 32;
  config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth = 64;
  config.arch.mul = config.arch.acc8 = config.arch.requant = config.arch.pad_value = 1;
  config.arch.overwrite = 1;
  config.arch.token_capacity = 3;
  return config;
}

struct End {
  isa::LaunchResult result;
  std::vector<uint8_t> dram;
  std::vector<std::vector<uint8_t>> scratchpads;
  bool operator==(const End&) const = default;
};

End Run(Simd simd, const std::vector<uint8_t>& image) {
  Machine machine(SmallMachine(), {.simd = simd, .micro_op_limit = 150});
  End end{{}, image, {}};
  const int64_t count = static_cast<int64_t>(image.size()) / isa::kInstructionBytes;
  end.result = machine.Run({kDataBytes, count, {}}, end.dram);
  for (Space space :
       {Space::kUop, Space::kWgt, Space::kInp, Space::kAcc, Space::kOut, Space::kLut}) {
    const auto bytes = machine.scratchpads().Bytes(space);
    end.scratchpads.emplace_back(bytes.begin(), bytes.end());
  }
  return end;
}

}  // namespace
}  // namespace vta::sim

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::sim;
  const std::vector<uint8_t> image(data, data + std::min(size, kMaxBytes));
  const End reference = Run(Simd::kScalar, image);
  for (Simd simd : {Simd::kAvx2, Simd::kVnni})
    if (SimdSupported(simd))
      VTA_CHECK(Run(simd, image) == reference, SimdName(simd),
                " differs from the reference: ", vta::isa::Describe(reference.result));
  return 0;
}
