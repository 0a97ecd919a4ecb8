#include "tools/vta/common/trials/cycle_measurer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <variant>

#include "isa/spec/instructions.h"
#include "isa/support/error.h"
#include "sim/cycle/core/core.h"

namespace vta::tools {

namespace {

/// Bytes that are 0 until they are written, and only then take memory: what a program moves is not
/// looked at, however much it is.
class ZeroPages {
 public:
  ZeroPages() = default;
  ~ZeroPages() { Release(); }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;

  /// Errors: throws Error where there is no room.
  std::span<uint8_t> First(size_t bytes) {
    if (bytes > bytes_) {
      Release();
      void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (data == MAP_FAILED) throw Error("trial", "memory", StrCat(bytes), std::strerror(errno));
      data_ = static_cast<uint8_t*>(data), bytes_ = bytes;
    }
    return {data_, bytes};
  }

 private:
  void Release() {
    if (data_) munmap(data_, bytes_);
    data_ = nullptr, bytes_ = 0;
  }

  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace

struct CycleMeasurer::Bench {
  explicit Bench(const isa::Config& config) : core(config) {}
  sim::cycle::Core core;
  ZeroPages dram;
};

CycleMeasurer::CycleMeasurer(isa::Config config) : config_(std::move(config)) {
  idle_.push_back(std::make_unique<Bench>(config_));
}

CycleMeasurer::~CycleMeasurer() = default;

std::unique_ptr<CycleMeasurer::Bench> CycleMeasurer::Take() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Bench>(config_);
  std::unique_ptr<Bench> bench = std::move(idle_.back());
  idle_.pop_back();
  return bench;
}

int64_t CycleMeasurer::Measure(const compiler::tune::Trial& trial) const {
  constexpr int64_t kPage = 4096;
  const auto& program = std::get<compiler::ProgramCode>(trial.code);
  const std::vector<uint8_t>&code = program.code, &constants = program.constants;
  std::unique_ptr<Bench> bench = Take();
  const auto on_pages = [](int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; };
  const int64_t begin = on_pages(trial.arena_bytes);
  // Fetch reads whole beats, past the last instruction.
  const auto end = static_cast<size_t>(on_pages(begin + std::ssize(code)));
  const std::span<uint8_t> dram = bench->dram.First(end);
  std::copy(constants.begin(), constants.end(), dram.begin() + trial.constants_at);
  std::copy(code.begin(), code.end(), dram.begin() + begin);
  isa::LaunchRequest request;
  request.instruction_address = static_cast<uint64_t>(begin);
  request.instruction_count = std::ssize(code) / isa::kInstructionBytes;
  const isa::LaunchResult result = bench->core.Run(request, dram);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(bench));
  }
  if (result.outcome != isa::Outcome::kFinished)
    throw Error("trial", "outcome", std::string(isa::OutcomeName(result.outcome)),
                "must be finished");
  return result.counters.time.value().cycles;
}

}  // namespace vta::tools
