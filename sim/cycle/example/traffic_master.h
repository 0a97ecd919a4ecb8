// A second master on the bus: asks for the bursts of a Traffic while a launch runs.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <systemc>
#include <tlm>

#include "sim/cycle/systemc/burst_pool.h"
#include "sim/memory/traffic.h"

class TrafficMaster : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TrafficMaster> reads{"reads"}, writes{"writes"};

  SC_HAS_PROCESS(TrafficMaster);
  explicit TrafficMaster(sc_core::sc_module_name name) : sc_module(name) {
    reads.register_nb_transport_bw(this, &TrafficMaster::Back);
    writes.register_nb_transport_bw(this, &TrafficMaster::Back);
    SC_METHOD(Ask);
    sensitive << next_;
    dont_initialize();
  }

  // Its cycle 0 begins with the next edge of the clock.
  void Begin(const vta::sim::Traffic& traffic, const sc_core::sc_time& period, int64_t beat_bytes) {
    traffic_ = std::make_unique<vta::sim::Traffic>(traffic);
    period_ = period;
    beat_bytes_ = beat_bytes;
    const uint64_t now = sc_core::sc_time_stamp().value();
    origin_ =
        sc_core::sc_time::from_value((now + period.value() - 1) / period.value() * period.value());
    Schedule();
  }
  // It asks for nothing more; what it asked for goes on.
  void End() {
    traffic_.reset();
    next_.cancel();
  }

 private:
  void Schedule() {
    const sc_core::sc_time at = origin_ + static_cast<double>(traffic_->next().cycle) * period_;
    next_.notify(at - sc_core::sc_time_stamp());
  }
  void Ask() {
    const vta::sim::Traffic::Burst& next = traffic_->next();
    auto* burst =
        pool_.Make(next.write, next.address, static_cast<unsigned>(next.beats * beat_bytes_));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    (next.write ? writes : reads)->nb_transport_fw(*burst, phase, delay);
  }
  tlm::tlm_sync_enum Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                          sc_core::sc_time&) {
    if (phase == tlm::BEGIN_RESP) {
      burst.release();
      return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ && traffic_) {
      traffic_->Taken(static_cast<int64_t>((sc_core::sc_time_stamp() - origin_) / period_));
      Schedule();
    }
    return tlm::TLM_ACCEPTED;  // its data comes at once
  }

  vta::sim::BurstPool pool_;
  std::unique_ptr<vta::sim::Traffic> traffic_;
  sc_core::sc_time period_, origin_;
  int64_t beat_bytes_ = 0;
  sc_core::sc_event next_;
};
