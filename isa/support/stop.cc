#include "isa/support/stop.h"

#include <utility>

namespace vta {
namespace {

using std::chrono::steady_clock;

thread_local const StopAsker* current = nullptr;

}  // namespace

StopAsker::StopAsker(std::function<bool()> asked)
    : asked_(std::move(asked)), outer_(std::exchange(current, this)) {}

StopAsker::~StopAsker() { current = outer_; }

bool IsOver(steady_clock::time_point deadline) {
  if (deadline != steady_clock::time_point::max() && steady_clock::now() >= deadline) return true;
  return current && current->asked_();
}

}  // namespace vta
