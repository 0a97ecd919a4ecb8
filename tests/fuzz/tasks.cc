// Any text either is refused with an Error or is a task program that prints to text that parses
// back; one that verifies and says where its micro-ops lie becomes words.
#include <string_view>

#include "compiler/targets/vta/tasks/emit.h"
#include "compiler/targets/vta/tasks/task.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr size_t kMostTasks = 100;

isa::Config SmallMachine() {
  isa::Config config;
  config.version = isa::Version::k100;
  config.arch.block_in = config.arch.block_out = 8;
  config.arch.uop_depth = config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth =
      64;
  config.arch.mul = config.arch.acc8 = config.arch.requant = config.arch.pad_value = 1;
  config.arch.overwrite = config.arch.lut = 1;
  return config;
}

}  // namespace
}  // namespace vta::compiler::targets

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler::targets;
  try {
    const TaskProgram program = ParseTasks({reinterpret_cast<const char*>(data), size}, "input");
    const std::string text = PrintTasks(program);
    VTA_CHECK(ParseTasks(text, "printed") == program, text);
    if (program.tasks.size() > kMostTasks) return 0;
    const vta::isa::Config config = SmallMachine();
    VerifyTasks(config, program);
    CountStats(config, program);
    for (const Task& task : program.tasks)
      if (const LoopNest* nest = NestOf(task); nest && nest->uop_begin < 0) return 0;
    EncodeTasks(vta::isa::Layout(config), program);
  } catch (const vta::Error&) {
  }
  return 0;
}
