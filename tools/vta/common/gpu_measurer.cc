#include "tools/vta/common/gpu_measurer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "compiler/frontend/half.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "tools/vta/common/gpu_trial.h"
#include "tools/vta/common/self.h"

namespace vta::tools {
namespace {

/// Floats, or 16-bit numbers, of a trial's output.
std::vector<float> RealsOf(const std::vector<uint8_t>& bytes, isa::ElementType type) {
  std::vector<float> reals;
  if (type == isa::ElementType::kFloat32) {
    reals.resize(bytes.size() / sizeof(float));
    std::memcpy(reals.data(), bytes.data(), reals.size() * sizeof(float));
    return reals;
  }
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2)
    reals.push_back(compiler::FromHalf(static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8)));
  return reals;
}

/// How far apart outputs in float may be, as a share of the largest: by another order of sums, or
/// by factors that have fewer bits, in some tiles.
float ShareOf(const isa::Package& package) {
  return package.modules.at(0).precision == isa::Precision::kFp32 ? 1e-4F : 1e-2F;
}

/// Whether numbers are no farther from each other than that; what is no number, or has no end, is
/// alike only itself.
bool AreAlike(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, isa::ElementType type,
              float share) {
  const bool real = type == isa::ElementType::kFloat32 || type == isa::ElementType::kInt16;
  if (!real || a.size() != b.size()) return a == b;
  const std::vector<float> xs = RealsOf(a, type), ys = RealsOf(b, type);
  float most = 0;
  for (const float x : xs)
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  for (size_t i = 0; i < xs.size(); ++i) {
    const float x = xs[i], y = ys[i];
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (!same && !(std::abs(x - y) <= share * most)) return false;
  }
  return true;
}

}  // namespace

GpuWorker::GpuWorker(std::string device, double limit_s)
    : device_(std::move(device)), limit_s_(limit_s) {
  Start();
}

void GpuWorker::Start() {
  std::vector<std::string> words = ToolWords();
  words.insert(words.end(), {"measure", "--requests", "--device", device_});
  auto process = std::make_unique<JsonProcess>(device_, std::move(words), limit_s_);
  const Json answer = process->Ask(Json().Set("do", "hello"));
  gpu_ = JsonReader(answer, device_).String("gpu");
  process_ = std::move(process);
}

bool GpuWorker::Runs(const std::string& format, const std::string& feature) {
  const Json answer =
      process_->Ask(Json().Set("do", "runs").Set("format", format).Set("feature", feature));
  return JsonReader(answer, device_).Bool("runs");
}

GpuWorker::Answer GpuWorker::Measure(const std::string& package, const std::string& outputs) {
  try {
    if (!process_) Start();
  } catch (const Error& error) {
    throw std::runtime_error(error.what());
  }
  try {
    const Json answer =
        process_->Ask(Json().Set("do", "measure").Set("package", package).Set("outputs", outputs));
    JsonReader json(answer, device_);
    return {json.Int("ns", 1, INT64_MAX), json.Int("kernels", 0, INT64_MAX)};
  } catch (const Error&) {
    process_ = nullptr;  // its GPU may be of no more use to it
    throw;
  }
}

GpuMeasurer::GpuMeasurer(const isa::GpuRow& kind, const std::string& device, double limit_s,
                         isa::Precision precision)
    : kind_(kind), worker_(device, limit_s), folder_(NewTemporaryFolder("vta-trials")) {
  for (const compiler::lower::CpuSpec& spec : GpuSpecs(kind, precision)) {
    if (!worker_.Runs(std::string(kind.format), spec.features[0])) continue;
    spec_ = spec;
    return;
  }
  throw Error("", "GPU", worker_.gpu(), "runs none of the code that is made");
}

uint64_t GpuMeasurer::Hash() const { return Hasher().Text(worker_.gpu()).value(); }

int64_t GpuMeasurer::Measure(const compiler::tune::Trial& trial) const {
  return Measure(PackageOf(std::get<compiler::KernelCode>(trial.code), kind_, {&spec_, 1}),
                 trial.workload);
}

int64_t GpuMeasurer::Measure(const isa::Package& package, const std::string& workload) const {
  const std::lock_guard lock(running_);
  const std::string file = folder_.path() + "/trial.vta", made = folder_.path() + "/outputs";
  isa::WritePackage(package, file);
  const int64_t ns = worker_.Measure(file, made).ns;
  if (workload.empty()) return ns;
  std::vector<uint8_t> outputs = ReadFile(made);
  const auto [first, is_first] = outputs_.try_emplace(workload, outputs);
  const isa::ElementType type = package.tensors[package.outputs.at(0)].type;
  if (!is_first && !AreAlike(first->second, outputs, type, ShareOf(package)))
    throw Error("trial", "outputs", "", "must be those of the first trial");
  return ns;
}

}  // namespace vta::tools
