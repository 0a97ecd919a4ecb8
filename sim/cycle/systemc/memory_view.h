// What a launch sees of a platform's memory.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace vta::sim {

/// The bytes at one place of the bus as they are now: through DMI, or where that is not given, a
/// copy that comes and goes by debug transport. It is used at once and thrown away: as no time
/// passes, no other master writes beside it, and no pointer is revoked.
class MemoryView {
 public:
  /// Errors: SystemC's, where debug transport does not take the bytes.
  MemoryView(tlm::tlm_fw_transport_if<>& bus, uint64_t base, uint64_t bytes);
  uint8_t* data() { return data_; }
  uint64_t size() const { return bytes_; }
  /// Writes the bytes of a copy that are others than they were. Errors: as the constructor.
  void Return();

 private:
  void Debug(tlm::tlm_command command, uint64_t at, uint8_t* data, uint64_t bytes);

  tlm::tlm_fw_transport_if<>& bus_;
  uint64_t base_, bytes_;
  uint8_t* data_ = nullptr;
  std::vector<uint8_t> copy_, before_;
};

}  // namespace vta::sim
