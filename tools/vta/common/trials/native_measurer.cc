#include "tools/vta/common/trials/native_measurer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "compiler/native_code.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"
#include "runtime/aligned_memory.h"
#include "runtime/elf/module.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr int64_t kMostBytes = int64_t{8} << 30;  // of a kernel's memory
constexpr nanoseconds kLeast{2'000'000};          // of a time that counts
constexpr size_t kTimes = 7;

struct Result {
  int64_t ns = 0;
  uint64_t outputs = 0;
};

/// A kernel, its memory, and inputs that are the same for the same parameters.
class Bench {
 public:
  Bench(const compiler::KernelCode& code, const compiler::lower::CpuSpec& cpu)
      : kernel_(compiler::lower::PlanKernel(code.functions.at(0))),
        module_({.format = std::string(isa::kElfFormat),
                 .arch = cpu.arch,
                 .features = cpu.features,
                 .code = compiler::BuildModule({&kernel_, 1}, cpu, false).code},
                std::vector{Described()}, "trial"),
        workspace_(Memory(kernel_.workspace_bytes)) {
    std::mt19937 random(1);
    const std::vector<compiler::loop::Buffer>& params = kernel_.function.params;
    for (size_t i = 0; i < params.size(); ++i) {
      memory_.push_back(Memory(compiler::lower::SizeBytes(*params[i])));
      tensors_.push_back(memory_.back().data());
      const auto* const constant =
          i < code.inputs.size() ? std::get_if<compiler::KernelConstant>(&code.inputs[i]) : nullptr;
      if (constant)
        std::copy_n(constant->tensor.bytes().data(), constant->tensor.bytes().size(),
                    memory_.back().data());
      else
        Fill(*params[i], random, memory_.back().data());
    }
  }

  /// In the process that measures.
  Result Run() const {
    Result result;
    Once();
    result.outputs = Hasher().Bytes(memory_.back().bytes()).value();
    int64_t repeats = 1;
    for (nanoseconds time = Time(repeats); time < kLeast; time = Time(repeats)) repeats *= 2;
    std::array<int64_t, kTimes> times;
    for (int64_t& time : times) time = Time(repeats).count() / repeats;
    std::ranges::nth_element(times, times.begin() + kTimes / 2);
    result.ns = std::max<int64_t>(times[kTimes / 2], 1);
    return result;
  }

 private:
  runtime::AlignedMemory Memory(int64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMostBytes)
      throw Error("trial", "memory", StrCat(bytes_),
                  StrCat("must be at most ", kMostBytes, " bytes"));
    return runtime::AlignedMemory(std::max<int64_t>(bytes, 1), "trial");
  }
  isa::PackageKernel Described() const {
    isa::PackageKernel kernel{.name = kernel_.function.name, .tasks = kernel_.tasks};
    kernel.workspace_bytes = kernel_.workspace_bytes;
    for (const compiler::loop::Buffer& param : kernel_.function.params)
      kernel.argument_bytes.push_back(compiler::lower::SizeBytes(*param));
    return kernel;
  }
  static void Fill(const compiler::loop::BufferNode& buffer, std::mt19937& random, uint8_t* data) {
    const int64_t bytes = compiler::lower::SizeBytes(buffer);
    if (buffer.dtype != compiler::loop::DType::kFloat32) {
      for (int64_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(random() & 3);
      return;
    }
    std::uniform_real_distribution<float> real(-1, 1);
    for (int64_t i = 0; i < bytes / 4; ++i) {
      const float value = real(random);
      std::memcpy(data + 4 * i, &value, sizeof value);
    }
  }
  void Once() const { module_.Run(0, tensors_.data(), workspace_.data(), 0, kernel_.tasks); }
  nanoseconds Time(int64_t repeats) const {
    const nanoseconds start = Spent();
    for (int64_t i = 0; i < repeats; ++i) Once();
    return Spent() - start;
  }
  /// By this thread, the one that runs the kernel: not while others have its core.
  static nanoseconds Spent() {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
  }

  int64_t bytes_ = 0;  // of memory
  const compiler::lower::Kernel kernel_;
  const runtime::ElfModule module_;
  const runtime::AlignedMemory workspace_;
  std::vector<runtime::AlignedMemory> memory_;
  std::vector<void*> tensors_;
};

/// Keeps of a process that measures only what it needs, so that it cannot outlive this one, nor
/// hold what that has open.
void Confine(int pipe, int64_t core, int limit_ms, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  close_range(3, static_cast<unsigned>(pipe) - 1, 0);
  close_range(static_cast<unsigned>(pipe) + 1, ~0U, 0);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<size_t>(core), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
  const rlim_t seconds = static_cast<rlim_t>(limit_ms) / 1000 + 1;
  const rlimit cpu{seconds, seconds}, none{0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, SIG_DFL);
}

[[noreturn]] void FailAtSystem(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Waits until the process has written its result, or ended; false where neither happens in time.
bool Await(int pipe, int limit_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) FailAtSystem("poll");
  }
}

/// Errors: throws Error where the process ends without a result, or is stopped; and what the system
/// refuses, which says nothing of the trial, as std::system_error.
Result RunApart(const Bench& bench, int64_t core, int limit_ms) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) FailAtSystem("pipe");
  const pid_t parent = getpid(), process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    FailAtSystem("fork");
  }
  if (process == 0) {  // nothing here allocates or locks: other threads may have held locks
    Confine(ends[1], core, limit_ms, parent);
    const Result result = bench.Run();
    const ssize_t written = write(ends[1], &result, sizeof result);
    _exit(written == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  const bool in_time = Await(ends[0], limit_ms);
  Result result;
  const bool done = in_time && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  if (!in_time) kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (done) return result;
  if (!in_time) throw Error("trial", "time", StrCat("more than ", limit_ms, " ms"), "is too long");
  throw Error("trial", "kernel",
              WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : StrCat(WEXITSTATUS(status)),
              "must not end its process");
}

}  // namespace

NativeMeasurer::NativeMeasurer(compiler::lower::CpuSpec cpu, int64_t core, int limit_ms)
    : cpu_(std::move(cpu)), core_(core), limit_ms_(limit_ms) {}

uint64_t NativeMeasurer::HashOfMachine() {
  const CpuFacts facts = ThisCpu();
  Hasher hasher;
  hasher.Text(facts.name);
  for (const std::string& flag : facts.flags) hasher.Text(flag);
  return hasher.value();
}

int64_t NativeMeasurer::Measure(const compiler::tune::Trial& trial) const {
  const Bench bench(std::get<compiler::KernelCode>(trial.code), cpu_);
  const std::lock_guard lock(running_);
  const Result result = RunApart(bench, core_, limit_ms_);
  if (!trial.workload.empty() &&
      outputs_.try_emplace(trial.workload, result.outputs).first->second != result.outputs)
    throw Error("trial", "outputs", "", "must be those of the first trial");
  return result.ns;
}

}  // namespace vta::tools
