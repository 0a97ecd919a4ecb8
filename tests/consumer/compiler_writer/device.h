// Runs programs of the accelerator.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "compiler/targets/vta/tasks/task.h"
#include "driver/device.h"

/// The bytes of each tensor, by name.
using Tensors = std::map<std::string, std::span<uint8_t>>;

template <typename T>
std::span<uint8_t> Bytes(std::vector<T>& values) {
  return {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T)};
}

/// Links the program, proves it on its bits, and launches it. What was in `output` is overwritten.
/// Returns the cycles, 0 where the device counts none.
/// Errors: throws Error with the proof's findings, or with how the launch ended.
int64_t RunProgram(const vta::isa::Config& config,
                   const vta::compiler::targets::TaskProgram& program, Tensors tensors,
                   const std::string& output, vta::driver::Device& device);
