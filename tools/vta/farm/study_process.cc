#include "tools/vta/farm/study_process.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/temporary.h"
#include "tools/vta/common/farm/kinds.h"
#include "tools/vta/common/processes.h"
#include "tools/vta/farm/measuring.h"

namespace vta::tools {
namespace {

constexpr char kWhere[] = "request";

#if defined(__x86_64__)
constexpr uint32_t kOurArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kOurArch = AUDIT_ARCH_AARCH64;
#else
#error "which calls begin processes is known of x86-64 and aarch64"
#endif

#define VTA_REFUSE_CALL(number, error)                 \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

/// No job begins a process: limits of users do not hold root.
bool RefuseProcesses() {
  std::vector<sock_filter> filter = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOurArch, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(SYS_fork)
    VTA_REFUSE_CALL(SYS_fork, EAGAIN),
    VTA_REFUSE_CALL(SYS_vfork, EAGAIN),
#endif
    VTA_REFUSE_CALL(SYS_clone3, ENOSYS),  // then libraries call clone
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
  };
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#undef VTA_REFUSE_CALL

/// Of the process of a job, once. What is measured is so in a process of its own, and drivers of
/// GPUs take more addresses than there is memory.
void ConfineJob(int64_t memory_bytes, const EngineOptions& engine) {
  static bool is_confined = false;
  if (std::exchange(is_confined, true)) return;
  const rlimit memory{static_cast<rlim_t>(memory_bytes), static_cast<rlim_t>(memory_bytes)};
  const bool is_limited = !engine.is_named() || engine.name == kNativeCpu;
  if ((is_limited && setrlimit(RLIMIT_AS, &memory) != 0) ||
      (!engine.is_named() && !RefuseProcesses()))
    throw Error("job", "limits", "", "are refused by the system");
}

/// Does what is asked until there are no more requests.
class StudyServer {
 public:
  explicit StudyServer(const EngineOptions& engine) : engine_(engine) {}

  void Run() {
    for (std::string line; std::getline(std::cin, line);) {
      try {
        const Json request = Json::Parse(line, kWhere);
        JsonReader json(request, kWhere);
        const std::string what = json.String("do");
        if (what != "open") throw json.Fail("do", "must be open first");
        Open(json);
        return;
      } catch (const std::exception& error) {
        Say(Json().Set("error", error.what()));
      }
    }
  }

 private:
  static void Say(const Json& answer) { std::cout << answer.Dump(-1) << std::endl; }

  void Open(JsonReader& json) {
    const std::string kind = json.String("kind");
    const Json facts = json.Any("facts");
    folder_ = std::make_unique<Temporary>(json.String("folder"));
    limits_.time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(json.Double("limit_s")));
    memory_bytes_ = json.Int("memory_bytes", 1, std::numeric_limits<int64_t>::max());
    json.Finish();
    const DoesJobs serve = [this](const DoesJob& job) { ServeJobs(job); };
    if (kind == kTuneKind)
      ServeTrials(
          facts, folder_->path(),
          [this](const ModelOptions& model) { return MeasurerOn(engine_, model); }, serve);
    else if (kind == kExploreKind)
      ServePoints(facts, folder_->path(), serve);
    else
      throw json.Fail("kind", StrCat("must be ", kTuneKind, " or ", kExploreKind));
  }

  /// One process does job after job, for as long as they end well: what it has learned of spaces
  /// makes the next ones quicker. Where the text of each is it knows before it begins.
  void ServeJobs(const DoesJob& job) {
    void* const room = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) throw Error("jobs", "memory", StrCat(kRoom), std::strerror(errno));
    text_ = static_cast<char*>(room);
    Say(Json::Object());
    RunInProcesses(
        [this] { return Next(); }, limits_,
        [&](int64_t) {
          ConfineJob(memory_bytes_, engine_);
          return job(text_);
        },
        [&](int64_t, const JobEnd& end) {
          const bool ended = !end.failure.empty();
          answers_.push_back(Json().Set(ended ? "ended" : "said", ended ? end.failure : end.said));
          return true;
        });
  }

  /// Answers a request whose jobs are done, and waits for the next one.
  std::optional<int64_t> Next() {
    while (answers_.size() == jobs_.size()) {
      if (!jobs_.empty()) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
        alone_.reset();
        Say(Json().Set("seconds", took.count()).Set("answers", std::move(answers_)));
      }
      answers_ = {}, jobs_ = {};
      std::string line;
      if (!std::getline(std::cin, line)) return std::nullopt;
      if (IsHere(engine_)) alone_.emplace();
      start_ = std::chrono::steady_clock::now();
      const Json request = Json::Parse(line, kWhere);
      JsonReader json(request, kWhere);
      json.String("do");
      jobs_ = json.Array("jobs");
    }
    const std::string& text = *jobs_[answers_.size()].as_string();
    VTA_CHECK(text.size() < kRoom, text.size());
    std::memcpy(text_, text.c_str(), text.size() + 1);
    return 0;
  }

  const EngineOptions& engine_;
  std::optional<MachineLock> alone_;
  static constexpr size_t kRoom = 1 << 20;  // of a job's text: what a message can have and more
  char* text_ = nullptr;                    // shared with the process that does the job
  Json::Array jobs_, answers_;
  std::chrono::steady_clock::time_point start_;
  std::unique_ptr<Temporary> folder_;
  ProcessLimits limits_;
  int64_t memory_bytes_ = 0;
};

}  // namespace

int ServeStudy(const EngineOptions& engine) {
  StudyServer(engine).Run();
  return 0;
}

}  // namespace vta::tools
