#include "compiler/llvm/object.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <mutex>

#include "compiler/llvm/body.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

void InitializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define VTA_TARGET(NAME)              \
  LLVMInitialize##NAME##TargetInfo(); \
  LLVMInitialize##NAME##Target();     \
  LLVMInitialize##NAME##TargetMC();   \
  LLVMInitialize##NAME##AsmPrinter();
    VTA_TARGET(X86)
    VTA_TARGET(AArch64)
    VTA_TARGET(ARM)
    VTA_TARGET(NVPTX)
#undef VTA_TARGET
  });
}

std::string Take(char* message) {
  std::string text = message ? message : "";
  LLVMDisposeMessage(message);
  return text;
}

/// What LLVM reports while it works ends the compile; the note of an unknown feature or CPU comes
/// this way, too.
void OnDiagnostic(LLVMDiagnosticInfoRef info, void* errors) {
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
    *static_cast<std::string*>(errors) += Take(LLVMGetDiagInfoDescription(info));
}

struct ContextOwner {
  LLVMContextRef context = LLVMContextCreate();
  ~ContextOwner() { LLVMContextDispose(context); }
};

}  // namespace

struct Object::Impl {
  ContextOwner owner;
  std::string errors;
  LLVMModuleRef module = nullptr;
  LLVMTargetMachineRef machine = nullptr;

  ~Impl() {
    if (machine) LLVMDisposeTargetMachine(machine);
    if (module) LLVMDisposeModule(module);
  }

  void MakeMachine(const Machine& wanted, const MachineTraits& traits) {
    InitializeTargets();
    LLVMTargetRef target = nullptr;
    char* message = nullptr;
    if (LLVMGetTargetFromTriple(wanted.triple.c_str(), &target, &message))
      throw Error("", "triple", wanted.triple, Take(message));
    machine = LLVMCreateTargetMachine(target, wanted.triple.c_str(), traits.base_cpu.c_str(),
                                      traits.features.c_str(), LLVMCodeGenLevelDefault,
                                      LLVMRelocPIC, LLVMCodeModelSmall);
    VTA_CHECK(machine, "no machine for ", wanted.triple);
    LLVMSetTarget(module, wanted.triple.c_str());
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
  }

  std::vector<uint8_t> Write(LLVMCodeGenFileType type) const {
    LLVMMemoryBufferRef buffer = nullptr;
    char* message = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer))
      throw Error("", "code", "", Take(message));
    const char* begin = LLVMGetBufferStart(buffer);
    std::vector<uint8_t> bytes(begin, begin + LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    if (!errors.empty()) throw Error("", "code", "", errors);
    return bytes;
  }
};

Object::Object(std::span<const lower::Kernel> kernels, const Machine& machine)
    : impl_(std::make_unique<Impl>()) {
  const MachineTraits traits = TraitsOf(machine);
  LLVMContextRef context = impl_->owner.context;
  LLVMContextSetDiagnosticHandler(context, OnDiagnostic, &impl_->errors);
  impl_->module = LLVMModuleCreateWithNameInContext("kernels", context);
  impl_->MakeMachine(machine, traits);
  llvm::Code code(context, impl_->module, machine);
  for (const lower::Kernel& kernel : kernels)
    kernel.threads > 0 ? EmitGpuKernel(code, kernel) : EmitKernel(code, kernel);
  char* message = nullptr;
  const bool broken = LLVMVerifyModule(impl_->module, LLVMReturnStatusAction, &message);
  const std::string problem = Take(message);
  VTA_CHECK(!broken, problem);
}
Object::~Object() = default;

std::string Object::Ir() const { return Take(LLVMPrintModuleToString(impl_->module)); }

void Object::Optimize() {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, true);
  LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, true);
  LLVMPassBuilderOptionsSetSLPVectorization(options, false);
  LLVMErrorRef error = LLVMRunPasses(impl_->module, "default<O2>", impl_->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char* message = LLVMGetErrorMessage(error);
    const std::string text = message;
    LLVMDisposeErrorMessage(message);
    throw Error("", "code", "", text);
  }
}

std::vector<uint8_t> Object::Code() const { return impl_->Write(LLVMObjectFile); }
std::string Object::Assembly() const {
  const std::vector<uint8_t> text = impl_->Write(LLVMAssemblyFile);
  return {text.begin(), text.end()};
}

}  // namespace vta::compiler::llvm
