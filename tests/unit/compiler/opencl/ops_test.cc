// Every operation on every type, element by element and in vectors, on a device of OpenCL against
// the interpreter.
#include <gmock/gmock.h>

#include "compiler/loop/analysis.h"
#include "compiler/opencl/module.h"
#include "driver/buffer.h"
#include "isa/support/error.h"
#include "tests/support/interpreter/interpret.h"
#include "tests/support/opencl_device.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/llvm/op_cases.h"

namespace vta::compiler::opencl {
namespace {

/// Cases one after the other in one kernel, each with buffers of its own.
struct Together {
  loop::Function function;
  std::vector<size_t> first;  // parameter of each case
};

/// As many in a kernel as every device takes arguments for, of 1024 bytes.
std::vector<Together> Grouped(const std::vector<llvm::OpCase>& cases) {
  constexpr size_t kMostParams = 48;
  std::vector<Together> groups;
  std::vector<loop::Stmt> bodies;
  const auto finish = [&] {
    if (!groups.empty()) groups.back().function.body = loop::MakeSeq(std::move(bodies));
    bodies.clear();
  };
  for (const llvm::OpCase& c : cases) {
    if (groups.empty() ||
        groups.back().function.params.size() + c.function.params.size() > kMostParams) {
      finish();
      groups.push_back({{StrCat("k_", groups.size()), {}, {}}, {}});
    }
    Together& group = groups.back();
    group.first.push_back(group.function.params.size());
    loop::Stmt body = c.function.body;
    for (const loop::Buffer& buffer : c.function.params) {
      const size_t number = group.function.params.size();
      const loop::Buffer own = loop::MakeBuffer(StrCat("b", number), buffer->dtype, buffer->shape);
      body = loop::ReplaceBuffer(body, buffer, own);
      group.function.params.push_back(own);
    }
    // Names of blocks are unique in a function.
    const std::string name = StrCat("y", group.first.size());
    bodies.push_back(loop::RewriteStmts(body, [&](const loop::Stmt& stmt) -> loop::Stmt {
      const loop::Block* block = loop::As<loop::Block>(stmt);
      if (!block) return nullptr;
      loop::Block copy = *block;
      copy.name = name;
      return loop::MakeStmt(std::move(copy));
    }));
  }
  finish();
  return groups;
}

class OpenClOps : public testing::TestWithParam<loop::ForKind> {};

TEST_P(OpenClOps, AreAsTheInterpreterDoesThem) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const std::vector<llvm::OpCase> cases = llvm::OpCases({GetParam(), 196});
  const std::vector<Together> groups = Grouped(cases);
  std::vector<lower::Kernel> kernels;
  isa::Package package;
  for (const Together& group : groups) {
    kernels.push_back(lower::PlanGpuKernel(group.function, isa::kOpenClGpu));
    package.kernels.push_back(
        {group.function.name, kernels.back().tasks, 0, {}, kernels.back().threads});
  }
  const std::string text = PrintModule(kernels);
  package.modules = {{std::string(isa::kOpenClFormat),
                      std::string(isa::kOpenClArch),
                      {"1.2"},
                      {text.begin(), text.end()}}};
  const auto module = device.gpu()->Load(package, "ops");
  if (GetParam() == loop::ForKind::kVectorize)
    for (const char* words : {"vload4(0, ", "vstore4(", "vta_min_float4(", "convert_char4_sat("})
      EXPECT_THAT(text, testing::HasSubstr(words));
  size_t number = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const loop::Function& function = groups[g].function;
    // The same values for each case as it has alone.
    llvm::Arguments args;
    for (size_t i = 0; i < groups[g].first.size(); ++i)
      for (std::vector<std::byte>& one : llvm::RandomArguments(cases[number + i].function, 7))
        args.push_back(std::move(one));
    std::vector<driver::Buffer> buffers;
    std::vector<uint64_t> addresses;
    for (std::vector<std::byte>& arg : args) {
      buffers.emplace_back(*device.gpu(), std::ssize(arg));
      buffers.back().CopyIn(0, {reinterpret_cast<const uint8_t*>(arg.data()), arg.size()});
      addresses.push_back(buffers.back().address());
    }
    const driver::Buffer workspace(*device.gpu(), kernels[g].workspace_bytes);
    addresses.push_back(workspace.address());
    module->Launch(static_cast<int64_t>(g), addresses);
    ASSERT_TRUE(device.gpu()->Wait(driver::kForever));
    llvm::Arguments wanted = args, found = args;
    for (size_t i = 0; i < found.size(); ++i)
      buffers[i].CopyOut(0, {reinterpret_cast<uint8_t*>(found[i].data()), found[i].size()});
    std::vector<std::span<std::byte>> spans(wanted.begin(), wanted.end());
    loop::Interpreter(function).Run(spans);
    for (const size_t first : groups[g].first) {
      const llvm::OpCase& c = cases[number++];
      const auto own = [&](const llvm::Arguments& all) {
        const auto begin = all.begin() + static_cast<int64_t>(first);
        return llvm::Arguments(begin, begin + std::ssize(c.function.params));
      };
      // Of what no device rounds rightly OpenCL allows 16 units in the last place.
      EXPECT_EQ(llvm::FirstDifference(c.function, own(wanted), own(found), 2 * c.tolerance), "")
          << c.name;
    }
  }
  EXPECT_EQ(number, cases.size());
}

INSTANTIATE_TEST_SUITE_P(Loops, OpenClOps,
                         testing::Values(loop::ForKind::kSerial, loop::ForKind::kVectorize),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace vta::compiler::opencl
