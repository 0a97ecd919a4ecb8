// A board behind a serial line, with memory of its own: bitstreams/boards/ecp5_85f.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/allocator.h"
#include "driver/numbered_path.h"
#include "driver/registers/register_device.h"
#include "driver/serial/link.h"

namespace vta::driver {

/// Errors: everything throws Error as SerialLink and RegisterDevice.
class SerialDevice : public RegisterDevice {
 public:
  /// Begins a session on the line. Errors: also where no VTA of the config answers.
  SerialDevice(std::unique_ptr<ByteLine> line, const isa::Config& config);
  ~SerialDevice() override;

  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;

  SerialStatistics statistics() const { return link_.statistics(); }

 private:
  // Fewer frames than words: those of consecutive registers that only keep what is written wait for
  // each other, and what a launch left in the registers is read many at a time.
  class Port : public isa::RegisterPort {
   public:
    explicit Port(SerialLink& link) : link_(link) {}
    uint32_t ReadWord(uint32_t offset) override;
    void WriteWord(uint32_t offset, uint32_t value) override;
    void Flush();

   private:
    uint32_t ReadOfEnded(const isa::RegisterSpec& row, uint32_t offset);

    SerialLink& link_;
    uint32_t first_ = 0;  // of those that wait
    std::vector<uint32_t> waiting_;
    bool ended_ = false;  // STATUS said last that a launch is done
    std::map<isa::Register, std::vector<uint32_t>> ended_words_;
  };

  SerialLink link_;
  Port port_;
  Allocator allocator_;
};

inline constexpr std::string_view kSerialUsage = "serial:DEVICE[@BAUD]";
/// `where` is DEVICE[@BAUD], 115200 baud if it does not say.
/// Errors: throws Error where it is not, or no serial port has that baud.
NumberedPath ParseSerial(const std::string& where);
/// `where` is as ParseSerial has it. Errors: also as that and Tty.
std::unique_ptr<Device> OpenSerial(const std::string& where, const isa::Config& config);

}  // namespace vta::driver
