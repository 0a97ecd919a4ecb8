// Any image with any instructions in it: the checker answers, and what it proves finishes with the
// same memory in every order of the modules.
#include "isa/check/check.h"

#include <algorithm>
#include <array>
#include <vector>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "sim/functional/machine.h"

namespace vta {
namespace {

// The image's first bytes are data, the rest is instructions.
constexpr size_t kDataBytes = 2048, kMaxBytes = 4096;
constexpr std::array<int64_t, isa::kBaseRegisters> kBases = {0, 512, 128, 640, 1600};

isa::Config SmallMachine() {
  isa::Config config;
  config.arch.block_in = config.arch.block_out = 8;
  config.arch.uop_depth = 16;
  config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth = 8;
  config.arch.token_capacity = 2;
  return config;
}

isa::Report Prove(const std::vector<uint8_t>& image) {
  const std::vector<isa::Word> words = isa::WordsOf(std::span(image).subspan(kDataBytes));
  const isa::ImagePart part{0, image};
  return isa::Check(SmallMachine(), {.instructions = words,
                                     .instruction_address = kDataBytes,
                                     .bases = kBases,
                                     .memory_bytes = std::ssize(image),
                                     .image = {&part, 1}});
}

void RunInEveryOrder(const std::vector<uint8_t>& image) {
  isa::LaunchRequest launch{.instruction_address = kDataBytes};
  launch.instruction_count =
      static_cast<int64_t>(image.size() - kDataBytes) / isa::kInstructionBytes;
  std::ranges::copy(kBases, launch.base.begin());
  std::vector<uint8_t> expected;
  for (sim::ModuleOrder order : {sim::ModuleOrder::kOldestFirst, sim::ModuleOrder::kLoadFirst,
                                 sim::ModuleOrder::kComputeFirst, sim::ModuleOrder::kStoreFirst,
                                 sim::ModuleOrder::kRandom}) {
    std::vector<uint8_t> dram = image;
    sim::Machine machine(SmallMachine(), {.order = order, .micro_op_limit = 100000});
    const isa::LaunchResult result = machine.Run(launch, dram);
    if (result.outcome == isa::Outcome::kStopped) return;
    VTA_CHECK(result.outcome == isa::Outcome::kFinished, isa::Describe(result));
    if (expected.empty()) expected = dram;
    VTA_CHECK(dram == expected, "the order of the modules shows in the memory");
  }
}

}  // namespace
}  // namespace vta

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < vta::kDataBytes) return 0;
  const std::vector<uint8_t> image(data, data + std::min(size, vta::kMaxBytes));
  if (vta::Prove(image).ok()) vta::RunInEveryOrder(image);
  return 0;
}
