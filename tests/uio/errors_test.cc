// What keeps the driver from its board: one error each, with the name of what is wrong, and nothing
// stays locked.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/uio/uio_fixture.h"

namespace vta::driver::uio {
namespace {

constexpr char kMap[] = "/sys/class/uio/uio0/maps/map0/";
constexpr char kBuffer[] = "/sys/class/u-dma-buf/udmabuf0/";

class UioErrorsTest : public UioTest {
 protected:
  // With another text in a file of sysfs; afterwards all is well again.
  std::string ErrorWith(const std::string& file, const std::string& text) {
    std::ifstream stream(folder_.root() + file);
    const std::string good(std::istreambuf_iterator<char>(stream), {});
    folder_.Write(file, text);
    Set("");
    const std::string error = OpenError();
    folder_.Write(file, good);
    Set("");
    ExpectWorks();
    return error;
  }
  std::string ErrorWithoutPermission(const std::string& file) {
    const std::string path = folder_.root() + file;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    const std::string error = OpenError();
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ExpectWorks();
    return error;
  }
  std::string ErrorWhileHeld(const std::string& node) {
    const int other = open((folder_.root() + node).c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(flock(other, LOCK_EX), 0);
    const std::string error = OpenError();
    close(other);
    ExpectWorks();
    return error;
  }
};

TEST_F(UioErrorsTest, TheDeviceIsFoundByItsNameOrItsNode) {
  EXPECT_EQ(Open("uio0")->id().name, "/dev/uio0");
  EXPECT_EQ(Open("vta@udmabuf0")->id().name, "/dev/uio0");
  EXPECT_EQ(OpenError("vtb"),
            "/sys/class/uio: vtb: no UIO device is called so; there are uio0 (vta), uio1 (gpio)");
  folder_.AddUio("uio10", "vta");
  folder_.AddUio("uio9", "vta");
  EXPECT_EQ(OpenError(),
            "/sys/class/uio: vta: several UIO devices are called so: name one of uio0 (vta), uio9 "
            "(vta), uio10 (vta)");
  EXPECT_EQ(Open("uio0")->id().name, "/dev/uio0");
  folder_.Remove("/sys/class/uio");
  EXPECT_EQ(OpenError(),
            "/sys/class/uio: vta: there is no UIO device: uio_pdrv_genirq is not loaded, or the "
            "device tree names none for it (docs/uio.md)");
}

TEST_F(UioErrorsTest, TheBufferIsFoundByItsName) {
  EXPECT_EQ(Run(*Open("@udmabuf0")), kStored);
  EXPECT_EQ(OpenError("vta@udmabuf@0"),
            "/sys/class/u-dma-buf: udmabuf@0: no contiguous buffer is called so; there are "
            "udmabuf0");
  EXPECT_EQ(
      OpenError("vta@udmabuf1"),
      "/sys/class/u-dma-buf: udmabuf1: no contiguous buffer is called so; there are udmabuf0");
  ExpectWorks();
  folder_.Remove("/sys/class/u-dma-buf");
  EXPECT_EQ(OpenError(),
            "/sys/class/u-dma-buf: udmabuf0: there is no contiguous buffer: u-dma-buf is not "
            "loaded, or without a size (docs/uio.md)");
}

TEST_F(UioErrorsTest, ANodeThatIsMissingOrForbidden) {
  const std::string refused =
      ": cannot open: Permission denied; a rule of udev gives it to users (docs/uio.md)";
  for (const std::string file : {"/dev/uio0", "/dev/udmabuf0"}) {
    EXPECT_EQ(ErrorWithoutPermission(file), file + refused);
    folder_.Remove(file);
    EXPECT_EQ(OpenError(), file + ": cannot open: No such file or directory");
    folder_.Write(file, "");
    ExpectWorks();
  }
  for (const char* name : {"sync_for_cpu", "sync_for_device"})
    EXPECT_EQ(ErrorWithoutPermission(std::string(kBuffer) + name), kBuffer + (name + refused));
}

TEST_F(UioErrorsTest, ANodeThatAnotherProcessHas) {
  for (const std::string node : {"/dev/uio0", "/dev/udmabuf0"})
    EXPECT_EQ(ErrorWhileHeld(node), node + ": another process has it");
  const std::unique_ptr<Device> first = Open();
  EXPECT_EQ(OpenError(), "/dev/uio0: another process has it");
  EXPECT_EQ(Run(*first), kStored);
}

TEST_F(UioErrorsTest, ARegisterWindowThatDoesNotFit) {
  const std::string map = kMap;
  EXPECT_EQ(ErrorWith(map + "size", "0x800\n"),
            map + "size: 0x800: must be at least 0x1000, the page of registers");
  EXPECT_EQ(ErrorWith(map + "addr", "0x43c00800\n"),
            map + "addr: 0x43c00800: must be a multiple of 4096, as the page of registers is");
  EXPECT_EQ(ErrorWith(map + "offset", "0x10\n"),
            map + "offset: 0x10: must be 0: the registers begin a page");
  const std::string rule = ": must be a number of at most 64 bits, decimal or 0x...";
  for (const std::string text : {"0x", "12a", "-1", "0x10000000000000000", "1 2"})
    EXPECT_EQ(ErrorWith(map + "size", text + "\n"), map + "size: " + text + rule);
  for (const char* text : {"", "\n", "0x1000", "0x1000\n\n"})
    EXPECT_EQ(ErrorWith(map + "size", text).substr(0, map.size() + 5), map + "size:") << text;
}

TEST_F(UioErrorsTest, ABufferThatDoesNotFit) {
  const std::string buffer = kBuffer;
  EXPECT_EQ(ErrorWith(buffer + "size", "4095\n"),
            buffer + "size: 4095: must be at least 4096, a page");
  EXPECT_EQ(ErrorWith(buffer + "phys_addr", "0x1f000010\n"),
            buffer + "phys_addr: 0x1f000010: must be a multiple of 4096, a page");
  const std::string reach = ": with 1048576 bytes it ends above what the accelerator reaches, ";
  for (const char* address : {"0xfffffff01000", "0x1000000000000", "0xfffffffffffff000"})
    EXPECT_EQ(ErrorWith(buffer + "phys_addr", std::string(address) + "\n"),
              StrCat(buffer, "phys_addr: ", address, reach, "0xffffffffffff"));
  EXPECT_EQ(ErrorWith(buffer + "phys_addr", "udmabuf\n"),
            buffer + "phys_addr: udmabuf: must be a number of at most 64 bits, decimal or 0x...");
  // What sysfs says is more than can be mapped.
  folder_.Write(buffer + "size", "536870912\n");
  Set("");
  EXPECT_EQ(OpenError(), "/dev/udmabuf0: 536870912 bytes: cannot map: Invalid argument");
}

TEST_F(UioErrorsTest, MemoryThatIsExhausted) {
  const std::unique_ptr<Device> device = Open();
  const Buffer half(*device, 1 << 19);
  EXPECT_EQ(ErrorOf([&] { device->Allocate((1 << 19) + 1); }),
            "device /dev/udmabuf0: memory = 524289 bytes: the largest free range has 524288");
  const Buffer other(*device, 1 << 19);
}

TEST_F(UioErrorsTest, AnotherAcceleratorOrNone) {
  const auto open = [&](const char* fault) {
    Set(StrCat(", \"fault\": \"", fault, "\""));
    const std::string error = OpenError();
    Set("");
    ExpectWorks();
    return error;
  };
  EXPECT_EQ(open("wrong_id"),
            "device /dev/uio0: register id = 0x31415457: is not a VTA's, 0x31415456");
  EXPECT_EQ(open("all_ones"),
            "device /dev/uio0: register id = 0xffffffff: is not a VTA's, 0x31415456");
  EXPECT_EQ(open("no_answer"),
            "/dev/uio0: register = 0x010: does not answer: the bus reports an error");
  const uint64_t hash = isa::ArchHash(config_);
  EXPECT_EQ(open("wrong_hash"),
            StrCat("/dev/uio0: arch hash = ", Hex(hash, 16),
                   " (config \"extended_8x8\"): the device \"/dev/uio0\" is ", Hex(hash ^ 1, 16)));
}

TEST_F(UioErrorsTest, WhatGoesWrongInALaunch) {
  const auto run = [&](const char* fault) {
    Set(StrCat(", \"fault_after\": 1, \"fault\": \"", fault, "\""));
    std::unique_ptr<Device> device = Open();
    EXPECT_EQ(Run(*device), kStored);
    const std::string error = ErrorOf([&] { Run(*device); });
    device.reset();
    Set("");
    ExpectWorks();
    return error;
  };
  EXPECT_EQ(run("no_answer"),
            "/dev/uio0: register = 0x000: refuses to be written: the bus reports an error");
  EXPECT_EQ(run("dead_bus"),
            "/dev/uio0: register status = 0x00000046: memory answered nothing for 10 ms (1000000 "
            "cycles at 100 MHz), so the watchdog ended the launch");
  EXPECT_EQ(run("stuck"),
            "/dev/uio0: register status = 0x00000001: the accelerator is busy and does nothing; it "
            "was reset");
  EXPECT_EQ(run("all_ones"),
            "/dev/uio0: register status = 0xffffffff: no VTA answers there any more");
}

TEST_F(UioErrorsTest, WhatTheKernelRefuses) {
  const auto run = [&](const char* what, int error) {
    Set(StrCat(", \"", what, "_error\": ", error));
    std::unique_ptr<Device> device = Open();
    const std::string message = ErrorOf([&] { Run(*device); });
    device.reset();
    Set("");
    ExpectWorks();
    return message;
  };
  EXPECT_EQ(run("unmask", ENODEV), "/dev/uio0: cannot unmask the interrupt: No such device");
  EXPECT_EQ(run("poll", ENOMEM), "/dev/uio0: cannot wait: Cannot allocate memory");
  EXPECT_EQ(run("take", EIO), "/dev/uio0: cannot read the interrupt: Input/output error");
  EXPECT_EQ(run("sync", EINVAL),
            StrCat(kBuffer, "sync_for_device: 0x1005: cannot write: Invalid argument"));
  EXPECT_EQ(run("poll", EINTR), "no error") << "a signal is no reason to give up";
}

// A bus error that is not an access of a register's is the program's own.
TEST_F(UioErrorsTest, OtherBusErrorsGoWhereTheyWent) {
  EXPECT_EXIT(
      {
        const std::unique_ptr<Device> device = Open();
        raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  static volatile sig_atomic_t seen = 0;
  std::signal(SIGBUS, [](int) { seen = seen + 1; });
  {
    const std::unique_ptr<Device> device = Open();
    raise(SIGBUS);
  }
  raise(SIGBUS);
  EXPECT_EQ(seen, 2);
  std::signal(SIGBUS, SIG_DFL);
}

}  // namespace
}  // namespace vta::driver::uio
