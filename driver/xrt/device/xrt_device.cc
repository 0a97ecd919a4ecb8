#include "driver/xrt/xrt_device.h"

#include <experimental/xrt_ip.h>
#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "driver/numbered_path.h"
#include "driver/registers/register_device.h"
#include "driver/xrt/device/xrt_opener.h"
#include "driver/xrt/simulated_name.h"
#include "driver/xrt/xclbin.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

// A message is a line: what comes after the first, as the end of a log that it names, is left out.
std::string Says(const std::exception& e) {
  std::string text = e.what();
  text.resize(std::min(text.find('\n'), text.size()));
  if (text.ends_with(':')) text.pop_back();
  return StrCat("XRT says: ", text);
}

// XRT throws what it likes: all of it is an Error that names the device.
template <typename Call>
auto Calling(const std::string& device, const std::string& what, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw Error(device, what, "", "XRT has no memory for it");
  } catch (const std::system_error& e) {
    if (e.code().value() == EBUSY)
      throw Error(device, what, "", "is held already, by another process or this one");
    throw Error(device, what, "", Says(e));
  } catch (const std::exception& e) {
    throw Error(device, what, "", Says(e));
  }
}

// Empty where the driver has none to tell.
std::string NameOf(const xrt::device& device) {
  try {
    return device.get_info<xrt::info::device::name>();
  } catch (const std::exception&) {
    return "";
  }
}

class XrtDevice : public RegisterDevice, private isa::RegisterPort {
 public:
  XrtDevice(const std::string& where, const isa::Config& config);
  ~XrtDevice() override { Detach(); }

  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override { buffers_.erase(Find(address, 0).address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return;
    std::copy(bytes.begin(), bytes.end(), Map(address, std::ssize(bytes)).data());
    SyncForDevice(address, std::ssize(bytes));
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return;
    SyncForHost(address, std::ssize(bytes));
    std::copy_n(Map(address, std::ssize(bytes)).data(), bytes.size(), bytes.data());
  }
  std::span<uint8_t> Map(uint64_t address, int64_t bytes) override {
    const Found found = Find(address, bytes);
    return {found.buffer.host + found.offset, static_cast<size_t>(bytes)};
  }
  void SyncForHost(uint64_t address, int64_t bytes) override {
    Sync(XCL_BO_SYNC_BO_FROM_DEVICE, address, bytes);
  }
  void SyncForDevice(uint64_t address, int64_t bytes) override {
    Sync(XCL_BO_SYNC_BO_TO_DEVICE, address, bytes);
  }

 private:
  struct BufferObject {
    xrt::bo object;
    uint8_t* host;
    uint64_t bytes;
  };
  struct Found {
    uint64_t address;  // of the buffer
    BufferObject& buffer;
    uint64_t offset;
  };

  /// Whether it is the simulated one.
  bool OpenDevice(const NumberedPath& place, const std::vector<uint8_t>& file,
                  const Xclbin& xclbin);
  Found Find(uint64_t address, int64_t bytes);
  void Sync(xclBOSyncDirection direction, uint64_t address, int64_t bytes);
  uint32_t ReadWord(uint32_t offset) override {
    return Calling(name(), "register " + Hex(offset, 3), [&] { return ip_.read_register(offset); });
  }
  void WriteWord(uint32_t offset, uint32_t value) override {
    Calling(name(), "register " + Hex(offset, 3), [&] { ip_.write_register(offset, value); });
  }

  xrt::device device_;
  xrt::ip ip_;
  xrt::memory_group bank_ = 0;
  std::map<uint64_t, BufferObject> buffers_;  // by address on the bus
};

XrtDevice::XrtDevice(const std::string& where, const isa::Config& config)
    : RegisterDevice("xrt:" + where, config) {
  const NumberedPath place = ParseNumberedPath(where, kXrtUsage);
  const std::vector<uint8_t> file = ReadFile(place.path);
  const Xclbin xclbin = ParseXclbin(file, place.path);
  RequireSameArch(config, {place.path, xclbin.arch_hash, std::nullopt, xclbin.config}, name());
  if (!xclbin.HasKernel())
    throw Error(place.path, "section IP_LAYOUT", "",
                StrCat("has no ", kKernelName, ":", kInstanceName));
  const bool is_simulated = OpenDevice(place, file, xclbin);
  Attach(*this, is_simulated);
}

bool XrtDevice::OpenDevice(const NumberedPath& place, const std::vector<uint8_t>& file,
                           const Xclbin& xclbin) {
  device_ = Calling(name(), "device", [&] { return xrt::device(place.number.value_or(0)); });
  const bool is_simulated = NameOf(device_) == kSimulatedName;
  if (!xclbin.has_bitstream && !is_simulated)
    throw Error(place.path, "section BITSTREAM", "",
                "is missing: the file is for the simulated device alone; vta hw xclbin --bitstream "
                "puts one in");
  const std::string kernel(kKernelName);
  const xrt::uuid id = Calling(name(), "xclbin", [&] {
    const xrt::xclbin loaded(std::vector<char>(file.begin(), file.end()));
    bank_ = static_cast<xrt::memory_group>(
        loaded.get_kernel(kernel).get_arg(0).get_mems().at(0).get_index());
    return device_.load_xclbin(loaded);
  });
  ip_ = Calling(name(), "accelerator", [&] { return xrt::ip(device_, id, kernel); });
  return is_simulated;
}

uint64_t XrtDevice::Allocate(int64_t bytes) {
  const auto page = static_cast<uint64_t>(kAllocationAlignment);
  const uint64_t size =
      std::max<uint64_t>(1, (static_cast<uint64_t>(bytes) + page - 1) / page) * page;
  const uint64_t address = Calling(name(), StrCat("memory of ", Counted(bytes, "byte")), [&] {
    BufferObject buffer{xrt::bo(device_, size, xrt::bo::flags::cacheable, bank_), nullptr, size};
    buffer.host = buffer.object.map<uint8_t*>();
    std::memset(buffer.host, 0, size);
    buffer.object.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const uint64_t at = buffer.object.address();
    buffers_.emplace(at, std::move(buffer));
    return at;
  });
  return address;
}

XrtDevice::Found XrtDevice::Find(uint64_t address, int64_t bytes) {
  const auto after = buffers_.upper_bound(address);
  if (after != buffers_.begin()) {
    auto& [begin, buffer] = *std::prev(after);
    const uint64_t offset = address - begin;
    if (offset < buffer.bytes && static_cast<uint64_t>(bytes) <= buffer.bytes - offset)
      return {begin, buffer, offset};
  }
  throw Error(name(), "memory", StrCat(Hex(address), " + ", Counted(bytes, "byte")),
              "must lie inside one allocation");
}

void XrtDevice::Sync(xclBOSyncDirection direction, uint64_t address, int64_t bytes) {
  if (bytes == 0) return;
  const Found found = Find(address, bytes);
  Calling(name(), "cache",
          [&] { found.buffer.object.sync(direction, static_cast<size_t>(bytes), found.offset); });
}

}  // namespace

extern "C" Device* vta_open_xrt(const std::string& where, const isa::Config& config) {
  return new XrtDevice(where, config);
}

}  // namespace vta::driver
