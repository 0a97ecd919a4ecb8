// The border between a thread and a kernel that it runs: the way in, and a way back from the middle
// of one. A kernel holds no lock and owns nothing, so that leaving it there loses nothing.
#pragma once

#include <cstdint>

#include "runtime/modules/kernel_module.h"

namespace vta::runtime {

/// Calls the kernel. What it must leave as it found it (registers, modes of floating point) is kept
/// on this thread's stack, at *stack. 0 once it has returned; 1 once a signal handler has sent the
/// thread to the landing, which restores all of that.
extern "C" int vta_enter_guest(void** stack, NativeKernel kernel, void* const* tensors,
                               void* workspace, int64_t first, int64_t last);

/// First in a signal handler: modes that a kernel may have set and the system leaves, in which
/// other code could not run.
void ResetModes();
/// Of the context that a signal handler gets: the instruction that was interrupted.
uintptr_t InstructionOf(const void* context);
/// Makes the handler's return the landing of the vta_enter_guest that kept its state at `stack`.
void SendToLanding(void* context, void* stack);

}  // namespace vta::runtime
