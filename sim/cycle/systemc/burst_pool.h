// Payloads of bursts, which come back when nobody holds them any more.
#pragma once

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

namespace vta::sim {

/// The longest burst: it stays inside a page of 4 KiB.
constexpr int kLongestBurstBytes = 4096;

/// Bursts that carry no data: what they read is thrown away, what they write has no byte enabled.
class BurstPool : public tlm::tlm_mm_interface {
 public:
  /// Held once. Units: bytes.
  tlm::tlm_generic_payload* Make(bool write, uint64_t address, unsigned bytes) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* burst = free_.back();
    free_.pop_back();
    burst->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    burst->set_address(address);
    burst->set_data_ptr(data_.data());
    burst->set_data_length(bytes);
    burst->set_streaming_width(bytes);
    burst->set_byte_enable_ptr(write ? &disabled_ : nullptr);
    burst->set_byte_enable_length(write ? 1 : 0);
    burst->set_dmi_allowed(false);
    burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    burst->acquire();
    return burst;
  }
  void free(tlm::tlm_generic_payload* burst) override {
    burst->reset();
    free_.push_back(burst);
  }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
  std::vector<unsigned char> data_ = std::vector<unsigned char>(kLongestBurstBytes);
  unsigned char disabled_ = TLM_BYTE_DISABLED;
};

}  // namespace vta::sim
