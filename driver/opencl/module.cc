#include "driver/opencl/module.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver::opencl {
namespace {

/// The first line that tells of an error, or else the first that says something.
std::string FirstOfLog(const Opened& opened, Program program) {
  const auto ask = [&](size_t room, void* value, size_t* bytes) {
    return opened.api.GetProgramBuildInfo(program, opened.device, kBuildLog, room, value, bytes);
  };
  size_t bytes = 0;
  if (ask(0, nullptr, &bytes) != kSuccess) return "";
  std::string log(bytes, '\0'), first;
  if (ask(bytes, log.data(), nullptr) != kSuccess) return "";
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find_first_of(std::string_view("\n\r\0", 3), at), log.size());
    const std::string line = log.substr(at, end - at);
    if (line.find("error: ") != std::string::npos) return line;
    if (first.empty()) first = line;
    at = end + 1;
  }
  return first;
}

Status BuildIn(const Opened& opened, Program program) {
  return opened.api.BuildProgram(program, 1, &opened.device, OptionsFor(opened.facts).c_str(),
                                 nullptr, nullptr);
}

/// What was kept of the module, ready to run; nothing where the driver does not take it any more.
Owned<Program> BuildKept(const Opened& opened, const isa::PackageModule& module) {
  const auto kept = opened.cache.Find(module.code);
  if (!kept) return {};
  const unsigned char* binary = kept->data();
  const size_t bytes = kept->size();
  Status taken = kSuccess, status = kSuccess;
  Owned<Program> program(opened.api.CreateProgramWithBinary(opened.context.get(), 1, &opened.device,
                                                            &bytes, &binary, &taken, &status),
                         opened.api.ReleaseProgram);
  if (status != kSuccess || taken != kSuccess || BuildIn(opened, program.get()) != kSuccess)
    return {};
  return program;
}

void Keep(const Opened& opened, const isa::PackageModule& module, Program program) {
  size_t bytes = 0;
  if (opened.api.GetProgramInfo(program, kBinarySizes, sizeof(bytes), &bytes, nullptr) != kSuccess)
    return;
  std::vector<unsigned char> binary(bytes);
  unsigned char* to = binary.data();
  if (opened.api.GetProgramInfo(program, kBinaries, sizeof(to), &to, nullptr) == kSuccess)
    opened.cache.Keep(module.code, binary);
}

Owned<Program> Build(const Opened& opened, const isa::PackageModule& module,
                     const std::string& place) {
  const char* text = reinterpret_cast<const char*>(module.code.data());
  const size_t bytes = module.code.size();
  Status status = kSuccess;
  Owned<Program> program(
      opened.api.CreateProgramWithSource(opened.context.get(), 1, &text, &bytes, &status),
      opened.api.ReleaseProgram);
  if (status == kSuccess) status = BuildIn(opened, program.get());
  if (status == kSuccess) return program;
  const std::string first = program.get() ? FirstOfLog(opened, program.get()) : "";
  throw Error(place, "code", "",
              StrCat("the driver of ", opened.facts.name, " does not take it: ", Describe(status),
                     first.empty() ? "" : ": " + first));
}

void RequireThreads(const isa::PackageKernel& kernel, size_t most, const std::string& place,
                    const std::string& rule) {
  if (static_cast<uint64_t>(kernel.threads) > most)
    throw Error(place, StrCat("kernel ", kernel.name), Counted(kernel.threads, "thread"),
                StrCat(rule, most));
}

/// A compiled one may need more than others do.
void RequireRuns(const Opened& opened, const isa::PackageKernel& kernel, Kernel compiled,
                 const std::string& place) {
  size_t threads = 0;
  uint64_t local_bytes = 0;
  const auto ask = [&](uint32_t what, size_t room, void* value) {
    opened.api.GetKernelWorkGroupInfo(compiled, opened.device, what, room, value, nullptr);
  };
  ask(kKernelWorkGroupSize, sizeof(threads), &threads);
  ask(kKernelLocalMemory, sizeof(local_bytes), &local_bytes);
  RequireThreads(kernel, threads, place, StrCat(opened.facts.name, " runs it with at most "));
  if (local_bytes > opened.facts.local_bytes)
    throw Error(place, StrCat("kernel ", kernel.name),
                StrCat(local_bytes, " bytes of local memory"),
                StrCat(opened.facts.name, " has ", opened.facts.local_bytes));
}

class OpenClModule : public GpuModule {
 public:
  OpenClModule(const Opened& opened, Owned<Program> program,
               const std::vector<isa::PackageKernel>& kernels, const std::string& place,
               bool is_from_cache)
      : opened_(opened),
        program_(std::move(program)),
        kernels_(kernels),
        is_from_cache_(is_from_cache) {
    for (const isa::PackageKernel& kernel : kernels_) {
      if (!kernel.IsForGpu()) {
        ready_.emplace_back();
        continue;
      }
      ready_.push_back(Make(kernel, place));
      RequireRuns(opened, kernel, ready_.back().kernel.get(), place);
    }
  }

  bool is_from_cache() const override { return is_from_cache_; }

  void Launch(int64_t kernel, std::span<const uint64_t> addresses) override {
    // A launch that is recorded has arguments of its own.
    Launched own;
    if (opened_.recording) own = Make(kernels_[kernel], "");
    const Launched& launched = opened_.recording ? own : ready_[kernel];
    const auto set = [&](size_t index, const auto& value) {
      const Status status = opened_.api.SetKernelArg(
          launched.kernel.get(), static_cast<uint32_t>(index), sizeof(value), &value);
      if (status != kSuccess)
        throw Error("", StrCat("kernel ", launched.name), "",
                    StrCat("does not take its tensors: ", Describe(status)));
    };
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Place place = opened_.buffers.At(addresses[i], 0);
      set(2 * i, place.mem);
      set(2 * i + 1, place.offset);
    }
    if (opened_.recording)
      opened_.recording->push_back(std::move(own));
    else
      launched.Start(opened_.api, opened_.queue.get());
  }

 private:
  Launched Make(const isa::PackageKernel& kernel, const std::string& place) const {
    Status status = kSuccess;
    Owned<Kernel> made(opened_.api.CreateKernel(program_.get(), kernel.name.c_str(), &status),
                       opened_.api.ReleaseKernel);
    if (status != kSuccess)
      throw Error(place, "kernel", kernel.name, StrCat("is not there: ", Describe(status)));
    const auto threads = static_cast<size_t>(kernel.threads);
    return {std::move(made), static_cast<size_t>(kernel.tasks) * threads, threads, kernel.name};
  }

  const Opened& opened_;
  Owned<Program> program_;
  const std::vector<isa::PackageKernel> kernels_;
  const bool is_from_cache_;
  std::vector<Launched> ready_;  // of each kernel of the package; of those of CPUs nothing
};

class OpenClGraph : public GpuGraph {
 public:
  OpenClGraph(const Opened& opened, std::vector<Launched> launches)
      : opened_(opened), launches_(std::move(launches)) {}
  void Start() override {
    for (const Launched& launched : launches_) launched.Start(opened_.api, opened_.queue.get());
  }

 private:
  const Opened& opened_;
  const std::vector<Launched> launches_;
};

}  // namespace

std::string OptionsFor(const DeviceFacts& facts) {
  return StrCat("-cl-std=CL1.2",
                facts.divides_rightly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

void Launched::Start(const Api& api, Queue queue) const {
  const Status started = api.EnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &threads,
                                                  &threads_of_block, 0, nullptr, nullptr);
  if (started != kSuccess)
    throw Error("", StrCat("kernel ", name), "", StrCat("cannot be started: ", Describe(started)));
}

std::unique_ptr<GpuModule> LoadModule(const Opened& opened, const isa::PackageModule& module,
                                      const std::vector<isa::PackageKernel>& kernels,
                                      const std::string& place) {
  for (const isa::PackageKernel& kernel : kernels)
    RequireThreads(kernel, opened.facts.most_threads, place,
                   StrCat("a work-group of ", opened.facts.name, " has at most "));
  Owned<Program> program = BuildKept(opened, module);
  const bool is_from_cache = program.get() != nullptr;
  if (!is_from_cache) {
    program = Build(opened, module, place);
    Keep(opened, module, program.get());
  }
  return std::make_unique<OpenClModule>(opened, std::move(program), kernels, place, is_from_cache);
}

std::unique_ptr<GpuGraph> MakeGraph(const Opened& opened, std::vector<Launched> launches) {
  return std::make_unique<OpenClGraph>(opened, std::move(launches));
}

}  // namespace vta::driver::opencl
