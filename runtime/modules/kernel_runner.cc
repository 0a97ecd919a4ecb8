#include "runtime/modules/kernel_runner.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace vta::runtime {
namespace {

// Of runs that are timed together: longer than it takes to wake a thread, mostly.
constexpr std::chrono::nanoseconds kLeastOfAll = std::chrono::microseconds(200);

}  // namespace

KernelThreads::KernelThreads(const KernelPlace& place, std::shared_ptr<ThreadPool> pool,
                             bool guarded)
    : place_(place),
      pool_(std::move(pool)),
      sharing_(place.package.kernels.size()),
      steps_(std::max<int64_t>(
          1, std::ranges::count_if(place.package.steps, [&](const isa::PackageStep& step) {
            return step.kind == isa::PackageStep::Kind::kKernel && !place.package.IsOnGpu(step);
          }))) {
  if (guarded) guard_.emplace(place_.module, pool_->threads());
}

void KernelThreads::Prepare() {
  // Each waits for the others: so each has one.
  std::atomic<int64_t> waiting = pool_->threads();
  pool_->Run(pool_->threads(), [&](int64_t worker, int64_t, int64_t) {
    KernelGuard::PrepareThread(worker);
    --waiting;
    while (waiting > 0) std::this_thread::yield();
  });
}

std::optional<KernelStop> KernelThreads::Run(int64_t kernel, void* const* tensors,
                                             Deadline deadline) {
  const int64_t tasks = place_.package.kernels[kernel].tasks;
  const auto on_pool = [&](const auto& run) {
    if (pool_->threads() == 1) return run(0, place_.workspace, 0, tasks);
    Sharing& sharing = sharing_[static_cast<size_t>(kernel)];
    const auto shared = [run, workspace = place_.workspace, bytes = place_.workspace_bytes](
                            int64_t worker, int64_t first, int64_t last) {
      run(worker, workspace + worker * bytes, first, last);
    };
    static_assert(ThreadPool::kTravels<decltype(shared)>);
    const auto begin = std::chrono::steady_clock::now();
    if (tasks > 1 && all_sharing_.Shares() && sharing.Shares())
      pool_->Run(tasks, shared);
    else
      run(0, place_.workspace, 0, tasks);
    const auto took = std::chrono::steady_clock::now() - begin;
    if (tasks > 1 && all_sharing_.Shares()) sharing.Took(took);
    all_took_ += took;
    if (++all_steps_ % steps_ != 0 || all_took_ < kLeastOfAll) return;
    all_sharing_.Took(std::exchange(all_took_, {}) * steps_ / std::exchange(all_steps_, 0));
  };
  if (!guard_) {
    on_pool([module = &place_.module, kernel, tensors](int64_t, void* workspace, int64_t first,
                                                       int64_t last) {
      module->Run(kernel, tensors, workspace, first, last);
    });
    return std::nullopt;
  }
  guard_->Begin(deadline);
  try {
    on_pool([guard = &*guard_, kernel, tensors](int64_t worker, void* workspace, int64_t first,
                                                int64_t last) {
      guard->Run(worker, kernel, tensors, workspace, first, last);
    });
  } catch (...) {
    guard_->End();
    throw;
  }
  return guard_->End();
}

}  // namespace vta::runtime
