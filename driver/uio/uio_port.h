// The accelerator's registers and its interrupt, as Linux' UIO gives them to a process.
#pragma once

#include <chrono>
#include <string>

#include "driver/uio/bus_access.h"
#include "driver/uio/node.h"
#include "isa/register_launch.h"

namespace vta::driver::uio {

inline constexpr char kUioClass[] = "/sys/class/uio";

/// Where the kernel keeps what it knows of a UIO device.
struct UioFolder {
  std::string device;  // "uio0"
  std::string path() const { return std::string(kUioClass) + "/" + device; }
  std::string node() const { return "/dev/" + device; }
};
/// The UIO device that has a name, or is that node ("uio0").
/// Errors: throws Error where none or several have it; it lists those that are there.
UioFolder FindUio(const std::string& name);

class UioPort : public isa::RegisterPort {
 public:
  /// Locks the device's node and maps its registers.
  /// Errors: throws Error naming the node, or the file in sysfs that does not fit.
  explicit UioPort(const UioFolder& folder);

  /// Errors: both throw Error naming the node where the bus answers with an error. A port that
  /// never answers stops the processor on Zynq-7000, which no process can notice.
  uint32_t ReadWord(uint32_t offset) override;
  void WriteWord(uint32_t offset, uint32_t value) override;

  const std::string& path() const { return node_.path(); }

  enum class Waited { kInterrupt, kTimeout, kImpossible };
  /// Unmasks the interrupt, which the kernel masks when it comes, and waits for it. An interrupt
  /// that came since the last wait counts. Impossible: the device tree names none.
  /// Errors: throws Error naming the node.
  Waited WaitForInterrupt(std::chrono::nanoseconds limit);

 private:
  volatile uint32_t* At(uint32_t offset) const;

  BusErrors errors_;
  OpenFile node_;
  Mapping registers_;
};

}  // namespace vta::driver::uio
