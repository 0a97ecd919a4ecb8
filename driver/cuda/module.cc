#include "driver/cuda/module.h"

#include <array>
#include <optional>
#include <utility>

#include "isa/support/error.h"

namespace vta::driver::cuda {
namespace {

/// What the driver makes of PTX.
std::vector<uint8_t> Link(const Api& api, const isa::PackageModule& module,
                          const std::string& place) {
  std::string text(module.code.begin(), module.code.end());
  std::array<char, 4096> log{};
  int names[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  LinkState state = nullptr;
  void* image = nullptr;
  size_t bytes = 0;
  Result made = api.LinkCreate(std::size(names), names, values, &state);
  if (made == kSuccess)
    made = api.LinkAddData(state, kPtxInput, text.data(), text.size() + 1, "module", 0, nullptr,
                           nullptr);
  if (made == kSuccess) made = api.LinkComplete(state, &image, &bytes);
  std::vector<uint8_t> code;
  if (made == kSuccess)
    code.assign(static_cast<uint8_t*>(image), static_cast<uint8_t*>(image) + bytes);
  if (state) api.LinkDestroy(state);
  if (made == kSuccess) return code;
  const std::string first = std::string(log.data()).substr(0, std::string(log.data()).find('\n'));
  throw Error(place, "code", "",
              StrCat("the driver does not take it: ", api.Describe(made),
                     first.empty() ? "" : ": " + first));
}

class CudaModule : public GpuModule {
 public:
  /// Takes the module.
  CudaModule(const Api& api, Stream stream, Module module, bool is_from_cache,
             const std::vector<isa::PackageKernel>& kernels, const std::string& place)
      : api_(api),
        stream_(stream),
        module_(module),
        is_from_cache_(is_from_cache),
        kernels_(kernels) {
    for (const isa::PackageKernel& kernel : kernels_) {
      Function& function = functions_.emplace_back();
      if (!kernel.IsForGpu()) continue;
      const Result found = api.ModuleGetFunction(&function, module_, kernel.name.c_str());
      if (found != kSuccess) {
        api.ModuleUnload(module_);
        throw Error(place, "kernel", kernel.name, StrCat("is not there: ", api.Describe(found)));
      }
      if (kernel.shared_bytes == 0) continue;
      const Result given = api.FuncSetAttribute(function, kMostDynamicSharedBytes,
                                                static_cast<int>(kernel.shared_bytes));
      if (given != kSuccess) {
        api.ModuleUnload(module_);
        throw Error(place, StrCat("kernel ", kernel.name, ": shared memory"),
                    StrCat(kernel.shared_bytes, " bytes"),
                    StrCat("is more than the GPU gives a block: ", api.Describe(given)));
      }
    }
  }
  ~CudaModule() override { api_.ModuleUnload(module_); }

  bool is_from_cache() const override { return is_from_cache_; }

  void Launch(int64_t kernel, std::span<const uint64_t> addresses) override {
    parameters_.clear();
    for (const uint64_t& address : addresses)
      parameters_.push_back(const_cast<uint64_t*>(&address));
    const isa::PackageKernel& k = kernels_[kernel];
    const Result started = api_.LaunchKernel(
        functions_[kernel], static_cast<unsigned>(k.tasks), 1, 1, static_cast<unsigned>(k.threads),
        1, 1, static_cast<unsigned>(k.shared_bytes), stream_, parameters_.data(), nullptr);
    if (started != kSuccess)
      throw Error("", StrCat("kernel ", k.name), "",
                  StrCat("cannot be started: ", api_.Describe(started)));
  }

 private:
  const Api& api_;
  const Stream stream_;
  const Module module_;
  const bool is_from_cache_;
  const std::vector<isa::PackageKernel> kernels_;
  std::vector<Function> functions_;  // of each kernel of the package; null of those of CPUs
  std::vector<void*> parameters_;
};

}  // namespace

std::unique_ptr<GpuModule> LoadModule(const Api& api, Stream stream, const CodeCache& cache,
                                      const std::vector<isa::PackageKernel>& kernels,
                                      const isa::PackageModule& module, const std::string& place) {
  Module loaded = nullptr;
  const auto load = [&](const std::vector<uint8_t>& code) {
    return api.ModuleLoadDataEx(&loaded, code.data(), 0, nullptr, nullptr);
  };
  const std::optional<std::vector<uint8_t>> kept = cache.Find(module.code);
  const bool is_from_cache = kept && load(*kept) == kSuccess;
  if (!is_from_cache) {
    const std::vector<uint8_t> code = Link(api, module, place);
    if (const Result result = load(code); result != kSuccess)
      throw Error(place, "code", "", StrCat("the driver does not take it: ", api.Describe(result)));
    cache.Keep(module.code, code);
  }
  return std::make_unique<CudaModule>(api, stream, loaded, is_from_cache, kernels, place);
}

}  // namespace vta::driver::cuda
