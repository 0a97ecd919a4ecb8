#include "driver/opencl/opencl_gpu.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver/opencl/module.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

using namespace opencl;

/// How long a run may take until who waits for it no longer asks all the time, but with pauses.
constexpr std::chrono::milliseconds kQuick{1};
constexpr std::chrono::microseconds kPause{100};

class OpenClGpu : public Gpu {
 public:
  OpenClGpu(const Api& api, DeviceHandle device, const DeviceFacts& facts,
            const std::string& cache_folder)
      : api_(api),
        opened_{api, device, facts,
                CodeCache(cache_folder,
                          StrCat(facts.name, ", ", facts.driver, ", ", OptionsFor(facts))),
                Buffers(facts.name)} {
    Status status = kSuccess;
    opened_.context = {api_.CreateContext(nullptr, 1, &device, nullptr, nullptr, &status),
                       api_.ReleaseContext};
    Require(status, "cannot be opened");
    opened_.queue = {api_.CreateCommandQueue(opened_.context.get(), device, 0, &status),
                     api_.ReleaseCommandQueue};
    Require(status, "has no queue");
  }

  const std::string& name() const override { return opened_.facts.name; }
  bool Runs(std::string_view format, std::string_view feature) const override {
    return format == isa::kOpenClFormat && opened_.facts.Compiles(std::string(feature));
  }

  uint64_t Allocate(int64_t bytes) override {
    const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    Status status = kSuccess;
    Owned<Mem> mem(api_.CreateBuffer(opened_.context.get(), kReadWrite, size, nullptr, &status),
                   api_.ReleaseMemObject);
    // Where drivers allocate what is first used, this uses it.
    const uint8_t zero = 0;
    if (status == kSuccess)
      status = api_.EnqueueFillBuffer(opened_.queue.get(), mem.get(), &zero, 1, 0, size, 0, nullptr,
                                      nullptr);
    if (status == kSuccess) status = api_.Finish(opened_.queue.get());
    if (status != kSuccess)
      throw Error(name(), "memory", Counted(bytes, "byte"),
                  StrCat("are not to be had: of ", opened_.facts.memory_bytes, ", ",
                         opened_.facts.most_buffer_bytes, " at once: ", Describe(status)));
    const uint64_t address = opened_.buffers.Add(mem.get(), bytes);
    mems_.emplace(address, std::move(mem));
    return address;
  }
  void Free(uint64_t address) override {
    opened_.buffers.Remove(address);
    mems_.erase(address);
  }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return;
    const Place place = opened_.buffers.At(address, bytes.size());
    Require(api_.EnqueueWriteBuffer(opened_.queue.get(), place.mem, kTrue, place.offset,
                                    bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "a copy to it failed");
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return;
    const Place place = opened_.buffers.At(address, bytes.size());
    Require(api_.EnqueueReadBuffer(opened_.queue.get(), place.mem, kTrue, place.offset,
                                   bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "a copy from it failed");
  }

  std::unique_ptr<GpuModule> Load(const isa::Package& package, const std::string& file) override {
    std::string have;
    for (size_t i = 0; i < package.modules.size(); ++i) {
      const isa::PackageModule& module = package.modules[i];
      if (!module.Gpu()) continue;
      have += StrCat(have.empty() ? "" : ", ", module.format, " for ", module.features[0]);
      if (!Runs(module.format, module.features[0])) continue;
      return LoadModule(opened_, module, package.kernels, StrCat(file, ": modules[", i, "]"));
    }
    throw Error(
        file, "modules", have,
        StrCat(name(), " compiles OpenCL C ", opened_.facts.language, ", and runs none of them"));
  }

  std::unique_ptr<GpuGraph> Record(const std::function<void()>& launches) override {
    std::vector<Launched> recorded;
    opened_.recording = &recorded;
    try {
      launches();
    } catch (const Error&) {
      opened_.recording = nullptr;
      throw;
    }
    opened_.recording = nullptr;
    return MakeGraph(opened_, std::move(recorded));
  }

  bool Wait(std::chrono::nanoseconds limit) override {
    Event marker = nullptr;
    Require(api_.EnqueueMarker(opened_.queue.get(), 0, nullptr, &marker), "a kernel failed");
    const Owned<Event> owned(marker, api_.ReleaseEvent);
    Require(api_.Flush(opened_.queue.get()), "a kernel failed");
    if (limit == kForever) {
      Require(api_.WaitForEvents(1, &marker), "a kernel failed");
      return true;
    }
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      Status status = kSuccess;
      Require(api_.GetEventInfo(marker, kEventStatus, sizeof(status), &status, nullptr),
              "a kernel failed");
      if (status <= kComplete) Require(status, "a kernel failed");
      if (status == kComplete) return true;
      const auto waited = std::chrono::steady_clock::now() - start;
      if (waited >= limit) return false;
      // A device may be the processor that this thread runs on.
      if (waited < kQuick)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kPause);
    }
  }

 private:
  void Require(Status status, const char* rule) const {
    if (status != kSuccess)
      throw Error("", "OpenCL device", name(), StrCat(rule, ": ", Describe(status)));
  }

  const Api& api_;
  Opened opened_;
  std::map<uint64_t, Owned<Mem>> mems_;  // by their addresses
};

}  // namespace

std::unique_ptr<Gpu> OpenOpenClGpu(int64_t ordinal, const std::string& cache_folder) {
  const Api& api = LoadApi();
  const DeviceHandle device = FindDevice(api, ordinal);
  return std::make_unique<OpenClGpu>(api, device, FactsOf(api, device), cache_folder);
}

}  // namespace vta::driver
