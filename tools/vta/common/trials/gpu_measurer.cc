#include "tools/vta/common/trials/gpu_measurer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "compiler/frontend/half.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "tools/vta/common/self.h"
#include "tools/vta/common/trials/gpu_trial.h"

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

/// A package's, while it lives.
class TrialFile {
 public:
  TrialFile(const std::string& folder, int64_t number, const isa::Package& package)
      : path_(StrCat(folder, "/trial-", number, ".vta")) {
    isa::WritePackage(package, path_);
  }
  ~TrialFile() {
    std::error_code gone;
    std::filesystem::remove(path_, gone);
  }
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

}  // namespace

GpuWorker::GpuWorker(std::string device, double limit_s, std::string code_folder)
    : device_(std::move(device)), limit_s_(limit_s), code_folder_(std::move(code_folder)) {
  Start();
}

void GpuWorker::Start() {
  std::vector<std::string> words = ToolWords();
  words.insert(words.end(), {"measure", "--requests", "--device", device_});
  auto process = std::make_unique<JsonProcess>(device_, std::move(words), limit_s_);
  const Json answer = process->Ask(Json().Set("do", "hello").Set("code", code_folder_));
  gpu_ = JsonReader(answer, device_).String("gpu");
  process_ = std::move(process);
}

bool GpuWorker::Runs(const std::string& format, const std::string& feature) {
  const Json answer =
      process_->Ask(Json().Set("do", "runs").Set("format", format).Set("feature", feature));
  return JsonReader(answer, device_).Bool("runs");
}

Json GpuWorker::Ask(const Json& request) {
  try {
    if (!process_) Start();
  } catch (const Error& error) {
    throw std::runtime_error(error.what());
  }
  try {
    return process_->Ask(request);
  } catch (const Error&) {
    process_ = nullptr;  // its GPU may be of no more use to it
    throw;
  }
}

GpuWorker::Answer GpuWorker::Measure(const std::string& package, const std::string& outputs) {
  const Json answer =
      Ask(Json().Set("do", "measure").Set("package", package).Set("outputs", outputs));
  JsonReader json(answer, device_);
  return {json.Int("ns", 1, INT64_MAX), json.Int("kernels", 0, INT64_MAX)};
}

void GpuWorker::Prepare(const std::string& package) {
  Ask(Json().Set("do", "prepare").Set("package", package));
}

GpuMeasurer::GpuMeasurer(const isa::GpuRow& kind, const std::string& device, double limit_s,
                         isa::Precision precision)
    : kind_(kind),
      device_(device),
      limit_s_(limit_s),
      folder_(NewTemporaryFolder("vta-trials")),
      worker_(device, limit_s, CodeFolder()) {
  for (const compiler::lower::CpuSpec& spec : GpuSpecs(kind, precision)) {
    if (!worker_.Runs(std::string(kind.format), spec.features[0])) continue;
    spec_ = spec;
    return;
  }
  throw Error("", "GPU", worker_.gpu(), "runs none of the code that is made");
}

uint64_t GpuMeasurer::Hash() const { return Hasher().Text(worker_.gpu()).value(); }

int64_t GpuMeasurer::Measure(const compiler::tune::Trial& trial) const {
  const isa::Package package =
      PackageOf(std::get<compiler::KernelCode>(trial.code), kind_, {&spec_, 1});
  Prepare(package);
  return Measure(package, trial.workload);
}

std::string GpuMeasurer::CodeFolder() const { return folder_.path() + "/code"; }

/// Of trials that have been measured since.
void GpuMeasurer::DropOldCode() const {
  namespace fs = std::filesystem;
  constexpr std::chrono::minutes kOld{30};
  if (!fs::exists(CodeFolder())) return;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& file : fs::directory_iterator(CodeFolder())) {
    std::error_code gone;
    const auto made = file.last_write_time(gone);
    if (!gone && now - made > kOld) fs::remove(file.path(), gone);
  }
}

int64_t GpuMeasurer::Jobs() {
  constexpr unsigned kMost = 8;  // each has a context in the GPU's memory
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

void GpuMeasurer::Prepare(const isa::Package& package) const {
  // A device of OpenCL's may be the processors that would prepare.
  if (kind_.format != isa::kPtxFormat) return;
  std::unique_ptr<GpuWorker> preparer;
  {
    const std::lock_guard lock(preparing_);
    if (!idle_.empty()) {
      preparer = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    const TrialFile file(folder_.path(), files_++, package);
    if (!preparer) preparer = std::make_unique<GpuWorker>(device_, limit_s_, CodeFolder());
    preparer->Prepare(file.path());
  } catch (const std::exception&) {  // it is said when the trial is measured
  }
  const std::lock_guard lock(preparing_);
  if (preparer) idle_.push_back(std::move(preparer));
}

int64_t GpuMeasurer::Measure(const isa::Package& package, const std::string& workload) const {
  const TrialFile file(folder_.path(), files_++, package);
  const std::string made = folder_.path() + "/outputs";
  const std::lock_guard lock(running_);
  DropOldCode();
  const int64_t ns = worker_.Measure(file.path(), made).ns;
  if (workload.empty()) return ns;
  std::vector<uint8_t> outputs = ReadFile(made);
  const auto [first, is_first] = outputs_.try_emplace(workload, outputs);
  const isa::ElementType type = package.tensors[package.outputs.at(0)].type;
  if (!is_first && !AreAlike(first->second, outputs, type, ShareOf(package)))
    throw Error("trial", "outputs", "", "must be those of the first trial");
  return ns;
}

}  // namespace vta::tools
