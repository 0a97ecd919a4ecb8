// A board behind a pseudo-terminal: prints its path, is there until its input ends, and prints what
// the line did. It is the RTL with its UART, or what stands for it; the line damages, loses and
// doubles bytes.
//   serial_board CONFIG [--engine rtl|functional|cycle] [--noise RATE] [--seed N] [--memory-kib N]
//                [--die-after BYTES] [--silent-after BYTES]
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
  int64_t memory_kib = RtlBoard::kMemoryKib, die_after = -1, silent_after = -1;
};

std::unique_ptr<FarEnd> MakeBoard(const Options& options) {
  const isa::Config config = isa::LoadConfig(options.config);
  if (options.engine == "rtl") return std::make_unique<RtlBoard>(config);
  return std::make_unique<ReferenceBoard>(config, sim::FindBoardEngine(options.engine, "--engine"),
                                          options.memory_kib);
}

// Nobody has opened the other end: reads of this one fail.
constexpr int kPollMs = 5;

// Returns how many bytes were not carried as they are.
int64_t Serve(int terminal, FarEnd& board, const Options& options) {
  Noise to_board(options.noise, options.seed), from_board(options.noise, options.seed + 1);
  std::array<uint8_t, 1024> buffer;
  int64_t taken = 0;
  for (;;) {
    pollfd files[] = {{terminal, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    poll(files, 2, board.is_quiet() ? kPollMs : 0);
    const bool is_ended = files[1].revents != 0;
    const bool has_bytes = files[0].revents & POLLIN;
    const ssize_t count = has_bytes ? read(terminal, buffer.data(), buffer.size()) : 0;
    taken += std::max<ssize_t>(count, 0);
    if (is_ended || (options.die_after >= 0 && taken > options.die_after))
      return to_board.hits() + from_board.hits();
    if (options.silent_after >= 0 && taken > options.silent_after) continue;
    if (count <= 0 && files[0].revents & POLLHUP) usleep(kPollMs * 1000);
    if (count <= 0 && board.is_quiet()) continue;
    const auto given = std::span(buffer).first(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    const auto sent = from_board.Pass(board.Pass(to_board.Pass(given)));
    if (!sent.empty() && write(terminal, sent.data(), sent.size()) < 0 && errno != EIO)
      throw Error("pseudo-terminal", "", "", "takes no bytes");
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
  app.add_option("--die-after", options.die_after, "bytes");
  app.add_option("--silent-after", options.silent_after, "bytes");
  CLI11_PARSE(app, argc, argv);
  const auto board = MakeBoard(options);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    throw Error("pseudo-terminal", "", "", "cannot be made");
  std::printf("%s\n", ptsname(terminal));
  std::fflush(stdout);
  std::printf("%ld damaged, lost or doubled\n",
              static_cast<long>(Serve(terminal, *board, options)));
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
