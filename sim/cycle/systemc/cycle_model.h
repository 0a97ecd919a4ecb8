// The accelerator as a SystemC module: the cycle model behind TLM-2.0 sockets. C++17.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace vta::sim {

/// Takes launches like the RTL, and as many cycles. It can be elaborated once and then be given any
/// config, and any number of launches.
///
/// Values are those of the golden model; they are in memory when a launch ends. Bursts carry time
/// alone: what a read brings is not looked at, a write enables no byte. A launch in whose memory a
/// burst is answered with an error writes no values; its outcome and faults are the core's.
class CycleModel : public sc_core::sc_module {
 public:
  /// Whose time a burst takes.
  enum class Memory {
    /// The config's, as if the accelerator had a memory of its own. No burst is on `reads` and
    /// `writes`. A launch runs ahead of SystemC's time by the global quantum of TLM-2.0.
    kOwn,
    /// That of who is bound to `reads` and `writes`.
    kSocket,
  };

  struct Options {
    Memory memory = Memory::kSocket;
    /// Where the memory of launches lies on the bus. It is read and written there through DMI, or
    /// where that is not given, debug transport of `reads`. Units: bytes; the base is a multiple of
    /// 4096.
    uint64_t memory_base = 0;
    uint64_t memory_bytes = 0;
    /// Without, memory is not written: time alone.
    bool values = true;
    /// Without, the config's clock. A multiple of two of SystemC's resolution.
    sc_core::sc_time clock_period = sc_core::SC_ZERO_TIME;
  };

  /// Units: cycles since the launch's, which is that in which CONTROL.start is accepted.
  struct Instruction {
    int module = 0;  // load, compute, store
    int64_t index = 0;
    int64_t begin = 0, end = 0;
  };

  /// The host's registers: 32-bit accesses, loosely timed. A write takes two cycles and a read
  /// three, as on the RTL. What isa/spec/registers.h does not allow is answered with a command
  /// error, and another size or alignment with a burst error.
  tlm_utils::simple_target_socket<CycleModel> registers;
  /// The two directions of AXI4, approximately timed, with the data of writes in phases of their
  /// own (phases.h). An address is on the bus from the clock edge of its BEGIN_REQ up to the end of
  /// the cycle of END_REQ. The first beat of a read comes in the cycle of BEGIN_RESP; a beat
  /// follows the one before it as the config's memory has it; the burst ends with the cycle of its
  /// last one, and so does what END_RESP says. Each direction is answered in the order in which it
  /// asked. Both are bound with Memory::kOwn, too: `reads` is how the memory of launches is found.
  tlm_utils::simple_initiator_socket<CycleModel> reads, writes;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  /// Errors: throws std::runtime_error (vta::Error) as isa::LoadConfig does, and SystemC's, where
  /// its resolution is coarser than the clock.
  CycleModel(sc_core::sc_module_name name, const std::string& config_path, const Options& options);
  ~CycleModel() override;

  /// Another config, or other options: a new machine, as after power-on. Not while a launch runs.
  /// Errors: as the constructor.
  void Configure(const std::string& config_path, const Options& options);

  /// Where the memory of the launches to come lies: Options::memory_base and memory_bytes. Not
  /// while a launch runs. Errors: throws std::runtime_error (vta::Error) where the base breaks its
  /// rule.
  void set_memory(uint64_t base, uint64_t bytes);

  sc_core::sc_time clock_period() const;
  /// Of the launch that ended last.
  const std::vector<Instruction>& instructions() const;
  /// How it ended, in words.
  std::string Report() const;

 private:
  class Impl;
  SC_HAS_PROCESS(CycleModel);
  void Access(tlm::tlm_generic_payload& access, sc_core::sc_time& delay);
  unsigned DebugAccess(tlm::tlm_generic_payload& access);
  tlm::tlm_sync_enum Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                          sc_core::sc_time& delay);
  void Work();
  void DriveInterrupt();

  std::unique_ptr<Impl> impl_;
};

}  // namespace vta::sim
