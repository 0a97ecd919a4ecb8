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

struct Carried {
  int64_t to_board = 0, from_board = 0;  // bytes
  int64_t requests = 0;
  int64_t hits = 0;  // bytes that were damaged, lost or doubled
};

Carried Serve(int terminal, FarEnd& board, const Options& options) {
  Noise to_board(options.noise, options.seed), from_board(options.noise, options.seed + 1);
  std::array<uint8_t, 1024> buffer;
  driver::FrameReader requests;
  Carried carried;
  for (;;) {
    pollfd files[] = {{terminal, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    poll(files, 2, board.is_quiet() ? kPollMs : 0);
    const bool is_ended = files[1].revents != 0;
    const bool has_bytes = files[0].revents & POLLIN;
    const ssize_t count = has_bytes ? read(terminal, buffer.data(), buffer.size()) : 0;
    carried.to_board += std::max<ssize_t>(count, 0);
    carried.hits = to_board.hits() + from_board.hits();
    if (is_ended || (options.die_after >= 0 && carried.to_board > options.die_after))
      return carried;
    if (options.silent_after >= 0 && carried.to_board > options.silent_after) continue;
    if (count <= 0 && files[0].revents & POLLHUP) usleep(kPollMs * 1000);
    if (count <= 0 && board.is_quiet()) continue;
    const auto given = std::span(buffer).first(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    for (const uint8_t byte : given) carried.requests += requests.Take(byte).has_value();
    const auto sent = from_board.Pass(board.Pass(to_board.Pass(given)));
    carried.from_board += std::ssize(sent);
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
  const Carried carried = Serve(terminal, *board, options);
  std::printf(
      "%ld damaged, lost or doubled of %ld bytes in %ld requests and %ld that "
      "came back\n",
      static_cast<long>(carried.hits), static_cast<long>(carried.to_board),
      static_cast<long>(carried.requests), static_cast<long>(carried.from_board));
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
