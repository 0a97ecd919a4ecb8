#include "compiler/tune/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace vta::compiler::tune {

void InParallel(int64_t jobs, size_t count, const std::function<void(size_t)>& work) {
  if (count == 0) return;
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> thrown(
      std::clamp<size_t>(static_cast<size_t>(std::max<int64_t>(jobs, 1)), 1, count));
  const auto run = [&](std::exception_ptr* error) {
    try {
      for (size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      *error = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < thrown.size(); ++i) threads.emplace_back(run, &thrown[i]);
    run(&thrown[0]);
  }
  for (const std::exception_ptr& error : thrown)
    if (error) std::rethrow_exception(error);
}

}  // namespace vta::compiler::tune
