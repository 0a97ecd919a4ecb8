// Runs functions of the loop IR as native code of this machine, and compares what they compute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/lower/cpu.h"
#include "isa/support/error.h"

/// With all that it has.
vta::compiler::lower::CpuSpec NativeCpu();

/// One call of a function; the tensors of its parameters, in order.
void RunNative(const vta::compiler::loop::Function& function, const std::vector<void*>& tensors);

template <typename... T>
void Run(const vta::compiler::loop::Function& function, std::vector<T>&... tensors) {
  RunNative(function, {tensors.data()...});
}

template <typename T>
std::vector<T> Random(int64_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(static_cast<int>(random() % 201) - 100);
  return values;
}

/// Errors: throws Error at the first element that differs.
template <typename T>
void ExpectSame(const std::string& what, const std::vector<T>& got, const std::vector<T>& want) {
  const auto [a, b] = std::mismatch(got.begin(), got.end(), want.begin(), want.end());
  if (a != got.end() || b != want.end())
    throw vta::Error(what, "element", std::to_string(a - got.begin()), "is not what C computes");
  std::cout << what << ": as C computes it\n";
}

/// The main of a chapter.
template <typename F>
int Chapter(F run) {
  try {
    run();
    return 0;
  } catch (const vta::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
