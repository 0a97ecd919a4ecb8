// Packages made by hand, and their kernels: an accelerator's step and one of the CPU, or the CPU
// alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "driver/functional/functional_device.h"
#include "isa/package.h"
#include "runtime/modules/kernel_module.h"
#include "tests/unit/sim/program.h"

namespace vta::runtime {

// Elements of inputs and outputs have 8 bytes.
inline isa::Config TinyConfig() {
  isa::Config config = sim::SmallConfig();
  config.arch.batch = 2;
  return config;
}

// The arena: micro-op (constant) at 0, input at 16, middle at 32, output at 48; eight bytes each.
inline constexpr int64_t kInput = 16, kMiddle = 32, kOutput = 48, kArena = 64;

inline isa::Package AddFiveThenNegate() {
  isa::Package package;
  package.model = "tiny";
  package.config = TinyConfig();
  package.arena_bytes = kArena;
  const isa::Layout layout(*package.config);
  const uint32_t uop = isa::EncodeUop(layout, {2, 0, 0});
  package.constants.resize(4);
  std::memcpy(package.constants.data(), &uop, 4);
  isa::Instruction add = sim::AluImm(isa::AluOp::kAdd, 0, 1, 5);
  add.push_next = 1;
  isa::Instruction store = sim::StoreOf(2, kMiddle / 8, 1);
  store.pop_prev = 1;
  package.programs = {{1, 5}};
  package.code.resize(16 * 6);
  int64_t word = 1;
  for (const isa::Instruction& insn :
       {sim::LoadOf(isa::MemoryType::kUop, 0, 0, 1),
        sim::LoadOf(isa::MemoryType::kAcc8, 2, kInput / 8, 1), add, store, sim::Finish()})
    isa::StoreWord(isa::Encode(layout, insn), package.code.data() + 16 * word++);
  package.tensors = {{"x", isa::ElementType::kInt8, {2, 4}, kInput},
                     {"m", isa::ElementType::kInt8, {2, 4}, kMiddle},
                     {"y", isa::ElementType::kInt8, {2, 4}, kOutput}};
  package.kernels = {{"negate", 3, 100, {8, 8}}};
  package.steps = {{"plus5", isa::PackageStep::Kind::kProgram, 0, 0, {0}, {1}, {"add", "2x4", 0}},
                   {"minus", isa::PackageStep::Kind::kKernel, 0, 0, {1}, {2}, {}}};
  package.inputs = {0};
  package.outputs = {2};
  return package;
}

/// x + 5 is m, and m + 5 is y: a program each, and both in one.
inline isa::Package AddFiveTwice() {
  isa::Package p = AddFiveThenNegate();
  const isa::Layout layout(*p.config);
  p.code.clear();
  const auto add = [&](isa::Instruction insn, int64_t pops_store, int64_t pushes_compute) {
    insn.pop_next |= pops_store, insn.push_prev |= pushes_compute;
    p.code.resize(p.code.size() + 16);
    isa::StoreWord(isa::Encode(layout, insn), p.code.data() + p.code.size() - 16);
  };
  const auto layer = [&](int64_t from, int64_t to, bool waits, bool signals) {
    isa::Instruction sum = sim::AluImm(isa::AluOp::kAdd, 0, 1, 5);
    isa::Instruction store = sim::StoreOf(2, to / 8, 1);
    sum.push_next = store.pop_prev = 1;
    add(sim::LoadOf(isa::MemoryType::kAcc8, 2, from / 8, 1), waits, false);
    add(sum, false, false);
    add(store, false, signals);
  };
  const isa::Instruction uops = sim::LoadOf(isa::MemoryType::kUop, 0, 0, 1);
  for (const auto& [from, to] : {std::pair(kInput, kMiddle), {kMiddle, kOutput}}) {
    add(uops, false, false);
    layer(from, to, false, false);
    add(sim::Finish(), false, false);
  }
  add(uops, false, false);
  layer(kInput, kMiddle, false, true);
  layer(kMiddle, kOutput, true, false);
  add(sim::Finish(), false, false);
  p.programs = {{0, 5}, {5, 5}, {10, 8}};
  p.kernels.clear();
  p.steps = {{"first", isa::PackageStep::Kind::kProgram, 0, 0, {0}, {1}, {"add", "2x4", 0}},
             {"second", isa::PackageStep::Kind::kProgram, 1, 0, {1}, {2}, {"add", "2x4", 0}}};
  p.launches = {{0, 2, {0, 4}}};
  return p;
}

// In three tasks, of 3, 3 and 2 bytes.
class Negate : public KernelModule {
 public:
  void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
           int64_t last) const override {
    EXPECT_EQ(kernel, 0);
    std::memset(workspace, 0xAA, 100);
    const auto* from = static_cast<const uint8_t*>(tensors[0]);
    auto* to = static_cast<uint8_t*>(tensors[1]);
    for (int64_t i = 3 * first; i < std::min<int64_t>(3 * last, 8); ++i)
      to[i] = static_cast<uint8_t>(-from[i]);
    if (sleep.count() > 0) std::this_thread::sleep_for(sleep);
  }
  std::chrono::milliseconds sleep{0};
};

// The same kernel alone: no accelerator, and a constant beside the input, which it adds.
inline isa::Package AddThree() {
  isa::Package package;
  package.model = "cpu";
  package.arena_bytes = 136;
  package.constants = {3, 3, 3, 3, 3, 3, 3, 3};
  package.constants_offset_bytes = 128;
  package.tensors = {{"x", isa::ElementType::kUint8, {8}, 0},
                     {"three", isa::ElementType::kUint8, {8}, 128},
                     {"y", isa::ElementType::kUint8, {8}, 64}};
  package.kernels = {{"add", 4, 8, {8, 8, 8}}};
  package.steps = {{"plus3", isa::PackageStep::Kind::kKernel, 0, 0, {0, 1}, {2}, {}}};
  package.inputs = {0};
  package.outputs = {2};
  return package;
}

// In four tasks of two bytes, by way of the workspace.
class Add : public KernelModule {
 public:
  void Run(int64_t, void* const* tensors, void* workspace, int64_t first,
           int64_t last) const override {
    const auto *a = static_cast<const uint8_t*>(tensors[0]),
               *b = static_cast<const uint8_t*>(tensors[1]);
    auto *sum = static_cast<uint8_t*>(workspace), *to = static_cast<uint8_t*>(tensors[2]);
    constant = b;
    for (int64_t i = 2 * first; i < 2 * last; ++i) *sum++ = static_cast<uint8_t>(a[i] + b[i]);
    std::this_thread::yield();
    for (int64_t i = 2 * last; i > 2 * first;) to[--i] = *--sum;
  }
  mutable std::atomic<const uint8_t*> constant = nullptr;  // where it last was
};

/// A device that maps nothing.
class Unmapped : public driver::FunctionalDevice {
 public:
  using FunctionalDevice::FunctionalDevice;
  std::span<uint8_t> Map(uint64_t, int64_t) override { return {}; }
};

}  // namespace vta::runtime
