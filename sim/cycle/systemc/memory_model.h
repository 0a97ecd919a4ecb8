// Our memory as a SystemC module, for any number of masters. C++17.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace vta::sim {

/// Holds bytes from address 0 on, and takes bursts in the time of a config's memory: DramTiming
/// behind the Arbiter (sim/memory), as the RTL's bench has it. A burst that is not inside is
/// answered with an address error.
class MemoryModel : public sc_core::sc_module {
 public:
  /// A master binds two channels here: its reads, and behind them its writes, each approximately
  /// timed, with the data of writes in phases of their own (phases.h). Who answers BEGIN_DATA with
  /// nothing sends its beats at once. A BEGIN_REQ in the second half of a cycle counts from the
  /// next one on. Masters have numbers in the order in which they are bound. Accesses of
  /// b_transport take no time; there is DMI.
  tlm_utils::multi_passthrough_target_socket<MemoryModel> port;

  /// `clock_period`: the masters'; without, the config's. Errors: throws std::runtime_error
  /// (vta::Error) as isa::LoadConfig does, and SystemC's, where its resolution is coarser than the
  /// clock.
  MemoryModel(sc_core::sc_module_name name, const std::string& config_path, uint64_t bytes,
              const sc_core::sc_time& clock_period = sc_core::SC_ZERO_TIME);
  ~MemoryModel() override;

  /// Another config, and a BeginLaunch(). Not while a burst is under way. Errors: as the
  /// constructor.
  void Configure(const std::string& config_path,
                 const sc_core::sc_time& clock_period = sc_core::SC_ZERO_TIME);
  /// Everything as before the first burst: the channel is free, no row is open, as the memory of a
  /// launch is in every other simulator. Without it, a launch finds the rows open that the one
  /// before it left. Not while a burst is under way.
  void BeginLaunch();
  /// Of the config's bus.
  int64_t beat_bytes() const;
  /// Bursts are under way.
  bool busy() const;
  /// The contents; who changes their size does so between launches.
  std::vector<uint8_t>& bytes();

 private:
  class Impl;
  SC_HAS_PROCESS(MemoryModel);
  tlm::tlm_sync_enum Forward(int id, tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void Access(int id, tlm::tlm_generic_payload& access, sc_core::sc_time& delay);
  unsigned DebugAccess(int id, tlm::tlm_generic_payload& access);
  bool GetPointer(int id, tlm::tlm_generic_payload& access, tlm::tlm_dmi& dmi);
  void Work();

  std::unique_ptr<Impl> impl_;
};

}  // namespace vta::sim
