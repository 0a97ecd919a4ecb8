// The host's end of the AXI4-Lite port, handshake by handshake.
#pragma once

#include <functional>

#include "sim/rtl/axi.h"
#include "sim/rtl/model/abi.h"

namespace vta::sim {

class HostPort {
 public:
  struct Answer {
    uint32_t data = 0;
    AxiResponse response = AxiResponse::kOkay;
    bool operator==(const Answer&) const = default;
  };
  struct WriteShape {
    uint8_t strobes = 0xf;           // bit n: byte n is written
    int64_t address_from_cycle = 0;  // when the address and the data are offered
    int64_t data_from_cycle = 0;
    int64_t answer_from_cycle = 0;  // when the answer is taken, if it is there
  };

  /// `step` runs one clock cycle.
  HostPort(const VtaPorts& ports, std::function<void()> step)
      : ports_(ports), step_(std::move(step)) {}

  /// Errors: throws Error when the port does not take or answer it for kPatienceCycles.
  Answer Read(uint16_t address);
  AxiResponse Write(uint16_t address, uint32_t data) { return Write(address, data, WriteShape()); }
  AxiResponse Write(uint16_t address, uint32_t data, const WriteShape& shape);

  static constexpr int64_t kPatienceCycles = 64;

 private:
  const VtaPorts& ports_;
  std::function<void()> step_;
};

}  // namespace vta::sim
