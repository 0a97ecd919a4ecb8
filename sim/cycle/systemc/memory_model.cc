#include "sim/cycle/systemc/memory_model.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "isa/support/error.h"
#include "sim/cycle/systemc/clock_period.h"
#include "sim/cycle/systemc/phases.h"
#include "sim/memory/arbiter.h"
#include "sim/memory/dram.h"

namespace vta::sim {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;
using Burst = tlm::tlm_generic_payload;

class MemoryModel::Impl {
 public:
  Impl(MemoryModel& module, const std::string& config_path, uint64_t bytes,
       const sc_time& clock_period)
      : module_(module), bytes_(bytes) {
    Configure(config_path, clock_period);
  }

  void Configure(const std::string& config_path, const sc_time& clock_period);
  void BeginLaunch();
  bool busy() const;
  tlm::tlm_sync_enum Forward(int id, Burst& burst, tlm::tlm_phase& phase, sc_time& delay);
  tlm::tlm_response_status Move(Burst& access);
  void Work();

  MemoryModel& module_;
  std::vector<uint8_t> bytes_;
  int64_t beat_bytes_ = 1;
  sc_core::sc_event work_;

 private:
  // What waits at a channel.
  struct Channel {
    Burst* asks = nullptr;  // its address is on the bus
    int64_t from = 0;       // in the cycles from this one on
    struct Answer {
      Burst* burst;
      int64_t cycle;
    };
    std::deque<Answer> answers;  // whose BEGIN_RESP comes
    bool answering = false;      // up to END_RESP
    int64_t answered = -1;       // the cycle of the last one
  };

  int64_t CycleAt(const sc_time& time) const {
    return static_cast<int64_t>(time.value() / period_.value());
  }
  sc_time UntilCycle(int64_t cycle) const {
    const sc_time time = sc_time::from_value(static_cast<uint64_t>(cycle) * period_.value());
    return time > sc_time_stamp() ? time - sc_time_stamp() : SC_ZERO_TIME;
  }
  // Half a period behind the edge, when all of the cycle's addresses are there.
  sc_time HalfOf(int64_t cycle) const {
    return sc_time::from_value(static_cast<uint64_t>(cycle) * period_.value() +
                               period_.value() / 2);
  }
  void WorkIn(int64_t cycle) { work_.notify(HalfOf(cycle) - sc_time_stamp()); }
  int64_t BeatsOf(const Burst& burst) const {
    return (burst.get_data_length() + beat_bytes_ - 1) / beat_bytes_;
  }
  void Clear();
  void TakeRead(int id, int64_t cycle);
  void TakeWrite(int id, int64_t cycle);
  void Sent(int id, Burst& burst, int64_t last);
  void Answer(int id, Burst& burst, int64_t cycle);
  void AnswerNext(int id);

  isa::Memory memory_;
  sc_time period_;
  std::unique_ptr<DramTiming> timing_;
  Arbiter arbiter_;
  std::map<int, Channel> channels_;  // by number
  std::vector<int64_t> ends_;        // cycles, of bursts that may be under way
  int64_t owed_ = 0;                 // writes whose data has no end yet
};

void MemoryModel::Impl::Configure(const std::string& config_path, const sc_time& clock_period) {
  if (busy()) SC_REPORT_ERROR("vta", "a MemoryModel is configured while bursts are under way");
  const isa::Config config = isa::LoadConfig(config_path);
  period_ = ClockPeriod(config.uarch.clock_mhz, clock_period);
  memory_ = config.memory;
  beat_bytes_ = config.uarch.bus_bits / 8;
  Clear();
}

void MemoryModel::Impl::BeginLaunch() {
  if (busy()) SC_REPORT_ERROR("vta", "a launch begins at a MemoryModel while bursts are under way");
  Clear();
}

void MemoryModel::Impl::Clear() {
  timing_ = std::make_unique<DramTiming>(memory_, beat_bytes_);
  arbiter_ = Arbiter();
  channels_.clear();
  ends_.clear();
}

bool MemoryModel::Impl::busy() const {
  if (!timing_) return false;
  const int64_t now = CycleAt(sc_time_stamp());
  return owed_ > 0 ||
         std::any_of(ends_.begin(), ends_.end(), [&](int64_t end) { return end >= now; }) ||
         std::any_of(channels_.begin(), channels_.end(), [](const auto& entry) {
           return entry.second.asks || entry.second.answering || !entry.second.answers.empty();
         });
}

// The bytes of an access or burst.
tlm::tlm_response_status MemoryModel::Impl::Move(Burst& access) {
  const uint64_t address = access.get_address(), bytes = access.get_data_length();
  if (IsRefused(bytes_.size(), address, static_cast<int64_t>(bytes)))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  uint8_t* const at = bytes_.data() + address;
  const unsigned char* enable = access.get_byte_enable_ptr();
  if (enable && access.get_byte_enable_length() == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const auto enabled = [&](uint64_t i) {
    return !enable || enable[i % access.get_byte_enable_length()] == TLM_BYTE_ENABLED;
  };
  if (access.is_read())
    std::memcpy(access.get_data_ptr(), at, bytes);
  else if (access.is_write() && !(enable && access.get_byte_enable_length() == 1 && !enabled(0)))
    for (uint64_t i = 0; i < bytes; ++i)
      if (enabled(i)) at[i] = access.get_data_ptr()[i];
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_sync_enum MemoryModel::Impl::Forward(int id, Burst& burst, tlm::tlm_phase& phase,
                                              sc_time& delay) {
  const sc_time time = sc_time_stamp() + delay;
  const int64_t cycle = CycleAt(time);
  Channel& channel = channels_[id];
  if (phase == tlm::BEGIN_REQ) {
    if (burst.is_read() != (id % 2 == 0))
      SC_REPORT_ERROR("vta", burst.is_read()
                                 ? "a read comes to a MemoryModel on a channel of writes"
                                 : "a write comes to a MemoryModel on a channel of reads");
    burst.acquire();
    channel.asks = &burst;
    channel.from = time < HalfOf(cycle) ? cycle : cycle + 1;
    WorkIn(channel.from);
  } else if (phase == END_DATA) {
    Sent(id, burst, cycle);
  } else if (phase == tlm::END_RESP) {
    channel.answering = false;
    burst.release();
    AnswerNext(id);
  }
  return tlm::TLM_ACCEPTED;
}

void MemoryModel::Impl::Work() {
  const int64_t cycle = CycleAt(sc_time_stamp());
  std::erase_if(ends_, [&](int64_t end) { return end < cycle; });
  uint32_t reads = 0, writes = 0;
  for (const auto& [id, channel] : channels_)
    if (channel.asks && channel.from <= cycle)
      (channel.asks->is_read() ? reads : writes) |= uint32_t{1} << id / 2;
  const Arbiter::Taken taken =
      arbiter_.Take(reads, writes, memory_.outstanding - owed_ - std::ssize(ends_));
  if (taken.read >= 0) TakeRead(2 * taken.read, cycle);
  if (taken.write >= 0) TakeWrite(2 * taken.write + 1, cycle);
  for (const auto& [id, channel] : channels_)
    if (channel.asks) WorkIn(std::max(channel.from, cycle + 1));
}

void MemoryModel::Impl::TakeRead(int id, int64_t cycle) {
  Burst& burst = *std::exchange(channels_[id].asks, nullptr);
  const BurstTiming timing = timing_->Read(cycle, burst.get_address(), BeatsOf(burst));
  ends_.push_back(timing.last);
  burst.set_response_status(Move(burst));
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_time delay = SC_ZERO_TIME;
  module_.port[id]->nb_transport_bw(burst, phase, delay);
  Answer(id, burst, timing.first);
}

void MemoryModel::Impl::TakeWrite(int id, int64_t cycle) {
  Burst& burst = *std::exchange(channels_[id].asks, nullptr);
  const BurstTiming timing = timing_->Write(cycle, burst.get_address(), BeatsOf(burst));
  ++owed_;
  burst.set_response_status(Move(burst));
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_time delay = SC_ZERO_TIME;
  module_.port[id]->nb_transport_bw(burst, phase, delay);
  phase = BEGIN_DATA;
  delay = UntilCycle(timing.first);
  const tlm::tlm_sync_enum sync = module_.port[id]->nb_transport_bw(burst, phase, delay);
  const bool knows = sync == tlm::TLM_UPDATED && phase == END_DATA;
  Sent(id, burst, knows ? CycleAt(sc_time_stamp() + delay) : timing.last);
}

// The last beat of a write is taken in this cycle.
void MemoryModel::Impl::Sent(int id, Burst& burst, int64_t last) {
  Channel& channel = channels_[id];
  channel.answered = std::max(timing_->Response(last), channel.answered + 1);
  --owed_;
  ends_.push_back(channel.answered);
  Answer(id, burst, channel.answered);
}

void MemoryModel::Impl::Answer(int id, Burst& burst, int64_t cycle) {
  channels_[id].answers.push_back({&burst, cycle});
  if (!channels_[id].answering) AnswerNext(id);
}

void MemoryModel::Impl::AnswerNext(int id) {
  Channel& channel = channels_[id];
  while (!channel.answering && !channel.answers.empty()) {
    const Channel::Answer answer = channel.answers.front();
    channel.answers.pop_front();
    channel.answering = true;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = UntilCycle(answer.cycle);
    const tlm::tlm_sync_enum sync = module_.port[id]->nb_transport_bw(*answer.burst, phase, delay);
    if (sync == tlm::TLM_ACCEPTED) return;
    channel.answering = false;
    answer.burst->release();
  }
}

MemoryModel::MemoryModel(sc_core::sc_module_name name, const std::string& config_path,
                         uint64_t bytes, const sc_time& clock_period)
    : sc_module(name),
      port("port"),
      impl_(std::make_unique<Impl>(*this, config_path, bytes, clock_period)) {
  port.register_nb_transport_fw(this, &MemoryModel::Forward);
  port.register_b_transport(this, &MemoryModel::Access);
  port.register_transport_dbg(this, &MemoryModel::DebugAccess);
  port.register_get_direct_mem_ptr(this, &MemoryModel::GetPointer);
  SC_METHOD(Work);
  sensitive << impl_->work_;
  dont_initialize();
}
MemoryModel::~MemoryModel() = default;

void MemoryModel::Configure(const std::string& config_path, const sc_time& clock_period) {
  impl_->Configure(config_path, clock_period);
}
void MemoryModel::BeginLaunch() { impl_->BeginLaunch(); }
int64_t MemoryModel::beat_bytes() const { return impl_->beat_bytes_; }
bool MemoryModel::busy() const { return impl_->busy(); }
std::vector<uint8_t>& MemoryModel::bytes() { return impl_->bytes_; }
tlm::tlm_sync_enum MemoryModel::Forward(int id, Burst& burst, tlm::tlm_phase& phase,
                                        sc_time& delay) {
  return impl_->Forward(id, burst, phase, delay);
}
void MemoryModel::Access(int, Burst& access, sc_time&) {
  access.set_dmi_allowed(true);
  access.set_response_status(impl_->Move(access));
}
unsigned MemoryModel::DebugAccess(int, Burst& access) {
  return impl_->Move(access) == tlm::TLM_OK_RESPONSE ? access.get_data_length() : 0;
}
bool MemoryModel::GetPointer(int, Burst&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(impl_->bytes_.size() - 1);
  dmi.set_dmi_ptr(impl_->bytes_.data());
  dmi.allow_read_write();
  return !impl_->bytes_.empty();
}
void MemoryModel::Work() { impl_->Work(); }

}  // namespace vta::sim
