#include "runtime/priority_mutex.h"

namespace vta::runtime {

void PriorityMutex::Take(int64_t number) {
  std::unique_lock lock(mutex_);
  waiting_.insert(number);
  given_.wait(lock, [&] { return !taken_ && *waiting_.begin() == number; });
  waiting_.erase(number);
  taken_ = true;
}

void PriorityMutex::Give() {
  {
    const std::scoped_lock lock(mutex_);
    taken_ = false;
  }
  given_.notify_all();
}

}  // namespace vta::runtime
