// The platform on which the SystemC module is tested: two models, each with its host, our memory
// and somebody else's.
#pragma once

#include <gtest/gtest.h>

#include "isa/launch.h"
#include "isa/spec/registers.h"
#include "sim/cycle/systemc/burst_pool.h"
#include "sim/cycle/systemc/cycle_model.h"
#include "sim/cycle/systemc/memory_model.h"
#include "tests/cycle/plain_memory.h"
#include "tests/support/files.h"

namespace vta::test {

using isa::Register;
using sim::CycleModel;

constexpr const char* kConfigs[] = {
    "isa/configs/default.json",         "tests/rtl/configs/extended_8x8.json",
    "tests/rtl/configs/tiny_4x4.json",  "tests/rtl/configs/one_burst.json",
    "tests/rtl/configs/latency_0.json", "tests/rtl/configs/bus_512.json"};
// A model with its host's end.
struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  sc_core::sc_signal<bool> line{"line"};
  CycleModel model;
  sc_time interrupted;

  SC_HAS_PROCESS(Host);
  Host(sc_core::sc_module_name name, const std::string& config)
      : sc_module(name), model("model", config, {}) {
    socket.bind(model.registers);
    model.interrupt(line);
    SC_METHOD(Interrupted);
    sensitive << line.posedge_event();
    dont_initialize();
  }
  void Interrupted() { interrupted = sc_core::sc_time_stamp(); }

  tlm::tlm_response_status Access(tlm::tlm_command command, uint64_t offset, uint32_t& value,
                                  sc_time& delay, unsigned char* enable = nullptr,
                                  unsigned bytes = 4, unsigned enable_bytes = 4) {
    tlm::tlm_generic_payload access;
    access.set_command(command);
    access.set_address(offset);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    access.set_data_length(bytes);
    access.set_streaming_width(bytes);
    access.set_byte_enable_ptr(enable);
    access.set_byte_enable_length(enable_bytes);
    socket->b_transport(access, delay);
    return access.get_response_status();
  }
  tlm::tlm_response_status Write(Register first, uint32_t value, int64_t word = 0) {
    sc_time delay;
    return Access(tlm::TLM_WRITE_COMMAND, static_cast<uint64_t>(first) + 4 * word, value, delay);
  }
  uint32_t Read(Register first, int64_t word = 0) {
    sc_time delay;
    uint32_t value = 0;
    EXPECT_EQ(Access(tlm::TLM_READ_COMMAND, static_cast<uint64_t>(first) + 4 * word, value, delay),
              tlm::TLM_OK_RESPONSE);
    return value;
  }
  uint64_t Counter(isa::HardwareCounter counter) {
    const int64_t word = 2 * static_cast<int64_t>(counter);
    return Read(Register::kCounter, word) | uint64_t{Read(Register::kCounter, word + 1)} << 32;
  }
  // `base`: of the memory on the bus.
  void WriteLaunch(const isa::LaunchRequest& launch, uint64_t base = 0) {
    const auto pair = [&](Register first, uint64_t value, int64_t word) {
      Write(first, static_cast<uint32_t>(value + base), word);
      Write(first, static_cast<uint32_t>((value + base) >> 32), word + 1);
    };
    pair(Register::kInstructionAddressLow, launch.instruction_address, 0);
    Write(Register::kInstructionCount, static_cast<uint32_t>(launch.instruction_count));
    for (int i = 0; i < isa::kBaseRegisters; ++i) pair(Register::kBase, launch.base[i], 2 * i);
    Write(Register::kInterruptStatus, 1);
    Write(Register::kInterruptEnable, 1);
  }
  // Runs a launch up to its interrupt; returns the cycles up to that.
  int64_t Run(const isa::LaunchRequest& launch, uint64_t base = 0) {
    WriteLaunch(launch, base);
    sc_core::sc_start(sc_time(1, SC_NS));
    EXPECT_FALSE(line.read());
    return Start();
  }
  int64_t Start() {
    Write(Register::kControl, isa::kControlStart);
    // The first clock edge two cycles later.
    const uint64_t period = model.clock_period().value();
    const uint64_t edge = (sc_core::sc_time_stamp().value() + 3 * period - 1) / period;
    const sc_time begin = sc_time::from_value(edge * period);
    for (int i = 0; i < 1000000 && !line.read(); ++i) sc_core::sc_start(sc_time(1000, SC_NS));
    EXPECT_TRUE(line.read());
    return static_cast<int64_t>((interrupted - begin) / model.clock_period());
  }
};

// A master that takes one channel for the other.
struct Confused : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Confused> reads{"reads"}, writes{"writes"};
  sim::BurstPool pool;
  sc_time taken;
  explicit Confused(sc_core::sc_module_name name) : sc_module(name) {
    reads.register_nb_transport_bw(this, &Confused::Back);
  }
  void Ask(bool write) { Ask(write, write ? reads : writes); }
  void Read() { Ask(false, reads); }
  tlm::tlm_response_status Access(unsigned char* enable, unsigned enable_bytes) {
    tlm::tlm_generic_payload access;
    uint32_t value = 0;
    access.set_command(tlm::TLM_WRITE_COMMAND);
    access.set_address(0);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    access.set_data_length(4);
    access.set_streaming_width(4);
    access.set_byte_enable_ptr(enable);
    access.set_byte_enable_length(enable_bytes);
    sc_time delay;
    writes->b_transport(access, delay);
    return access.get_response_status();
  }

 private:
  void Ask(bool write, tlm_utils::simple_initiator_socket<Confused>& socket) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    socket->nb_transport_fw(*pool.Make(write, 0, 64), phase, delay);
  }
  tlm::tlm_sync_enum Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase, sc_time&) {
    if (phase == tlm::END_REQ) taken = sc_core::sc_time_stamp();
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    burst.release();
    return tlm::TLM_COMPLETED;
  }
};

struct Platform {
  Host ours{"ours", SourcePath(kConfigs[0])}, foreign{"foreign", SourcePath(kConfigs[0])};
  sim::MemoryModel memory{"memory", SourcePath(kConfigs[0]), 0};
  PlainMemory plain{"plain"};
  Confused confused{"confused"};
  Platform() {
    ours.model.reads.bind(memory.port);
    ours.model.writes.bind(memory.port);
    confused.reads.bind(memory.port);
    confused.writes.bind(memory.port);
    foreign.model.reads.bind(plain.reads);
    foreign.model.writes.bind(plain.writes);
    sc_core::sc_start(SC_ZERO_TIME);
  }
};

// SystemC is elaborated once in a process.
inline Platform& ThePlatform() {
  static Platform* platform = new Platform;
  return *platform;
}

}  // namespace vta::test
