// What a session of a package takes of memory, known before there is one.
#pragma once

#include <cstdint>
#include <string>

#include "isa/package.h"

namespace vta::runtime {

/// Units: bytes. Each is counted once: where there is a device, the constants and the code of
/// programs lie in its memory, and the model keeps them for further sessions.
struct MemoryUse {
  int64_t activations = 0;  // tensors that steps make and inputs, where they share memory
  int64_t constants = 0;    // the weights, parameters and micro-ops that all sessions share
  int64_t workspace = 0;    // of all threads
  int64_t code = 0;         // of the programs, and of the largest module for a CPU and a GPU
  int64_t tensors = 0;      // what the activations would take if they shared nothing
  int64_t threads = 0;      // that run kernels
  int64_t gpu = 0;          // of activations and constants those that lie in a GPU's memory

  int64_t peak() const { return activations + constants + workspace + code; }
};

/// Of a session whose kernels run on so many threads.
MemoryUse MemoryOf(const isa::Package& package, int64_t threads);

/// Of the arena's first part what is no constant.
int64_t HostActivations(const isa::Package& package);

/// The workspace of one thread: that of the kernel that wants most, in whole lines of a cache, so
/// that no two threads share one.
int64_t WorkspaceBytes(const isa::Package& package);

/// Errors: throws Error naming `file`, the memory that a session needs, the limit, and what makes
/// up the need, where that is more than `limit_bytes`.
void RequireMemory(const isa::Package& package, const std::string& file, int64_t threads,
                   int64_t limit_bytes);

}  // namespace vta::runtime
