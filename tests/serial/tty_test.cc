// A serial port of this machine, played by a pseudo-terminal: who may have it, how it is set, and
// what its end is like.
#include "driver/serial/tty.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"

namespace vta::test {
namespace {

using driver::Tty;
using std::chrono::milliseconds;

class TtyTest : public testing::Test {
 protected:
  TtyTest() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    VTA_CHECK(master_ >= 0 && grantpt(master_) == 0 && unlockpt(master_) == 0);
    path_ = ptsname(master_);
  }
  ~TtyTest() override { Unplug(); }

  void Unplug() {
    if (master_ >= 0) close(master_);
    master_ = -1;
  }
  std::string OpenError(const std::string& path) {
    return ErrorOf([&] { Tty tty(path, 115200); });
  }
  termios Settings() {
    const int slave = open(path_.c_str(), O_RDWR | O_NOCTTY);
    termios settings{};
    VTA_CHECK(slave >= 0 && tcgetattr(slave, &settings) == 0, path_);
    close(slave);
    return settings;
  }

  int master_;
  std::string path_;
};

// No byte means anything to it, in either direction.
TEST_F(TtyTest, CarriesEveryByte) {
  Tty tty(path_, 3'000'000);
  std::vector<uint8_t> all(256), came(256);
  for (int i = 0; i < 256; ++i) all[i] = static_cast<uint8_t>(i);
  tty.Write(all);
  ASSERT_EQ(read(master_, came.data(), came.size()), 256);
  EXPECT_EQ(came, all);
  ASSERT_EQ(write(master_, all.data(), all.size()), 256);
  std::vector<uint8_t> got;
  while (got.size() < all.size()) {
    const auto read = tty.Read(milliseconds(1000));
    ASSERT_FALSE(read.empty());
    got.insert(got.end(), read.begin(), read.end());
  }
  EXPECT_EQ(got, all);
  EXPECT_TRUE(tty.Read(milliseconds(1)).empty());
}

// And as it was before when it goes.
TEST_F(TtyTest, IsSetWhileItIsOpen) {
  const termios before = Settings();
  {
    const Tty tty(path_, 921600);
    termios during{};
    ASSERT_EQ(tcgetattr(master_, &during), 0);
    EXPECT_EQ(cfgetospeed(&during), static_cast<speed_t>(B921600));
    EXPECT_EQ(during.c_lflag & (ICANON | ECHO | ISIG), 0u);
    EXPECT_EQ(during.c_iflag & (IXON | ICRNL), 0u);
    EXPECT_EQ(during.c_cflag & (PARENB | CSTOPB | CSIZE), static_cast<tcflag_t>(CS8));
  }
  const termios after = Settings();
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_iflag, before.c_iflag);
  EXPECT_EQ(cfgetospeed(&after), cfgetospeed(&before));
}

TEST_F(TtyTest, IsForOneAlone) {
  const std::string held = path_ + ": another process holds it";
  std::optional<Tty> tty(std::in_place, path_, 115200);
  EXPECT_EQ(OpenError(path_), held);
  EXPECT_EQ(OpenError(path_), held);
  tty.reset();
  EXPECT_EQ(OpenError(path_), "no error");
}

TEST_F(TtyTest, WhatIsNoneIsNamed) {
  EXPECT_EQ(OpenError("/dev/no-such-port"),
            "/dev/no-such-port: there is no such device; is the board plugged in?");
  EXPECT_EQ(OpenError("/dev/null"), "/dev/null: is no serial port");
  EXPECT_THAT(OpenError("/dev"), testing::StartsWith("/dev: cannot be opened: "));
  // As somebody who may do everything, this asks as somebody else.
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  const uid_t user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);
  const std::string error = OpenError(path_);
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_EQ(
      error,
      path_ +
          ": no permission to open it; its group may (on Debian dialout: adduser USER dialout)");
}

TEST_F(TtyTest, ACableThatIsPulledIsAnError) {
  Tty tty(path_, 115200);
  EXPECT_TRUE(tty.Read(milliseconds(1)).empty());
  Unplug();
  EXPECT_EQ(ErrorOf([&] { tty.Read(milliseconds(1000)); }),
            path_ + ": the port is gone: was the cable pulled?");
  EXPECT_THAT(ErrorOf([&] { tty.Write(std::vector<uint8_t>{1}); }),
              testing::StartsWith(path_ + ": the port is gone"));
}

TEST_F(TtyTest, APortThatTakesNothingIsAnError) {
  Tty tty(path_, 115200);
  EXPECT_EQ(ErrorOf([&] { tty.Write(std::vector<uint8_t>(1 << 20)); }),
            path_ + ": takes no bytes for 2 s");
}

}  // namespace
}  // namespace vta::test
