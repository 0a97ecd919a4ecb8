#include "tools/vta/log_writer.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>

namespace vta::tools {
namespace {

// In the order of LogLevel.
constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                 spdlog::level::warn, spdlog::level::err};

}  // namespace

LogWriter LibraryWriter(const LogOptions& options) {
  const auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>(
      options.color ? spdlog::color_mode::always : spdlog::color_mode::never);
  const auto logger = std::make_shared<spdlog::logger>(options.program, sink);
  logger->set_level(kLevels[static_cast<int>(options.least)]);
  logger->set_pattern("%^%n:%$ %v");
  return [logger](LogLevel level, const std::string& message) {
    logger->log(kLevels[static_cast<int>(level)], spdlog::string_view_t(message));
  };
}

}  // namespace vta::tools
