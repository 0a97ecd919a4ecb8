#include "tests/support/interpreter/interpreted_module.h"

#include "isa/support/error.h"

namespace vta::test {

using compiler::loop::Function;

InterpretedModule::InterpretedModule(const isa::Package& package,
                                     std::span<const Function> functions) {
  if (functions.size() != package.kernels.size())
    throw Error("interpreted module", "kernels", std::to_string(functions.size()),
                StrCat("the package has ", package.kernels.size()));
  for (size_t i = 0; i < functions.size(); ++i) {
    std::vector<int64_t> bytes;
    for (const compiler::loop::Buffer& param : functions[i].params)
      bytes.push_back(param->SizeElems() * compiler::loop::SizeBytes(param->dtype));
    if (functions[i].name != package.kernels[i].name || bytes != package.kernels[i].argument_bytes)
      throw Error("interpreted module", StrCat("kernel ", i), functions[i].name,
                  "is another one in the package");
    kernels_.push_back({compiler::loop::Interpreter(functions[i]), std::move(bytes)});
  }
}

void InterpretedModule::Run(int64_t kernel, void* const* tensors, void*, int64_t first,
                            int64_t) const {
  if (first > 0) return;
  Kernel& run = kernels_[static_cast<size_t>(kernel)];
  std::vector<std::span<std::byte>> arguments;
  for (size_t i = 0; i < run.argument_bytes.size(); ++i)
    arguments.emplace_back(static_cast<std::byte*>(tensors[i]),
                           static_cast<size_t>(run.argument_bytes[i]));
  run.interpreter.Run(arguments);
}

}  // namespace vta::test
