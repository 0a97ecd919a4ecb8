// A memory of somebody else: it knows the base protocol alone, without data phases and without DMI,
// and takes its time.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <systemc>
#include <tlm>
#include <vector>

namespace vta::test {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

class PlainMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlainMemory> reads{"reads"}, writes{"writes"};
  std::vector<uint8_t> bytes;
  bool reverse = false;  // answers two reads at a time, the second one first
  std::function<bool(const tlm::tlm_generic_payload&)> refuses;  // beside what is outside

  SC_HAS_PROCESS(PlainMemory);
  explicit PlainMemory(sc_core::sc_module_name name) : sc_module(name), queue_("queue") {
    for (auto* socket : {&reads, &writes}) {
      socket->register_nb_transport_fw(this, &PlainMemory::Forward);
      socket->register_transport_dbg(this, &PlainMemory::Debug);
    }
    SC_METHOD(Work);
    sensitive << queue_;
    dont_initialize();
  }

 private:
  struct Step {
    sc_time at;
    tlm::tlm_generic_payload* burst;
    tlm::tlm_phase phase;
  };
  using Steps = std::vector<Step>;

  tlm::tlm_sync_enum Forward(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                             sc_time& delay) {
    EXPECT_TRUE(phase == tlm::BEGIN_REQ || phase == tlm::END_RESP);
    const sc_time now = sc_core::sc_time_stamp() + delay;
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    burst.acquire();
    // Some are answered at once, in one of the ways there are.
    const bool refused =
        burst.get_address() + burst.get_data_length() > bytes.size() || (refuses && refuses(burst));
    burst.set_response_status(refused ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    if (reverse && burst.is_read()) {
      waiting_.push_back(&burst);
      if (waiting_.size() == 2)
        for (; !waiting_.empty(); waiting_.pop_back())
          Later({now + sc_time(100, SC_NS), waiting_.back(), tlm::BEGIN_RESP});
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    sc_time& free = burst.is_read() ? read_free_ : write_free_;
    const uint64_t way = random_() % 4;
    if (way == 0 && free <= now) {
      free = now + sc_time(1000, SC_NS);
      delay += sc_time(static_cast<double>(random_() % 300), SC_NS);
      burst.release();
      return tlm::TLM_COMPLETED;
    }
    const sc_time taken = now + sc_time(static_cast<double>(random_() % 50), SC_NS);
    free = std::max(free, taken) + sc_time(1000, SC_NS);
    if (way == 1) {
      phase = tlm::END_REQ;
      delay = SC_ZERO_TIME;
      Later({free, &burst, tlm::BEGIN_RESP});
      return tlm::TLM_UPDATED;
    }
    if (way == 2) Later({taken, &burst, tlm::END_REQ});
    Later({free, &burst, tlm::BEGIN_RESP});  // which says END_REQ, too
    return tlm::TLM_ACCEPTED;
  }
  void Later(const Step& step) {
    steps_.push_back(step);
    Next();
  }
  void Next() {
    for (const Step& step : steps_) queue_.notify(step.at - sc_core::sc_time_stamp());
  }
  void Work() {
    const sc_time now = sc_core::sc_time_stamp();
    const auto due = std::stable_partition(steps_.begin(), steps_.end(),
                                           [&](const Step& step) { return step.at > now; });
    const Steps steps(due, steps_.end());
    steps_.erase(due, steps_.end());
    for (const Step& step : steps) {
      tlm::tlm_phase phase = step.phase;
      sc_time delay = SC_ZERO_TIME;
      (step.burst->is_read() ? reads : writes)->nb_transport_bw(*step.burst, phase, delay);
      if (step.phase == tlm::BEGIN_RESP) step.burst->release();
    }
    Next();
  }
  unsigned Debug(tlm::tlm_generic_payload& access) {
    if (access.get_address() + access.get_data_length() > bytes.size()) return 0;
    uint8_t* at = bytes.data() + access.get_address();
    if (access.is_read())
      std::memcpy(access.get_data_ptr(), at, access.get_data_length());
    else
      for (unsigned i = 0; i < access.get_data_length(); ++i)
        EXPECT_NE(at[i], access.get_data_ptr()[i]) << "at " << access.get_address() + i;
    if (access.is_write()) std::memcpy(at, access.get_data_ptr(), access.get_data_length());
    return access.get_data_length();
  }

  Steps steps_;
  std::vector<tlm::tlm_generic_payload*> waiting_;
  sc_core::sc_event queue_;
  sc_time read_free_, write_free_;
  std::mt19937_64 random_{1};
};

}  // namespace vta::test
