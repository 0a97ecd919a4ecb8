// What an xclbin file says of the accelerator in it: XRT's container, with a section of our own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/gen/kernel_xml.h"

namespace vta::driver {

// The accelerator as XRT finds it: a kernel, and its one instance.
inline constexpr std::string_view kKernelName = isa::kIpName, kInstanceName = "vta_1";

struct XclbinBank {
  std::string name;
  uint64_t address = 0;  // on the accelerator's bus
  int64_t bytes = 0;
};

struct Xclbin {
  isa::Config config;
  uint64_t arch_hash = 0;
  bool has_bitstream = false;  // without it is for the simulated device alone
  std::vector<std::string> ips;
  std::vector<XclbinBank> banks;  // by the index that XRT knows them by

  bool HasKernel() const;
};

/// What stands in the section of our own, which ParseXclbin reads.
std::string XclbinMetadata(const isa::Config& config, bool has_bitstream);

/// Errors: throws Error naming the file, the section and the rule where bytes are no xclbin, are
/// cut off, have no section of ours, or one that contradicts itself.
Xclbin ParseXclbin(std::span<const uint8_t> bytes, const std::string& file);

}  // namespace vta::driver
