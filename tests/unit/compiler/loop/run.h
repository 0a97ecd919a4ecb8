// Runs a loop-IR function on vectors.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/support/interpreter/interpret.h"

namespace vta::compiler::loop {

template <typename T>
std::span<std::byte> Bytes(std::vector<T>& v) {
  return std::as_writable_bytes(std::span(v));
}

/// RunOn(f, a, b, c) with a vector for each parameter.
template <typename... V>
void RunOn(const Function& f, V&... args) {
  const std::span<std::byte> bytes[] = {Bytes(args)...};
  Interpreter(f).Run(bytes);
}

template <typename T>
std::vector<T> Random(size_t size, uint32_t seed, int low = -100, int high = 100) {
  std::mt19937 rng(seed);
  std::vector<T> out(size);
  for (T& x : out)
    x = static_cast<T>(low + static_cast<int>(rng() % static_cast<uint32_t>(high - low + 1)));
  return out;
}

}  // namespace vta::compiler::loop
