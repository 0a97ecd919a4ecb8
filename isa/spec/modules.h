// The three modules that execute instructions, and the four token queues between neighbours.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::isa {

enum class Module : uint8_t { kLoad = 0, kCompute = 1, kStore = 2 };
inline constexpr int kModules = 3;

struct ModuleSpec {
  Module code;
  std::string_view name;
  bool has_prev,
      has_next;  // a neighbour on that side: compute's previous is load, its next is store
};

inline constexpr ModuleSpec kModuleTable[] = {
    {Module::kLoad, "load", false, true},
    {Module::kCompute, "compute", true, true},
    {Module::kStore, "store", true, false},
};

constexpr const ModuleSpec& Spec(Module module) { return kModuleTable[static_cast<int>(module)]; }

/// A token queue; all start empty.
enum class Queue : uint8_t {
  kLoadToCompute = 0,
  kComputeToLoad = 1,
  kComputeToStore = 2,
  kStoreToCompute = 3,
};
inline constexpr int kQueues = 4;

struct QueueSpec {
  Queue code;
  std::string_view name;
  Module from, to;
};

inline constexpr QueueSpec kQueueTable[] = {
    {Queue::kLoadToCompute, "load->compute", Module::kLoad, Module::kCompute},
    {Queue::kComputeToLoad, "compute->load", Module::kCompute, Module::kLoad},
    {Queue::kComputeToStore, "compute->store", Module::kCompute, Module::kStore},
    {Queue::kStoreToCompute, "store->compute", Module::kStore, Module::kCompute},
};

constexpr const QueueSpec& Spec(Queue queue) { return kQueueTable[static_cast<int>(queue)]; }

/// The queue of a push bit of `module`; only for a side on which it has a neighbour.
constexpr Queue PushQueue(Module module, bool to_next) {
  if (module == Module::kLoad) return Queue::kLoadToCompute;
  if (module == Module::kStore) return Queue::kStoreToCompute;
  return to_next ? Queue::kComputeToStore : Queue::kComputeToLoad;
}

/// The queue of a pop bit of `module`; only for a side on which it has a neighbour.
constexpr Queue PopQueue(Module module, bool from_next) {
  if (module == Module::kLoad) return Queue::kComputeToLoad;
  if (module == Module::kStore) return Queue::kComputeToStore;
  return from_next ? Queue::kStoreToCompute : Queue::kLoadToCompute;
}

}  // namespace vta::isa
