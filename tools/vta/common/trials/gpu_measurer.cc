#include "tools/vta/common/trials/gpu_measurer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>
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
  return Measure(PackageOf(std::get<compiler::KernelCode>(trial.code), kind_, {&spec_, 1}),
                 trial.workload);
}

std::string GpuMeasurer::CodeFolder() const { return folder_.path() + "/code"; }

/// Of trials that have been measured since.
void GpuMeasurer::DropOldCode() const {
  namespace fs = std::filesystem;
  constexpr std::chrono::minutes kOld{5};
  if (!fs::exists(CodeFolder())) return;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& file : fs::directory_iterator(CodeFolder())) {
    std::error_code gone;
    const auto made = file.last_write_time(gone);
    if (!gone && now - made > kOld) fs::remove(file.path(), gone);
  }
}

std::string GpuMeasurer::FileOf(const isa::Package& package) const {
  std::string file = StrCat(folder_.path(), "/trial-", files_++, ".vta");
  isa::WritePackage(package, file);
  return file;
}

void GpuMeasurer::Prepare(const std::string& file) const {
  constexpr int64_t kMost = 8;  // each has a context in the GPU's memory
  // A device of OpenCL's may be the processors that would prepare.
  if (kind_.format != isa::kPtxFormat) return;
  std::unique_ptr<GpuWorker> preparer;
  {
    const std::lock_guard lock(preparing_);
    if (!idle_.empty()) {
      preparer = std::move(idle_.back());
      idle_.pop_back();
    } else if (preparers_ == kMost) {
      return;
    } else {
      ++preparers_;
    }
  }
  try {
    if (!preparer) preparer = std::make_unique<GpuWorker>(device_, limit_s_, CodeFolder());
    preparer->Prepare(file);
  } catch (const std::exception&) {  // it is said when the trial is measured
  }
  const std::lock_guard lock(preparing_);
  if (preparer)
    idle_.push_back(std::move(preparer));
  else
    --preparers_;
}

void GpuMeasurer::Prepare(const isa::Package& package) const {
  const std::string file = FileOf(package);
  Prepare(file);
  std::filesystem::remove(file);
}

int64_t GpuMeasurer::Measure(const isa::Package& package, const std::string& workload) const {
  const std::string file = FileOf(package), made = folder_.path() + "/outputs";
  Prepare(file);
  const std::lock_guard lock(running_);
  const int64_t ns = worker_.Measure(file, made).ns;
  std::filesystem::remove(file);
  DropOldCode();
  if (workload.empty()) return ns;
  std::vector<uint8_t> outputs = ReadFile(made);
  const auto [first, is_first] = outputs_.try_emplace(workload, outputs);
  const isa::ElementType type = package.tensors[package.outputs.at(0)].type;
  if (!is_first && !AreAlike(first->second, outputs, type, ShareOf(package)))
    throw Error("trial", "outputs", "", "must be those of the first trial");
  return ns;
}

}  // namespace vta::tools
