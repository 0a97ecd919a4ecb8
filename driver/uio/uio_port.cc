#include "driver/uio/uio_port.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "driver/uio/sysfs.h"
#include "isa/support/error.h"

namespace vta::driver::uio {
namespace {

constexpr size_t kWindowBytes = size_t{1} << isa::kRegisterAddressBits;

std::string NameOf(const std::string& device) {
  return ReadSysfsLine(UioFolder{device}.path() + "/name");
}

// "uio0 (gpio), uio1 (timer)"
std::string Listed(const std::vector<std::string>& devices) {
  std::string list;
  for (const std::string& device : devices)
    list += StrCat(list.empty() ? "" : ", ", device, " (", NameOf(device), ")");
  return list;
}

// What is mapped are whole pages; here the registers are one.
OpenFile OpenNode(const UioFolder& folder) {
  const std::string map = folder.path() + "/maps/map0/";
  const uint64_t address = ReadSysfsNumber(map + "addr");
  if (address % kWindowBytes != 0)
    throw Error(map + "addr", "", Hex(address),
                StrCat("must be a multiple of ", kWindowBytes, ", as the page of registers is"));
  if (const uint64_t offset = ReadSysfsNumber(map + "offset"))
    throw Error(map + "offset", "", Hex(offset), "must be 0: the registers begin a page");
  if (const uint64_t size = ReadSysfsNumber(map + "size"); size < kWindowBytes)
    throw Error(map + "size", "", Hex(size),
                StrCat("must be at least ", Hex(kWindowBytes), ", the page of registers"));
  OpenFile node(folder.node(), O_RDWR | O_NONBLOCK);
  node.Lock();
  return node;
}

}  // namespace

UioFolder FindUio(const std::string& name) {
  const std::vector<std::string> devices = ListSysfs(kUioClass);
  if (devices.empty())
    throw Error(kUioClass, "", name,
                "there is no UIO device: uio_pdrv_genirq is not loaded, or the device tree names "
                "none for it (docs/uio.md)");
  std::vector<std::string> found;
  for (const std::string& device : devices)
    if (device == name || NameOf(device) == name) found.push_back(device);
  if (found.empty())
    throw Error(kUioClass, "", name, "no UIO device is called so; there are " + Listed(devices));
  if (found.size() > 1)
    throw Error(kUioClass, "", name,
                "several UIO devices are called so: name one of " + Listed(found));
  return {found[0]};
}

UioPort::UioPort(const UioFolder& folder)
    : node_(OpenNode(folder)), registers_(node_, kWindowBytes) {}

volatile uint32_t* UioPort::At(uint32_t offset) const {
  VTA_CHECK(offset % sizeof(uint32_t) == 0 && offset < kWindowBytes, offset);
  return static_cast<volatile uint32_t*>(registers_.data()) + offset / sizeof(uint32_t);
}

uint32_t UioPort::ReadWord(uint32_t offset) {
  const std::optional<uint32_t> value = LoadRegister(At(offset));
  if (!value)
    throw Error(path(), "register", Hex(offset, 3), "does not answer: the bus reports an error");
  return *value;
}

void UioPort::WriteWord(uint32_t offset, uint32_t value) {
  if (!StoreRegister(At(offset), value))
    throw Error(path(), "register", Hex(offset, 3),
                "refuses to be written: the bus reports an error");
}

UioPort::Waited UioPort::WaitForInterrupt(std::chrono::nanoseconds limit) {
  const int32_t unmask = 1;
  if (write(node_.descriptor(), &unmask, sizeof unmask) != sizeof unmask) {
    if (errno == EIO) return Waited::kImpossible;
    throw Error(path(), "", "", StrCat("cannot unmask the interrupt: ", std::strerror(errno)));
  }
  pollfd wait{node_.descriptor(), POLLIN, 0};
  const auto limit_ms = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  const int ready = poll(&wait, 1, static_cast<int>(std::clamp<int64_t>(limit_ms, 1, 1000)));
  if (ready < 0 && errno != EINTR)
    throw Error(path(), "", "", StrCat("cannot wait: ", std::strerror(errno)));
  if (ready <= 0) return Waited::kTimeout;
  int32_t count = 0;  // of all interrupts since the device is there; how many came does not matter
  if (read(node_.descriptor(), &count, sizeof count) != sizeof count && errno != EAGAIN)
    throw Error(path(), "", "", StrCat("cannot read the interrupt: ", std::strerror(errno)));
  return Waited::kInterrupt;
}

}  // namespace vta::driver::uio
