#include "tests/rtl/bench/bench.h"

#include <dlfcn.h>

#include <cstring>

#include "isa/support/error.h"
#include "sim/rtl/model/abi.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

template <typename Function>
Function Symbol(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  VTA_CHECK(symbol, name);
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

sim::ModelTop ModulesTop() {
  return {"vta_bench",
          {"hw/serial/vta_uart_rx.sv", "hw/serial/vta_uart_tx.sv", "tests/rtl/bench/vta_bench.vlt",
           "tests/rtl/bench/vta_bench.sv"}};
}

Bench::Bench(const isa::Config& config, const sim::ModelTop& top) : config_(config) {
  const std::string path = sim::BuildModel(config, {.top = top});
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw Error(path, "", "", StrCat("cannot be loaded: ", dlerror()));
  model_ = Symbol<VtaModelNew>(library_, "vta_model_new")();
  Reset();
}

Bench::~Bench() {
  if (model_) Symbol<VtaModelDelete>(library_, "vta_model_delete")(model_);
}

Bench::Port& Bench::Find(const std::string& name) {
  Port& port = ports_[name];
  if (!port.data)
    port.data = static_cast<uint8_t*>(
        Symbol<VtaModelFind>(library_, "vta_model_find")(model_, name.c_str(), &port.bits));
  VTA_CHECK(port.data, name);
  return port;
}

uint64_t Bench::Get(const std::string& name, int low) {
  const Port& port = Find(name);
  uint64_t value = 0;
  for (int bit = std::min(port.bits, low + 64) - 1; bit >= low; --bit)
    value = value << 1 | (port.data[bit / 8] >> (bit % 8) & 1);
  return value;
}

void Bench::Set(const std::string& name, uint64_t value) {
  const Port& port = Find(name);
  VTA_CHECK(port.bits >= 64 || value >> port.bits == 0, name);
  for (size_t i = 0; i < port.bytes(); ++i)
    port.data[i] = i < 8 ? static_cast<uint8_t>(value >> (8 * i)) : 0;
}

void Bench::SetBytes(const std::string& name, std::span<const uint8_t> bytes) {
  const Port& port = Find(name);
  VTA_CHECK(bytes.size() == port.bytes(), name);
  std::memcpy(port.data, bytes.data(), bytes.size());
}

std::vector<uint8_t> Bench::GetBytes(const std::string& name) {
  const Port& port = Find(name);
  return {port.data, port.data + port.bytes()};
}

void Bench::Eval() {
  if (Symbol<VtaModelEval>(library_, "vta_model_eval")(model_) != 0)
    throw Error("RTL", "", "", Symbol<VtaModelMessage>(library_, "vta_model_message")(model_));
}

void Bench::Settle() {
  Set("clk_i", 0);
  Eval();
}

void Bench::Clock() {
  Settle();
  Set("clk_i", 1);
  Eval();
  Settle();
}

void Bench::Reset() {
  Set("rst_ni", 0);
  Clock();
  Clock();
  Set("rst_ni", 1);
  Settle();
}

std::vector<isa::Config> BenchConfigs() {
  std::vector<isa::Config> configs;
  for (const char* name : {"extended_8x8", "batch2_8x32"})
    configs.push_back(isa::LoadConfig(SourcePath(StrCat("tests/rtl/configs/", name, ".json"))));
  return configs;
}

}  // namespace vta::test
