// vta worker --nats URL: does work that searches on other machines give out.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/self.h"
#include "tools/vta/common/session.h"
#include "tools/vta/farm/measuring.h"
#include "tools/vta/farm/study_process.h"
#include "tools/vta/farm/worker_slots.h"

namespace vta::tools {
namespace {

struct WorkerOptions {
  std::string url, config;
  EngineOptions engine;  // that is measured on, where it is named; and the credentials
  TuneOptions jobs;
  int64_t memory_bytes = int64_t{8} << 30;
  double server_wait_s = 600;
  bool requests = false;
};

/// What begins the processes in which searches are known.
std::vector<std::string> StudyWords(const WorkerOptions& options) {
  std::vector<std::string> words = ToolWords();
  words.insert(words.end(), {"worker", "--requests"});
  if (!options.engine.is_named()) return words;
  words.insert(words.end(), {"--measure", options.engine.name});
  if (!options.engine.credentials.empty())
    words.insert(words.end(), {"--credentials", options.engine.credentials});
  return words;
}

int Work(const WorkerOptions& options, const std::string& build) {
  if (options.requests) return ServeStudy(options.engine);
  if (options.url.empty()) throw UsageError("--nats", "", "", "is missing: whose work is done");
  farm::Access access;
  try {
    access = farm::ParseAccess(options.url, options.engine.credentials, "--nats");
  } catch (const Error& error) {
    if (error.where() != "--nats") throw;
    throw UsageError("--nats", "", error.value(), error.rule());
  }
  std::optional<farm::Machine> machine;
  if (options.engine.is_named()) {
    if (options.jobs.jobs > 0)
      throw UsageError("--jobs", "", StrCat(options.jobs.jobs),
                       "is of trials that are not measured: with --measure there is one at a time");
    machine = MachineOf(options.engine, options.config);
  } else if (!options.config.empty()) {
    throw UsageError("--config", "", options.config, "is of what --measure names");
  }
  // For this thread alone: others would end in the middle of a job.
  sigset_t ends;
  sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, number);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const auto patience =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(options.server_wait_s));
  WorkerSlots slots(access, {.name = StrCat(HostName(), "-", getpid()),
                             .build = build,
                             .words = StudyWords(options),
                             .slots = machine ? 1 : JobsOf(options.jobs),
                             .memory_bytes = options.memory_bytes,
                             .patience = patience,
                             .machine = machine});
  fmt::print("works for {} as {}", access.Name(), slots.name());
  if (machine) fmt::print(", measures for {}", Visible(Words(*machine)));
  fmt::print("\n");
  std::fflush(stdout);
  slots.RunUntil([&] {
    const timespec wait{0, 200'000'000};
    if (sigtimedwait(&ends, nullptr, &wait) < 0) return false;
    pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);  // who says it twice does not want to wait
    return true;
  });
  fmt::print("{} jobs in {} batches\n", slots.jobs(), slots.batches());
  return 0;
}

}  // namespace

std::function<int()> AddWorkerCommand(CLI::App& app) {
  auto options = std::make_shared<WorkerOptions>();
  app.option_defaults()->group("Farm");
  app.add_option("--nats", options->url,
                 StrCat("the server that gives the work out: ", farm::kUrlUsage))
      ->type_name("URL");
  AddCredentialsTo(app, &options->engine.credentials);
  app.add_option("--server-wait", options->server_wait_s,
                 "seconds that it goes on without the server")
      ->check(NumberFrom(0.1, 1e6, "must be 0.1 to 1e6 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.option_defaults()->group("Measuring");
  options->engine.AddMachineTo(app);
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant of that engine: a shipped name or a file; where "
                             "it is not given, that of the server, or default"));
  app.option_defaults()->group("Jobs");
  app.add_option("--jobs", options->jobs.jobs, "at once; all processors")
      ->check(IntegerFrom(1, 1024));
  app.add_option("--job-memory", options->memory_bytes,
                 "most that the process of a job may have: bytes, or with K, M or G")
      ->transform(Bytes())
      ->type_name("BYTES")
      ->default_str("8G");
  app.add_flag("--requests", options->requests,
               "answer requests on stdin, as a worker makes them of its own processes");
  return [options, &app] { return Work(*options, ThisBuild(app.get_parent()->version())); };
}

}  // namespace vta::tools
