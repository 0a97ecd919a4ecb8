// An accelerator variant: loaded from our three-section files or from upstream's flat
// vta_config.json, and validated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/spec/parameters.h"

namespace vta {
class Json;
}

namespace vta::isa {

enum class Version : uint8_t {
  k002,  // "0.0.2": bit-compatible with upstream VTA
  k100,  // "1.0": our superset in the same words
};
std::string_view VersionName(Version version);

struct Config {
  std::string name = "default";
  std::string about;  // what it is for, in one line; may be empty
  Version version = Version::k002;
  Arch arch;
  Uarch uarch;
  Memory memory;

  // Bytes of one element (one scratchpad row).
  int64_t inp_bytes() const { return arch.batch * arch.block_in * kInpBits / 8; }
  int64_t wgt_bytes() const { return arch.block_out * arch.block_in * kWgtBits / 8; }
  int64_t acc_bytes() const { return arch.batch * arch.block_out * kAccBits / 8; }
  int64_t out_bytes() const { return arch.batch * arch.block_out * kOutBits / 8; }
  int64_t macs_per_cycle() const { return arch.batch * arch.block_in * arch.block_out; }
  /// ISA 1.0 modes exist: SET is legal.
  bool has_set() const { return arch.requant || arch.pad_value; }
};

/// Reads and validates a config file of either kind.
/// Errors: throws Error naming file, key, value and rule (unknown key, range, impossible
/// combination).
Config LoadConfig(const std::string& path);
Config ParseConfig(std::string_view text, const std::string& file);
/// Of ours: each parameter by itself; they need not go together.
Config ReadConfig(const Json& json, const std::string& file);

/// Errors: throws Error when the fields of an instruction or micro-op do not fit their words, or
/// when an extension needs a later ISA version.
void ValidateConfig(const Config& config, const std::string& file);

/// Our three-section form; ParseConfig of it gives an equal config.
std::string ConfigToJson(const Config& config);

/// What a program depends on: encoding columns and `arch`. Equal hashes run each other's programs.
uint64_t ArchHash(const Config& config);
/// ArchHash with `uarch` and `memory`: what a cycle count depends on.
uint64_t TimingHash(const Config& config);

/// log2 of a power of two.
int Log2(int64_t value);

}  // namespace vta::isa
