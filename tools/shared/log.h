// What a program says beside its results: messages on stderr, and the line that a terminal shows of
// the work at hand.
#pragma once

#include <functional>
#include <string>

namespace vta::tools {

/// Errors end the program; warnings are of results that are not what one may take them for; infos
/// say what was chosen or how far work is; debug has every step of it.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  std::string program = "vta";  // stands before every message
  LogLevel least = LogLevel::kInfo;
  bool color = false;
};

/// Writes a message to stderr. One call at a time.
using LogWriter = std::function<void(LogLevel, const std::string& message)>;

/// "PROGRAM: MESSAGE", a line each: what a program does without the logging library.
LogWriter PlainWriter(const LogOptions& options);

/// Messages go that way from now on. Before the first call they are plain lines of "vta".
void StartLog(const LogOptions& options, LogWriter writer);

/// Whether messages of that level are written.
bool Logs(LogLevel level);

/// Writes a message, control characters of which are made Visible but for ends of lines. The line
/// of ShowStatus makes room for it. Any thread may call.
void Log(LogLevel level, const std::string& message);

/// Draws a line at the bottom of a terminal, in place of the one before; "" takes it away.
void ShowStatus(const std::string& line);

}  // namespace vta::tools
