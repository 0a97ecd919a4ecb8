#include "compiler/opencl/module.h"

#include <set>

#include "compiler/opencl/body.h"
#include "compiler/opencl/helpers.h"
#include "isa/support/error.h"

namespace vta::compiler::opencl {
namespace {

constexpr char kHead[] = R"(// OpenCL C 1.2.
#pragma OPENCL FP_CONTRACT OFF
#define VTA_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
)";

}  // namespace

std::string PrintModule(std::span<const lower::Kernel> kernels) {
  std::set<std::string> names, helpers;
  std::string text;
  for (const lower::Kernel& kernel : kernels) {
    const std::string& name = kernel.function.name;
    lower::RequireSymbolName(name);
    if (!names.insert(name).second) throw Error("", "kernel", name, "two kernels have this name");
    const Writer writer = Body(kernel).Write();
    text += "\n" + writer.text();
    helpers.insert(writer.helpers().begin(), writer.helpers().end());
  }
  const std::string called = TextOf(helpers);
  return StrCat(kHead, called.empty() ? "" : "\n", called, text);
}

}  // namespace vta::compiler::opencl
