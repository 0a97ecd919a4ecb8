#include "tools/shared/log.h"

#include <cstdio>
#include <mutex>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

struct State {
  std::mutex mutex;  // guards what follows
  LogLevel least = LogLevel::kInfo;
  LogWriter write = PlainWriter({});
  bool has_status = false;

  void Erase() {
    if (has_status) std::fputs("\r\033[K", stderr);
    has_status = false;
  }
};

// Never destroyed: threads and destructors of other files may still log.
State& TheLog() {
  static State& state = *new State;
  return state;
}

}  // namespace

LogWriter PlainWriter(const LogOptions& options) {
  return [program = options.program](LogLevel, const std::string& message) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
  };
}

void StartLog(const LogOptions& options, LogWriter writer) {
  State& log = TheLog();
  const std::lock_guard lock(log.mutex);
  log.least = options.least;
  log.write = std::move(writer);
}

bool Logs(LogLevel level) {
  State& log = TheLog();
  const std::lock_guard lock(log.mutex);
  return level >= log.least;
}

void Log(LogLevel level, const std::string& message) {
  State& log = TheLog();
  const std::lock_guard lock(log.mutex);
  if (level < log.least) return;
  log.Erase();
  log.write(level, Visible(message, true));
}

void ShowStatus(const std::string& line) {
  State& log = TheLog();
  const std::lock_guard lock(log.mutex);
  log.Erase();
  std::fputs(line.c_str(), stderr);
  log.has_status = !line.empty();
}

}  // namespace vta::tools
