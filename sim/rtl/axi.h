// What both ends of AXI mean by their codes.
// Source: ARM IHI 0022, "Burst type" and "Read and write response structure".
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::sim {

enum class AxiBurst : uint8_t { kFixed = 0, kIncrementing = 1, kWrapping = 2 };
enum class AxiResponse : uint8_t {
  kOkay = 0,
  kExclusiveOkay = 1,
  kSlaveError = 2,
  kDecodeError = 3
};

inline constexpr std::string_view kAxiResponses[] = {"OKAY", "EXOKAY", "SLVERR", "DECERR"};

}  // namespace vta::sim
