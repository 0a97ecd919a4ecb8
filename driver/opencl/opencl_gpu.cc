#include "driver/opencl/opencl_gpu.h"

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver/opencl/memory.h"
#include "driver/opencl/opencl_api.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

using namespace opencl;

/// Released with its owner.
template <typename Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, Status (*release)(Handle)) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_) release_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  Status (*release_)(Handle) = nullptr;
};

/// What is known of a device.
struct DeviceFacts {
  std::string name, language;  // "OpenCL C 1.2 ...": the number of the version alone
  uint64_t memory_bytes = 0, most_buffer_bytes = 0, local_bytes = 0;
  size_t most_threads = 0;
  bool divides_rightly = false;
};

template <typename T>
T Ask(const Api& api, DeviceHandle device, uint32_t what) {
  T value{};
  api.GetDeviceInfo(device, what, sizeof(value), &value, nullptr);
  return value;
}

std::string AskText(const Api& api, DeviceHandle device, uint32_t what) {
  std::array<char, 1024> text{};
  api.GetDeviceInfo(device, what, text.size() - 1, text.data(), nullptr);
  return text.data();
}

DeviceFacts FactsOf(const Api& api, DeviceHandle device) {
  DeviceFacts facts;
  facts.name = AskText(api, device, kDeviceName);
  const std::string language = AskText(api, device, kLanguageVersion);
  constexpr std::string_view kBefore = "OpenCL C ";
  if (language.starts_with(kBefore))
    facts.language =
        language.substr(kBefore.size(), language.find(' ', kBefore.size()) - kBefore.size());
  facts.memory_bytes = Ask<uint64_t>(api, device, kGlobalMemory);
  facts.most_buffer_bytes = Ask<uint64_t>(api, device, kMaxAllocation);
  facts.local_bytes = Ask<uint64_t>(api, device, kLocalMemory);
  facts.most_threads = Ask<size_t>(api, device, kMaxWorkGroupSize);
  facts.divides_rightly = (Ask<Bits>(api, device, kSingleFloat) & kDividesRightly) != 0;
  return facts;
}

/// A kernel with its arguments, as it is launched again and again.
struct Launched {
  Owned<Kernel> kernel;
  size_t threads = 0, threads_of_block = 0;
  std::string name;

  void Start(const Api& api, Queue queue) const {
    const Status started = api.EnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &threads,
                                                    &threads_of_block, 0, nullptr, nullptr);
    if (started != kSuccess)
      throw Error("", StrCat("kernel ", name), "",
                  StrCat("cannot be started: ", Describe(started)));
  }
};

/// Where launches go while a graph is recorded; else null.
using Recording = std::vector<Launched>*;

class OpenClModule : public GpuModule {
 public:
  OpenClModule(const Api& api, Queue queue, const Buffers& buffers, const Recording& recording,
               Owned<Program> program, const std::vector<isa::PackageKernel>& kernels,
               const std::string& place)
      : api_(api),
        queue_(queue),
        buffers_(buffers),
        recording_(recording),
        program_(std::move(program)),
        kernels_(kernels) {
    for (const isa::PackageKernel& kernel : kernels_) ready_.push_back(Make(kernel, place));
  }

  void Launch(int64_t kernel, std::span<const uint64_t> addresses) override {
    // A launch that is recorded has arguments of its own.
    Launched own;
    if (recording_) own = Make(kernels_[kernel], "");
    const Launched& launched = recording_ ? own : ready_[kernel];
    const auto set = [&](size_t index, const auto& value) {
      const Status status = api_.SetKernelArg(launched.kernel.get(), static_cast<uint32_t>(index),
                                              sizeof(value), &value);
      if (status != kSuccess)
        throw Error("", StrCat("kernel ", launched.name), "",
                    StrCat("does not take its tensors: ", Describe(status)));
    };
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Place place = buffers_.At(addresses[i], 0);
      set(2 * i, place.mem);
      set(2 * i + 1, place.offset);
    }
    if (recording_)
      recording_->push_back(std::move(own));
    else
      launched.Start(api_, queue_);
  }

  const Launched& ready(size_t kernel) const { return ready_[kernel]; }

 private:
  Launched Make(const isa::PackageKernel& kernel, const std::string& place) const {
    Status status = kSuccess;
    Owned<Kernel> made(api_.CreateKernel(program_.get(), kernel.name.c_str(), &status),
                       api_.ReleaseKernel);
    if (status != kSuccess)
      throw Error(place, "kernel", kernel.name, StrCat("is not there: ", Describe(status)));
    const auto threads = static_cast<size_t>(kernel.threads);
    return {std::move(made), static_cast<size_t>(kernel.tasks) * threads, threads, kernel.name};
  }

  const Api& api_;
  const Queue queue_;
  const Buffers& buffers_;
  const Recording& recording_;
  Owned<Program> program_;
  const std::vector<isa::PackageKernel> kernels_;
  std::vector<Launched> ready_;
};

class OpenClGraph : public GpuGraph {
 public:
  OpenClGraph(const Api& api, Queue queue, std::vector<Launched> launches)
      : api_(api), queue_(queue), launches_(std::move(launches)) {}
  void Start() override {
    for (const Launched& launched : launches_) launched.Start(api_, queue_);
    api_.Flush(queue_);
  }

 private:
  const Api& api_;
  const Queue queue_;
  const std::vector<Launched> launches_;
};

/// Errors: throws Error where there is no such device.
DeviceHandle FindDevice(const Api& api, int64_t ordinal) {
  uint32_t count = 0;
  const Status status = api.GetPlatformIDs(0, nullptr, &count);
  if (status == kNoPlatform || (status == kSuccess && count == 0))
    throw Error("", "OpenCL", "", "there is no platform: no driver of a device is installed");
  if (status != kSuccess)
    throw Error("", "OpenCL", "", StrCat("cannot be used: ", Describe(status)));
  std::vector<Platform> platforms(count);
  api.GetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<DeviceHandle> all;
  for (const Platform platform : platforms) {
    uint32_t here = 0;
    if (api.GetDeviceIDs(platform, kAllDevices, 0, nullptr, &here) != kSuccess) continue;
    std::vector<DeviceHandle> devices(here);
    if (api.GetDeviceIDs(platform, kAllDevices, here, devices.data(), nullptr) != kSuccess)
      continue;
    all.insert(all.end(), devices.begin(), devices.end());
  }
  if (ordinal >= std::ssize(all))
    throw Error("", "OpenCL device", std::to_string(ordinal), StrCat("there are ", all.size()));
  return all[static_cast<size_t>(ordinal)];
}

class OpenClGpu : public Gpu {
 public:
  explicit OpenClGpu(int64_t ordinal)
      : api_(LoadApi()),
        device_(FindDevice(api_, ordinal)),
        facts_(FactsOf(api_, device_)),
        buffers_(facts_.name) {
    Status status = kSuccess;
    context_ = {api_.CreateContext(nullptr, 1, &device_, nullptr, nullptr, &status),
                api_.ReleaseContext};
    Require(status, "cannot be opened");
    queue_ = {api_.CreateCommandQueue(context_.get(), device_, 0, &status),
              api_.ReleaseCommandQueue};
    Require(status, "has no queue");
  }

  const std::string& name() const override { return facts_.name; }

  uint64_t Allocate(int64_t bytes) override {
    const auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    Status status = kSuccess;
    Owned<Mem> mem(api_.CreateBuffer(context_.get(), kReadWrite, size, nullptr, &status),
                   api_.ReleaseMemObject);
    // Where drivers allocate what is first used, this uses it.
    const uint8_t zero = 0;
    if (status == kSuccess)
      status =
          api_.EnqueueFillBuffer(queue_.get(), mem.get(), &zero, 1, 0, size, 0, nullptr, nullptr);
    if (status == kSuccess) status = api_.Finish(queue_.get());
    if (status != kSuccess)
      throw Error(name(), "memory", Counted(bytes, "byte"),
                  StrCat("are not to be had: of ", facts_.memory_bytes, ", ",
                         facts_.most_buffer_bytes, " at once: ", Describe(status)));
    const uint64_t address = buffers_.Add(mem.get(), bytes);
    mems_.emplace(address, std::move(mem));
    return address;
  }
  void Free(uint64_t address) override {
    buffers_.Remove(address);
    mems_.erase(address);
  }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return;
    const Place place = buffers_.At(address, bytes.size());
    Require(api_.EnqueueWriteBuffer(queue_.get(), place.mem, kTrue, place.offset, bytes.size(),
                                    bytes.data(), 0, nullptr, nullptr),
            "a copy to it failed");
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return;
    const Place place = buffers_.At(address, bytes.size());
    Require(api_.EnqueueReadBuffer(queue_.get(), place.mem, kTrue, place.offset, bytes.size(),
                                   bytes.data(), 0, nullptr, nullptr),
            "a copy from it failed");
  }

  std::unique_ptr<GpuModule> Load(const isa::Package& package, const std::string& file) override {
    std::string have;
    for (size_t i = 0; i < package.modules.size(); ++i) {
      const isa::PackageModule& module = package.modules[i];
      have += StrCat(i > 0 ? ", " : "", module.format, " for ", module.features[0]);
      if (module.format != isa::kOpenClFormat || !Compiles(module.features[0])) continue;
      const std::string place = StrCat(file, ": modules[", i, "]");
      for (const isa::PackageKernel& kernel : package.kernels) RequireFits(kernel, place);
      auto loaded = std::make_unique<OpenClModule>(api_, queue_.get(), buffers_, recording_,
                                                   Build(module, place), package.kernels, place);
      for (size_t k = 0; k < package.kernels.size(); ++k)
        RequireRuns(package.kernels[k], loaded->ready(k).kernel.get(), place);
      return loaded;
    }
    throw Error(file, "modules", have,
                StrCat(name(), " compiles OpenCL C ", facts_.language, ", and runs none of them"));
  }

  std::unique_ptr<GpuGraph> Record(const std::function<void()>& launches) override {
    std::vector<Launched> recorded;
    recording_ = &recorded;
    try {
      launches();
    } catch (const Error&) {
      recording_ = nullptr;
      throw;
    }
    recording_ = nullptr;
    return std::make_unique<OpenClGraph>(api_, queue_.get(), std::move(recorded));
  }

  bool Wait(std::chrono::nanoseconds limit) override {
    Event marker = nullptr;
    Require(api_.EnqueueMarker(queue_.get(), 0, nullptr, &marker), "a kernel failed");
    const Owned<Event> owned(marker, api_.ReleaseEvent);
    Require(api_.Flush(queue_.get()), "a kernel failed");
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
      if (std::chrono::steady_clock::now() - start >= limit) return false;
      std::this_thread::yield();
    }
  }

 private:
  /// Whether it takes a version of OpenCL C: "1.2".
  bool Compiles(const std::string& least) const {
    const auto number = [](const std::string& version) {
      const size_t dot = version.find('.');
      return dot == std::string::npos
                 ? 0
                 : 100 * std::atoi(version.c_str()) + std::atoi(version.c_str() + dot + 1);
    };
    return number(facts_.language) >= number(least);
  }

  Owned<Program> Build(const isa::PackageModule& module, const std::string& place) const {
    const char* text = reinterpret_cast<const char*>(module.code.data());
    const size_t bytes = module.code.size();
    Status status = kSuccess;
    Owned<Program> program(api_.CreateProgramWithSource(context_.get(), 1, &text, &bytes, &status),
                           api_.ReleaseProgram);
    if (status == kSuccess) {
      const std::string options = StrCat(
          "-cl-std=CL1.2", facts_.divides_rightly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
      status = api_.BuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    }
    if (status == kSuccess) return program;
    const std::string first = program.get() ? FirstOfLog(program.get()) : "";
    throw Error(place, "code", "",
                StrCat("the driver of ", name(), " does not take it: ", Describe(status),
                       first.empty() ? "" : ": " + first));
  }

  /// The first line that tells of an error, or else the first that says something.
  std::string FirstOfLog(Program program) const {
    size_t bytes = 0;
    if (api_.GetProgramBuildInfo(program, device_, kBuildLog, 0, nullptr, &bytes) != kSuccess)
      return "";
    std::string log(bytes, '\0');
    api_.GetProgramBuildInfo(program, device_, kBuildLog, bytes, log.data(), nullptr);
    std::string first;
    for (size_t at = 0; at < log.size();) {
      const size_t end = std::min(log.find_first_of(std::string_view("\n\r\0", 3), at), log.size());
      const std::string line = log.substr(at, end - at);
      if (line.find("error: ") != std::string::npos) return line;
      if (first.empty()) first = line;
      at = end + 1;
    }
    return first;
  }

  void RequireFits(const isa::PackageKernel& kernel, const std::string& place) const {
    if (static_cast<size_t>(kernel.threads) > facts_.most_threads)
      throw Error(place, StrCat("kernel ", kernel.name), Counted(kernel.threads, "thread"),
                  StrCat("a work-group of ", name(), " has at most ", facts_.most_threads));
  }
  /// The same of a compiled one, which may need more than others do.
  void RequireRuns(const isa::PackageKernel& kernel, Kernel compiled,
                   const std::string& place) const {
    size_t threads = 0;
    uint64_t local_bytes = 0;
    api_.GetKernelWorkGroupInfo(compiled, device_, kKernelWorkGroupSize, sizeof(threads), &threads,
                                nullptr);
    api_.GetKernelWorkGroupInfo(compiled, device_, kKernelLocalMemory, sizeof(local_bytes),
                                &local_bytes, nullptr);
    if (static_cast<size_t>(kernel.threads) > threads)
      throw Error(place, StrCat("kernel ", kernel.name), Counted(kernel.threads, "thread"),
                  StrCat(name(), " runs it with at most ", threads));
    if (local_bytes > facts_.local_bytes)
      throw Error(place, StrCat("kernel ", kernel.name),
                  StrCat(local_bytes, " bytes of local memory"),
                  StrCat(name(), " has ", facts_.local_bytes));
  }

  void Require(Status status, const char* rule) const {
    if (status != kSuccess)
      throw Error("", "OpenCL device", name(), StrCat(rule, ": ", Describe(status)));
  }

  const Api& api_;
  const DeviceHandle device_;
  const DeviceFacts facts_;
  Buffers buffers_;
  Owned<ContextHandle> context_;
  Owned<Queue> queue_;
  std::map<uint64_t, Owned<Mem>> mems_;  // by their addresses
  Recording recording_ = nullptr;
};

}  // namespace

std::unique_ptr<Gpu> OpenOpenClGpu(int64_t ordinal) { return std::make_unique<OpenClGpu>(ordinal); }

}  // namespace vta::driver
