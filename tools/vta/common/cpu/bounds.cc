#include "tools/vta/common/cpu/bounds.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/cpu/peak.h"

namespace vta::tools {
namespace {

constexpr char kBoundsFile[] = "cpu_bounds.json";
constexpr double kMostRate = 1e9;

/// The best of many copies between two halves of so many bytes, each a few times over.
double CopiedGbPerS(int64_t bytes) {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kLeastBytes = 1 << 20, kEnoughBytes = int64_t{1} << 30;
  const int64_t half = bytes / 2, times = std::max<int64_t>(kLeastBytes / half, 1);
  std::vector<uint8_t> from(half, 1), to(half, 2);
  double best_ns = std::numeric_limits<double>::infinity();
  for (int64_t copied = 0; copied < kEnoughBytes; copied += times * half) {
    const auto begin = Clock::now();
    for (int64_t i = 0; i < times; ++i) {
      std::memcpy(to.data(), from.data(), static_cast<size_t>(half));
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    best_ns = std::min(best_ns, time.count());
  }
  return static_cast<double>(2 * times * half) / best_ns;
}

/// What the system says, or a size that any has.
int64_t SizeOf(int name, int64_t otherwise) {
  const int64_t bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

int64_t L1Bytes() { return SizeOf(_SC_LEVEL1_DCACHE_SIZE, 32 << 10); }

}  // namespace

double LeastNs(const CpuBounds& bounds, const isa::WorkCounts& work, int64_t bytes, int64_t cores) {
  // A multiplication and an addition each; of a function at least a polynomial and what prepares
  // it.
  constexpr double kOfProduct = 2, kOfFunction = 20;
  const auto count = [&](isa::WorkKind kind) {
    return static_cast<double>(work[static_cast<size_t>(kind)]);
  };
  const double most_gops = std::max(bounds.float_gops, bounds.code_gops);
  const double computing =
      bounds.float_gops > 0 && bounds.code_gops > 0
          ? kOfProduct * count(isa::WorkKind::kFloatProducts) / bounds.float_gops +
                kOfProduct * count(isa::WorkKind::kCodeProducts) / bounds.code_gops +
                (kOfProduct * count(isa::WorkKind::kChannelProducts) +
                 count(isa::WorkKind::kElements)) /
                    most_gops +
                kOfFunction * count(isa::WorkKind::kFunctions) / bounds.float_gops
          : 0;
  const auto level = std::ranges::find_if(
      bounds.levels, [&](const CpuBounds::Level& one) { return one.bytes >= bytes; });
  const CpuBounds::Level& holds = level == bounds.levels.end() ? bounds.levels.back() : *level;
  return std::max(computing, static_cast<double>(bytes) / holds.gb_per_s) /
         static_cast<double>(std::max<int64_t>(cores, 1));
}

CpuBounds MeasureCpuBounds(const std::string& cpu) {
  constexpr int64_t kDramBytes = 64 << 20;
  const std::vector<CpuPeak> peaks = MeasureCpuPeaks();
  CpuBounds bounds{cpu, BestGops(peaks, false), BestGops(peaks, true), {}};
  const int64_t l1 = L1Bytes(), l2 = SizeOf(_SC_LEVEL2_CACHE_SIZE, 256 << 10);
  bounds.levels = {{"L1", l1, CopiedGbPerS(l1 / 2)},
                   {"L2", l2, CopiedGbPerS(l2 / 2)},
                   {"DRAM", std::numeric_limits<int64_t>::max(), CopiedGbPerS(kDramBytes)}};
  // What is further away is not faster: others on the machine may have been in the way.
  for (size_t i = bounds.levels.size() - 1; i-- > 0;)
    bounds.levels[i].gb_per_s = std::max(bounds.levels[i].gb_per_s, bounds.levels[i + 1].gb_per_s);
  return bounds;
}

Json ToJson(const CpuBounds& bounds) {
  Json::Array levels;
  for (const CpuBounds::Level& level : bounds.levels)
    levels.push_back(
        Json().Set("name", level.name).Set("bytes", level.bytes).Set("gb_per_s", level.gb_per_s));
  return Json()
      .Set("cpu", bounds.cpu)
      .Set("float_gops", bounds.float_gops)
      .Set("code_gops", bounds.code_gops)
      .Set("levels", std::move(levels));
}

CpuBounds ReadCpuBounds(const Json& json, const std::string& file) {
  JsonReader reader(json, file);
  const auto rate = [&](JsonReader& from, const char* key, bool may_be_0) {
    const double value = from.Double(key);
    if (!(value <= kMostRate) || value < 0 || (value == 0 && !may_be_0))
      throw from.Fail(key, "must be a rate");
    return value;
  };
  CpuBounds bounds{
      reader.String("cpu"), rate(reader, "float_gops", true), rate(reader, "code_gops", true), {}};
  for (const Json& one : reader.Array("levels")) {
    JsonReader level(one, file, "levels");
    bounds.levels.push_back({level.String("name"),
                             level.Int("bytes", 1, std::numeric_limits<int64_t>::max()),
                             rate(level, "gb_per_s", false)});
    level.Finish();
  }
  if (bounds.levels.empty()) throw reader.Fail("levels", "must not be empty");
  reader.Finish();
  return bounds;
}

CpuBounds BoundsOfThisCpu(const std::string& folder) {
  const std::string path = StrCat(folder, "/", kBoundsFile), cpu = ThisCpu().name;
  try {
    const auto bytes = ReadFile(path);
    const CpuBounds kept =
        ReadCpuBounds(Json::Parse(std::string(bytes.begin(), bytes.end()), path), path);
    if (kept.cpu == cpu && kept.levels[0].bytes == L1Bytes()) return kept;
  } catch (const Error&) {  // nothing is kept, or not as we keep it
  }
  const CpuBounds measured = MeasureCpuBounds(cpu);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  try {
    WriteFileAtomically(path, ToJson(measured).Dump() + "\n");
  } catch (const Error&) {  // it is measured again the next time
  }
  return measured;
}

}  // namespace vta::tools
