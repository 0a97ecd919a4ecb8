// A verilated test bench whose ports are found by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "isa/config.h"
#include "sim/rtl/build.h"

namespace vta::test {

/// vta_bench.sv: modules of the design, each by itself.
sim::ModelTop ModulesTop();

class Bench {
 public:
  /// Builds the bench of a config if it has to, or another top that has clk_i and rst_ni, and
  /// resets it. Errors: as sim::BuildModel.
  explicit Bench(const isa::Config& config, const sim::ModelTop& top = ModulesTop());
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  const isa::Config& config() const { return config_; }
  /// The lowest 64 bits of a port, from `low` on. A name that is no port aborts.
  uint64_t Get(const std::string& port, int low = 0);
  int64_t GetSigned(const std::string& port) { return static_cast<int32_t>(Get(port)); }
  void Set(const std::string& port, uint64_t value);
  /// All bits of a port, little-endian; `bytes` is as long as the port.
  void SetBytes(const std::string& port, std::span<const uint8_t> bytes);
  std::vector<uint8_t> GetBytes(const std::string& port);
  /// Where the model keeps a port, as VtaPorts has it.
  uint8_t* Data(const std::string& port) { return Find(port).data; }

  /// Settles the outputs for the inputs as they are; Clock() ends the cycle after that.
  /// Errors: throws Error with the message of an assertion that failed.
  void Settle();
  void Clock();
  void Reset();

 private:
  struct Port {
    uint8_t* data = nullptr;
    int bits = 0;
    size_t bytes() const { return static_cast<size_t>(bits + 7) / 8; }
  };
  Port& Find(const std::string& name);
  void Eval();

  isa::Config config_;
  void* library_ = nullptr;
  void* model_ = nullptr;
  std::map<std::string, Port> ports_;
};

/// The configs that every bench runs on.
std::vector<isa::Config> BenchConfigs();

}  // namespace vta::test
