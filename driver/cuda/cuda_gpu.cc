#include "driver/cuda/cuda_gpu.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <thread>

#include "driver/cuda/cuda_api.h"
#include "driver/cuda/module.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

using namespace cuda;

class CudaGraph : public GpuGraph {
 public:
  /// Takes the graph.
  CudaGraph(const Api& api, Stream stream, Graph graph) : api_(api), stream_(stream) {
    const Result made = api.GraphInstantiate(&exec_, graph, 0);
    api.GraphDestroy(graph);
    if (made != kSuccess)
      throw Error("", "graph", "", StrCat("cannot be made: ", api.Describe(made)));
  }
  ~CudaGraph() override { api_.GraphExecDestroy(exec_); }
  void Start() override {
    if (const Result started = api_.GraphLaunch(exec_, stream_); started != kSuccess)
      throw Error("", "graph", "", StrCat("cannot be started: ", api_.Describe(started)));
  }

 private:
  const Api& api_;
  const Stream stream_;
  GraphExec exec_ = nullptr;
};

class CudaGpu : public Gpu {
 public:
  CudaGpu(int64_t ordinal, const std::string& cache_folder) : api_(LoadApi()) {
    int count = 0, version = 0;
    Require(api_.Init(0), "cannot be used");
    Require(api_.DeviceGetCount(&count), "cannot be used");
    if (ordinal >= count)
      throw Error("", "GPU", std::to_string(ordinal), StrCat("there are ", count));
    Require(api_.DeviceGet(&device_, static_cast<int>(ordinal)), "cannot be opened");
    std::array<char, 256> name{};
    Require(api_.DeviceGetName(name.data(), name.size(), device_), "has no name");
    name_ = name.data();
    int major = 0, minor = 0;
    Require(api_.DeviceGetAttribute(&major, kComputeMajor, device_), "says not what it is");
    Require(api_.DeviceGetAttribute(&minor, kComputeMinor, device_), "says not what it is");
    machine_ = 10 * major + minor;
    Require(api_.DriverGetVersion(&version), "says not what drives it");
    cache_.emplace(cache_folder, StrCat("CUDA ", version, ", sm_", machine_));
    Require(api_.PrimaryContextRetain(&context_, device_), "cannot be opened");
    Require(api_.ContextSetCurrent(context_), "cannot be used");
    // Copies, which are in the stream of the context, wait for it, and it for them.
    Require(api_.StreamCreate(&stream_, 0), "has no stream");
  }
  ~CudaGpu() override {
    Use();
    api_.StreamDestroy(stream_);
    api_.PrimaryContextRelease(device_);
  }

  const std::string& name() const override { return name_; }
  bool Runs(std::string_view format, std::string_view feature) const override {
    return format == isa::kPtxFormat && machine_ >= std::stoi(std::string(feature.substr(3)));
  }

  uint64_t Allocate(int64_t bytes) override {
    Use();
    Address address = 0;
    const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    if (api_.MemAlloc(&address, size) != kSuccess) {
      size_t free = 0, total = 0;
      api_.MemGetInfo(&free, &total);
      throw Error(name_, "memory", Counted(bytes, "byte"),
                  StrCat("are not to be had: ", free, " of ", total, " are free"));
    }
    Require(api_.MemsetD8(address, 0, size), "memory cannot be written");
    return address;
  }
  void Free(uint64_t address) override {
    Use();
    api_.MemFree(address);
  }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    Use();
    if (!bytes.empty())
      Require(api_.CopyHtoD(address, bytes.data(), bytes.size()), "a copy to it failed");
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    Use();
    if (!bytes.empty())
      Require(api_.CopyDtoH(bytes.data(), address, bytes.size()), "a copy from it failed");
  }

  std::unique_ptr<GpuModule> Load(const isa::Package& package, const std::string& file) override {
    Use();
    std::string have;
    for (size_t i = 0; i < package.modules.size(); ++i) {
      const isa::PackageModule& module = package.modules[i];
      if (!module.Gpu()) continue;
      have += StrCat(have.empty() ? "" : ", ", module.format, " for ", module.features[0]);
      if (Runs(module.format, module.features[0]))
        return LoadModule(api_, stream_, *cache_, package.kernels, module,
                          StrCat(file, ": modules[", i, "]"));
    }
    throw Error(file, "modules", have,
                StrCat(name_, " is sm_", machine_, ", and runs none of them"));
  }

  std::unique_ptr<GpuGraph> Record(const std::function<void()>& launches) override {
    Use();
    Require(api_.StreamBeginCapture(stream_, kCaptureOfThread), "records nothing");
    Graph graph = nullptr;
    try {
      launches();
    } catch (const Error&) {
      if (api_.StreamEndCapture(stream_, &graph) == kSuccess) api_.GraphDestroy(graph);
      throw;
    }
    Require(api_.StreamEndCapture(stream_, &graph), "records nothing");
    return std::make_unique<CudaGraph>(api_, stream_, graph);
  }

  bool Wait(std::chrono::nanoseconds limit) override {
    Use();
    if (limit == kForever) {
      Require(api_.StreamSynchronize(stream_), "a kernel failed");
      return true;
    }
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      const Result result = api_.StreamQuery(stream_);
      if (result == kSuccess) return true;
      if (result != kNotReady) Require(result, "a kernel failed");
      if (std::chrono::steady_clock::now() - start >= limit) return false;
      std::this_thread::yield();
    }
  }

 private:
  /// A context belongs to the thread that uses it.
  void Use() const { api_.ContextSetCurrent(context_); }
  void Require(Result result, const char* rule) const {
    if (result != kSuccess)
      throw Error("", "GPU", name_, StrCat(rule, ": ", api_.Describe(result)));
  }

  const Api& api_;
  DeviceNumber device_ = 0;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  std::string name_;
  int machine_ = 0;
  std::optional<CodeCache> cache_;
};

}  // namespace

std::unique_ptr<Gpu> OpenCudaGpu(int64_t ordinal, const std::string& cache_folder) {
  return std::make_unique<CudaGpu>(ordinal, cache_folder);
}

}  // namespace vta::driver
