#include "driver/serial/tty.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "isa/support/error.h"

namespace vta::driver {
namespace {

// A port that takes no byte for so long is stopped by whatever is behind it.
constexpr std::chrono::seconds kWritePatience{2};

struct Speed {
  int64_t bits_per_second;
  speed_t code;
};
constexpr Speed kSpeeds[] = {{9600, B9600},       {19200, B19200},     {38400, B38400},
                             {57600, B57600},     {115200, B115200},   {230400, B230400},
                             {460800, B460800},   {500000, B500000},   {576000, B576000},
                             {921600, B921600},   {1000000, B1000000}, {1152000, B1152000},
                             {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000},
                             {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000}};

speed_t CodeOf(int64_t bits_per_second, const std::string& path) {
  const auto found = std::ranges::find(kSpeeds, bits_per_second, &Speed::bits_per_second);
  if (found != std::end(kSpeeds)) return found->code;
  throw Error(path, "speed", std::to_string(bits_per_second), "is none that a port has");
}

std::string WhyNot(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return "there is no such device; is the board plugged in?";
    case EACCES:
    case EPERM:
      return "no permission to open it; its group may (on Debian dialout: adduser USER dialout)";
    case EBUSY:
      return "another process holds it";
    default:
      return StrCat("cannot be opened: ", std::strerror(error));
  }
}

}  // namespace

std::vector<int64_t> TtySpeeds() {
  std::vector<int64_t> speeds;
  for (const Speed& speed : kSpeeds) speeds.push_back(speed.bits_per_second);
  return speeds;
}

Tty::Tty(std::string path, int64_t bits_per_second)
    : path_(std::move(path)), bits_per_second_(bits_per_second) {
  const speed_t speed = CodeOf(bits_per_second, path_);
  // Without O_NONBLOCK a port without a modem's carrier would not open.
  file_ = open(path_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0) throw Error(path_, "", "", WhyNot(errno));
  try {
    Lock();
    Configure(speed);
  } catch (...) {
    close(file_);
    throw;
  }
}

// TIOCEXCL keeps out whoever opens it later, but the administrator; the lock also him.
void Tty::Lock() {
  if (!isatty(file_)) throw Error(path_, "", "", "is no serial port");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) throw Error(path_, "", "", WhyNot(EBUSY));
  if (tcgetattr(file_, &before_) != 0)
    throw Error(path_, "settings", "", StrCat("cannot be read: ", std::strerror(errno)));
  ioctl(file_, TIOCEXCL);
}

void Tty::Configure(speed_t speed) {
  termios raw = before_;
  cfmakeraw(&raw);
  raw.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  raw.c_cflag |= CLOCAL | CREAD;
  raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0;
  termios after{};
  if (cfsetspeed(&raw, speed) != 0 || tcsetattr(file_, TCSANOW, &raw) != 0 ||
      tcgetattr(file_, &after) != 0 || cfgetospeed(&after) != speed) {
    ioctl(file_, TIOCNXCL);
    throw Error(path_, "speed", std::to_string(bits_per_second_), "the port does not have it");
  }
  tcflush(file_, TCIOFLUSH);
}

Tty::~Tty() {
  tcflush(file_, TCIOFLUSH);  // close would wait for what nobody takes
  tcsetattr(file_, TCSANOW, &before_);
  ioctl(file_, TIOCNXCL);
  close(file_);
}

// Whether it happens before the limit.
bool Tty::WaitFor(short events, std::chrono::nanoseconds limit) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(end - steady_clock::now()));
    const timespec time{static_cast<time_t>(left.count() / 1'000'000'000),
                        static_cast<long>(left.count() % 1'000'000'000)};
    pollfd file{file_, events, 0};
    const int ready = ppoll(&file, 1, &time, nullptr);
    if (ready > 0 && file.revents & (POLLHUP | POLLERR | POLLNVAL) && !(file.revents & POLLIN))
      throw Error(path_, "", "", "the port is gone: was the cable pulled?");
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR)
      throw Error(path_, "", "", StrCat("cannot be waited for: ", std::strerror(errno)));
  }
}

void Tty::Write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
      throw Error(path_, "", "", StrCat("the port is gone: ", std::strerror(errno)));
    } else if (!WaitFor(POLLOUT, kWritePatience)) {
      throw Error(path_, "", "", StrCat("takes no bytes for ", kWritePatience.count(), " s"));
    }
  }
}

std::span<const uint8_t> Tty::Read(std::chrono::nanoseconds limit) {
  if (!WaitFor(POLLIN, limit)) return {};
  const ssize_t count = read(file_, buffer_.data(), buffer_.size());
  if (count > 0) return std::span(buffer_).first(static_cast<size_t>(count));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  // Ready, and nothing there: the end of a device that is gone.
  throw Error(path_, "", "",
              count == 0 ? "the port is gone: was the cable pulled?"
                         : StrCat("the port is gone: ", std::strerror(errno)));
}

}  // namespace vta::driver
