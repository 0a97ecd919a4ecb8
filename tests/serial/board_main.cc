// serial_board CONFIG [--engine rtl|functional|cycle] [--noise RATE] [--seed N] [--memory-kib N]
// [--die-after BYTES] A board behind a pseudo-terminal: prints its path, and is there until it is
// ended. Its RTL with its UART, or what stands for it; the line damages, loses and doubles bytes.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "isa/support/error.h"
#include "tests/serial/reference_board.h"
#include "tests/serial/rtl_board.h"

namespace vta::test {
namespace {

struct Options {
  std::string config, engine = "rtl";
  double noise = 0;
  uint64_t seed = 1;
  int64_t memory_kib = RtlBoard::kMemoryKib, die_after = -1;
};

std::unique_ptr<FarEnd> MakeBoard(const Options& options) {
  const isa::Config config = isa::LoadConfig(options.config);
  if (options.engine == "rtl") return std::make_unique<RtlBoard>(config);
  return std::make_unique<ReferenceBoard>(config, sim::FindBoardEngine(options.engine, "--engine"),
                                          options.memory_kib);
}

// Nobody has opened the other end: reads of this one fail.
constexpr int kPollMs = 5;

void Serve(int terminal, FarEnd& board, const Options& options) {
  Noise to_board(options.noise, options.seed), from_board(options.noise, options.seed + 1);
  std::array<uint8_t, 1024> buffer;
  int64_t taken = 0;
  for (;;) {
    pollfd file{terminal, POLLIN, 0};
    poll(&file, 1, board.is_quiet() ? kPollMs : 0);
    const ssize_t count = file.revents & POLLIN ? read(terminal, buffer.data(), buffer.size()) : 0;
    if (file.revents & POLLHUP && count <= 0) usleep(kPollMs * 1000);
    if (count > 0) taken += count;
    if (options.die_after >= 0 && taken > options.die_after) return;
    if (count <= 0 && board.is_quiet()) continue;
    const auto given =
        to_board.Pass(std::span(buffer).first(static_cast<size_t>(std::max<ssize_t>(count, 0))));
    const auto sent = from_board.Pass(board.Pass(given));
    if (!sent.empty() && write(terminal, sent.data(), sent.size()) < 0 && errno != EIO) return;
  }
}

int Main(int argc, char** argv) {
  CLI::App app("a board behind a pseudo-terminal");
  Options options;
  app.add_option("config", options.config)->required();
  app.add_option("--engine", options.engine);
  app.add_option("--noise", options.noise);
  app.add_option("--seed", options.seed);
  app.add_option("--memory-kib", options.memory_kib);
  app.add_option("--die-after", options.die_after);
  CLI11_PARSE(app, argc, argv);
  const auto board = MakeBoard(options);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    throw Error("pseudo-terminal", "", "", "cannot be made");
  std::printf("%s\n", ptsname(terminal));
  std::fflush(stdout);
  Serve(terminal, *board, options);
  return 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  try {
    return vta::test::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serial_board: %s\n", error.what());
    return 1;
  }
}
