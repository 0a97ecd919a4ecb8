// Lockstep fuzzing of the RTL against the golden model: random programs on one or more configs, in
// parallel. Prints what was compared, or what differs and the command that shows it again.
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>

#include "isa/asm.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "tests/rtl/trial.h"
#include "tests/support/random_kernels.h"
#include "tools/vta/common/progress.h"

namespace vta::test {
namespace {

// Programs of one group follow each other without power-on: what one leaves, the next one finds.
constexpr int64_t kGroup = 8;
constexpr int64_t kFirstCycles = 12;

struct Options {
  std::vector<std::string> configs;
  int64_t jobs = 1, seed = 0, programs = 400;
  bool build_only = false;
  sim::ModelOptions model;
};

// What was run on one config.
struct Tally {
  std::array<int64_t, kProgramKinds> kinds = {};
  std::array<int64_t, 5> outcomes = {};
  int64_t programs = 0, events = 0, cycles = 0, soft_resets = 0, interrupted = 0;
  int64_t overlapping = 0, overlapped_cycles = 0, pipeline_cycles = 0;  // of kOverlapped
  Trial::Beside beside;
  double cpu_seconds = 0;

  Tally& operator+=(const Tally& other) {
    for (size_t i = 0; i < kinds.size(); ++i) kinds[i] += other.kinds[i];
    for (size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
    programs += other.programs, events += other.events, cycles += other.cycles;
    soft_resets += other.soft_resets, interrupted += other.interrupted;
    overlapping += other.overlapping, overlapped_cycles += other.overlapped_cycles;
    pipeline_cycles += other.pipeline_cycles, cpu_seconds += other.cpu_seconds;
    beside += other.beside;
    return *this;
  }
};

double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Where something can run beside an ALU instruction, half of them ask for it.
ProgramKind DrawKind(Draw& draw, const isa::Config& config) {
  if (draw.OneIn(config.uarch.acc_banks > 1 ? 2 : 20)) return ProgramKind::kBeside;
  const int64_t percent = draw.UpTo(99);
  return percent < 45   ? ProgramKind::kOverlapped
         : percent < 70 ? ProgramKind::kSerial
         : percent < 85 ? ProgramKind::kIllegal
         : percent < 92 ? ProgramKind::kTokens
                        : ProgramKind::kRacy;
}

// Where the bus has the memory: at its start, anywhere, or across a power of two.
uint64_t AnyPage(Draw& draw) {
  constexpr int64_t kPage = 4096;
  switch (draw.UpTo(2)) {
    case 0:
      return 0;
    case 1:
      return static_cast<uint64_t>(draw.UpTo((int64_t{1} << (isa::kAddressBits - 13)) - 1) * kPage);
    default:
      return (uint64_t{1} << (16 + draw.UpTo(isa::kAddressBits - 17))) -
             static_cast<uint64_t>(draw.UpTo(8) * kPage);
  }
}

std::string Listing(const TestProgram& program) {
  const isa::Layout layout(program.config);
  std::string text;
  for (size_t i = 0; i < program.instructions.size(); ++i)
    text +=
        StrCat("  ", i, "  ", Disassemble(layout, Encode(layout, program.instructions[i])), "\n");
  return text;
}

/// Runs one program, and what comes before and after it. Returns the first difference, or "".
std::string RunSeed(Trial& trial, const isa::Config& config, uint64_t seed, Tally& tally) {
  Draw draw(seed ^ 0x9e3779b97f4a7c15);
  const ProgramKind kind = DrawKind(draw, config);
  const RtlProgram program = RandomRtlProgram(config, kind, seed);
  TrialOptions options;
  if (!draw.OneIn(2)) options.random_seed = seed;
  std::string text;
  if (draw.OneIn(4)) {
    text += trial.SoftReset();
    ++tally.soft_resets;
  }
  const bool interrupt = draw.OneIn(20);
  if (interrupt) {
    // The first request is on its way in one of the first cycles.
    const int64_t cycles = draw.UpTo(draw.OneIn(2) ? kFirstCycles : 600);
    options.memory_base = AnyPage(draw);
    text += trial.Interrupt(program, options, cycles);
    text += trial.Run(RefillProgram(config, seed), options);
    ++tally.interrupted;
  } else {
    options.memory_base = AnyPage(draw);
  }
  if (text.empty()) {
    options.values = kind != ProgramKind::kRacy;
    text += trial.Run(program, options);
    options.values = true;
  }
  const int64_t cycles = trial.result().counters.time.value_or(isa::Time()).cycles;
  ++tally.programs, ++tally.kinds[static_cast<int>(kind)];
  ++tally.outcomes[static_cast<int>(trial.result().outcome)];
  tally.cycles += cycles;
  tally.beside += trial.beside();
  if (kind == ProgramKind::kOverlapped) {
    tally.overlapping += trial.overlapped_cycles() > 0;
    tally.overlapped_cycles += trial.overlapped_cycles();
    tally.pipeline_cycles += cycles;
  }
  if (text.empty() && kind == ProgramKind::kRacy)
    text += trial.Run(RefillProgram(config, seed), options);
  if (!text.empty())
    text = StrCat("seed ", seed, ", ", ProgramKindName(kind), interrupt ? ", interrupted" : "",
                  ":\n", text, Listing(program.program));
  return text;
}

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options) : options_(options) {
    for (const std::string& path : options.configs) configs_.push_back(isa::LoadConfig(path));
    options_.seed -= options_.seed % kGroup;
    const int64_t each = (options.programs + std::ssize(configs_) - 1) / std::ssize(configs_);
    groups_ = (each + kGroup - 1) / kGroup;
    tallies_.resize(configs_.size());
  }

  /// Returns the exit status.
  int Run() {
    // Models first, so that no thread waits for the build of another one's.
    InParallel("models", std::ssize(configs_), [this](int64_t i) {
      sim::BuildModel(configs_[static_cast<size_t>(i)], options_.model);
    });
    if (failures_.empty() && !options_.build_only) {
      InParallel("groups of 8 programs", groups_ * std::ssize(configs_),
                 [this](int64_t job) { Group(job); });
      Report();
    }
    for (const std::string& text : failures_) std::cout << text;
    return failures_.empty() ? 0 : 1;
  }

 private:
  template <typename Work>
  void InParallel(const std::string& what, int64_t count, Work work) {
    next_ = done_ = 0;
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < std::min(options_.jobs, count); ++t)
      threads.emplace_back([this, count, work] {
        for (int64_t job; !stop_ && (job = next_++) < count; ++done_) {
          try {
            work(job);
          } catch (const Error& error) {
            Fail(StrCat(error.what(), "\n"));
          }
        }
      });
    tools::Progress progress(what);
    for (int64_t shown = 0; shown < count && !stop_; shown = done_) {
      progress.Count(shown, count);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    for (std::thread& thread : threads) thread.join();
  }

  // Configs take turns, so that the slow ones do not come last.
  void Group(int64_t job) {
    const auto which = static_cast<size_t>(job % std::ssize(configs_));
    const int64_t first = options_.seed + job / std::ssize(configs_) * kGroup;
    thread_local std::map<size_t, std::unique_ptr<Trial>> trials;
    const double begin = ThreadSeconds();
    std::unique_ptr<Trial>& trial = trials[which];
    if (trial)
      trial->PowerOn();
    else
      trial = std::make_unique<Trial>(configs_[which], options_.model);
    const int64_t events = trial->events();
    Tally tally;
    for (int64_t seed = first; seed < first + kGroup; ++seed) {
      std::string text;
      try {
        text = RunSeed(*trial, configs_[which], static_cast<uint64_t>(seed), tally);
      } catch (const Error& error) {
        text = StrCat("seed ", seed, ": ", error.what(), "\n");
      }
      if (text.empty()) continue;
      Fail(StrCat(options_.configs[which], ", ", text, "again: rtl_fuzz --seed ", first,
                  " --programs ", kGroup, " ", options_.configs[which], "\n"));
      trials.erase(which);
      return;
    }
    tally.events = trial->events() - events;
    tally.cpu_seconds = ThreadSeconds() - begin;
    const std::lock_guard lock(mutex_);
    tallies_[which] += tally;
  }

  void Fail(const std::string& text) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(text);
    stop_ = true;
  }

  void Report() const {
    Tally all;
    std::printf("%-24s %8s %10s %8s %10s %9s %8s\n", "config", "programs", "instruct.", "kcycles",
                "programs/s", "pipelined", "overlap");
    const auto line = [](const std::string& name, const Tally& t) {
      const auto share = [](int64_t part, int64_t whole) {
        return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
      };
      std::printf("%-24s %8lld %10lld %8lld %10.0f %7.1f %% %6.1f %%\n", name.c_str(),
                  static_cast<long long>(t.programs), static_cast<long long>(t.events),
                  static_cast<long long>(t.cycles / 1000),
                  static_cast<double>(t.programs) / std::max(t.cpu_seconds, 1e-9),
                  share(t.overlapping, t.kinds[static_cast<int>(ProgramKind::kOverlapped)]),
                  share(t.overlapped_cycles, t.pipeline_cycles));
    };
    for (size_t i = 0; i < configs_.size(); ++i) {
      line(configs_[i].name, tallies_[i]);
      all += tallies_[i];
    }
    line("all", all);
    std::printf("kinds:");
    for (int k = 0; k < kProgramKinds; ++k)
      std::printf(" %lld %s", static_cast<long long>(all.kinds[k]),
                  std::string(ProgramKindName(static_cast<ProgramKind>(k))).c_str());
    std::printf(
        "\nbeside an ALU instruction: %lld starts, %lld held retirements, %lld cycles of waiting "
        "for "
        "the bank, %lld faults\n",
        static_cast<long long>(all.beside.starts), static_cast<long long>(all.beside.held),
        static_cast<long long>(all.beside.waits), static_cast<long long>(all.beside.faults));
    std::printf("ends:");
    for (int i = 0; i < 5; ++i)
      std::printf(" %lld %s", static_cast<long long>(all.outcomes[i]),
                  std::string(OutcomeName(static_cast<isa::Outcome>(i))).c_str());
    std::printf("\n%lld soft resets, %lld of launches that ran\n%s\n",
                static_cast<long long>(all.soft_resets + all.interrupted),
                static_cast<long long>(all.interrupted),
                failures_.empty() ? "no difference" : "DIFFERENT");
  }

  Options options_;
  std::vector<isa::Config> configs_;
  int64_t groups_ = 0;
  std::atomic<int64_t> next_ = 0, done_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // of what follows
  std::vector<Tally> tallies_;
  std::vector<std::string> failures_;
};

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  vta::test::Options options;
  CLI::App app("Random programs on the RTL against the golden model.");
  app.add_option("configs", options.configs, "config files")->required();
  app.add_option("-n,--programs", options.programs, "programs, shared out over the configs")
      ->check(CLI::PositiveNumber);
  app.add_option("-s,--seed", options.seed, "first seed: programs come in groups of 8")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-j,--jobs", options.jobs, "threads")->check(CLI::PositiveNumber);
  app.add_flag("--build", options.build_only, "only build the models of the configs");
  app.add_flag("--quick", options.model.quick, "models that are built sooner and run slower");
  CLI11_PARSE(app, argc, argv);
  try {
    return vta::test::Fuzzer(options).Run();
  } catch (const vta::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
