#include "sim/cycle/systemc/cycle_model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "isa/gen/systemverilog.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "sim/cycle/host/registers.h"
#include "sim/cycle/systemc/burst_pool.h"
#include "sim/cycle/systemc/clock_period.h"
#include "sim/cycle/systemc/memory_view.h"
#include "sim/cycle/systemc/phases.h"
#include "sim/cycle/systemc/refuse.h"
#include "sim/functional/machine.h"
#include "sim/memory/dram.h"

namespace vta::sim {

using cycle::Answer;
using cycle::Core;
using cycle::kNever;
using cycle::Offer;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;

namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr int64_t kWriteCycles = 2, kReadCycles = 3;  // of a register

}  // namespace

class CycleModel::Impl {
 public:
  Impl(CycleModel& module, const std::string& config_path, const Options& options)
      : module_(module) {
    Configure(config_path, options);
  }

  void Configure(const std::string& config_path, const Options& options);
  void SetMemory(uint64_t base, uint64_t bytes);
  void Access(tlm::tlm_generic_payload& access, sc_time& delay);
  unsigned DebugAccess(tlm::tlm_generic_payload& access);
  tlm::tlm_sync_enum Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase, sc_time& delay);
  void Work();

  // Of one config.
  struct Hardware {
    explicit Hardware(const isa::Config& config)
        : config(config), core(config), values(config), registers(config) {}
    isa::Config config;
    Core core;
    Machine values;
    HostRegisters registers;
  };

  std::unique_ptr<Hardware> hardware_;
  sc_time period_;
  std::vector<Instruction> instructions_;
  isa::LaunchResult result_;
  sc_core::sc_event work_, drive_;

 private:
  // A burst on the bus.
  struct Flight {
    Offer burst;
    int64_t number = 0;                     // of its direction
    int64_t taken = kNever, last = kNever;  // the cycles of its address and of its last beat
  };
  using Burst = tlm::tlm_generic_payload;

  int64_t CycleAt(const sc_time& time) const {
    return static_cast<int64_t>((time - origin_).value() / period_.value());
  }
  sc_time TimeOf(int64_t cycle) const {
    return origin_ + sc_time::from_value(static_cast<uint64_t>(cycle) * period_.value());
  }
  sc_time UntilCycle(int64_t cycle) const {
    const sc_time time = TimeOf(cycle);
    return time > sc_time_stamp() ? time - sc_time_stamp() : SC_ZERO_TIME;
  }
  // A launch is under way, or what a reset has left of it.
  bool busy() const { return runs_ || !flights_.empty() || sc_time_stamp() < idle_; }
  MemoryView View() {
    return {*module_.reads.operator->(), options_.memory_base, options_.memory_bytes};
  }
  bool is_own() const { return options_.memory == Memory::kOwn; }
  void Start(const sc_time& delay);
  void Reset();
  void Drain();
  void Finish();
  void Send(const Offer& offer);
  void Schedule();
  tlm::tlm_sync_enum Follow(Burst& burst, tlm::tlm_phase& phase, sc_time& delay);
  int64_t Give(const Flight& flight, Answer::Kind kind, int64_t cycle, bool refused = false);
  void Take(Flight& flight, int64_t cycle);
  int64_t Begin(Flight& flight, int64_t cycle, bool refused);

  CycleModel& module_;
  Options options_;
  BurstPool pool_;
  std::unordered_map<Burst*, Flight> flights_;
  std::array<int64_t, 2> sent_ = {}, answered_ = {};  // bursts of each direction
  // What is in flight is of the last launch, which a reset may have left: no other one begins
  // before all of it is answered.
  bool runs_ = false;
  sc_time idle_;    // when all that is answered has left the bus
  sc_time origin_;  // of the launch
  isa::LaunchRequest request_;
  std::vector<uint8_t> image_;  // the memory when it starts: what is fetched is not values
  Timeline timeline_;
  bool error_ = false;  // the memory answered one of its own addresses with an error
  int64_t end_ = kNever;
  int64_t read_free_ = 0;  // the first cycle in which R is free
};

void CycleModel::Impl::Configure(const std::string& config_path, const Options& options) {
  if (busy()) Refuse("a CycleModel is configured while a launch runs");
  const isa::Config config = isa::LoadConfig(config_path);
  isa::CheckHardware(config, config_path);
  const sc_time period = ClockPeriod(config.uarch.clock_mhz, options.clock_period);
  SetMemory(options.memory_base, options.memory_bytes);
  options_ = options;
  hardware_ = std::make_unique<Hardware>(config);
  period_ = period;
  drive_.notify(SC_ZERO_TIME);
}

void CycleModel::Impl::SetMemory(uint64_t base, uint64_t bytes) {
  if (busy()) Refuse("the memory of a CycleModel is moved while a launch runs");
  if (base % kPageBytes != 0)
    throw Error("CycleModel", "memory_base", Hex(base),
                StrCat("must be a multiple of ", kPageBytes));
  options_.memory_base = base;
  options_.memory_bytes = bytes;
}

void CycleModel::Impl::Access(tlm::tlm_generic_payload& access, sc_time& delay) {
  const uint64_t offset = access.get_address();
  if (access.get_data_length() != 4 || access.get_streaming_width() < 4 || offset % 4 != 0)
    return access.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  uint8_t strobes = 0xf;
  if (const unsigned char* enable = access.get_byte_enable_ptr()) {
    if (access.get_byte_enable_length() == 0)
      return access.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    for (unsigned i = 0; i < 4; ++i)
      if (enable[i % access.get_byte_enable_length()] != TLM_BYTE_ENABLED)
        strobes &= static_cast<uint8_t>(~(1u << i));
  }
  HostRegisters& registers = hardware_->registers;
  bool allowed = false;
  if (access.is_write()) {
    uint32_t value = 0;
    std::memcpy(&value, access.get_data_ptr(), sizeof value);
    const HostRegisters::Written written = registers.WriteWord(offset, value, strobes);
    allowed = written.allowed;
    delay += kWriteCycles * period_;
    if (written.reset)
      Reset();
    else if (written.start)
      Start(delay);
    drive_.notify(SC_ZERO_TIME);
  } else {
    const HostRegisters::Read read = registers.ReadWord(offset);
    allowed = read.allowed;
    std::memcpy(access.get_data_ptr(), &read.value, sizeof read.value);
    delay += kReadCycles * period_;
  }
  access.set_response_status(allowed ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned CycleModel::Impl::DebugAccess(tlm::tlm_generic_payload& access) {
  if (!access.is_read() || access.get_data_length() != 4 || access.get_address() % 4 != 0) return 0;
  const HostRegisters::Read read = hardware_->registers.ReadWord(access.get_address());
  if (!read.allowed) return 0;
  std::memcpy(access.get_data_ptr(), &read.value, sizeof read.value);
  return 4;
}

void CycleModel::Impl::Start(const sc_time& delay) {
  if (hardware_->registers.watchdog_cycles() != 0)
    Refuse(StrCat("watchdog_cycles = ", hardware_->registers.watchdog_cycles(),
                  ": the cycle model has no watchdog; must be 0"));
  isa::LaunchRequest request = hardware_->registers.Launch();
  isa::Move(request, -options_.memory_base);
  try {
    isa::CheckAlignment(hardware_->config, request);
  } catch (const Error& error) {
    Refuse(error.what());
  }
  // The next clock edge.
  const uint64_t period = period_.value();
  const uint64_t edge = ((sc_time_stamp() + delay).value() + period - 1) / period;
  origin_ = sc_time::from_value(edge * period);
  request_ = request;
  MemoryView memory = View();
  image_.assign(memory.data(), memory.data() + memory.size());
  timeline_ = {};
  error_ = false;
  end_ = kNever;
  read_free_ = 0;
  hardware_->core.Begin(request_, image_,
                        is_own() ? Core::Behind::kOwnMemory : Core::Behind::kForeignMemory,
                        {.timeline = &timeline_});
  hardware_->registers.Begin();
  runs_ = true;
  work_.notify(UntilCycle(0));
}

void CycleModel::Impl::Reset() {
  runs_ = false;
  work_.cancel();
  hardware_->registers.Reset();
  Drain();
}

// A reset ends when nothing of its launch is on the bus any more.
void CycleModel::Impl::Drain() {
  if (!flights_.empty()) return;
  if (sc_time_stamp() < idle_)
    work_.notify(idle_ - sc_time_stamp());
  else if (hardware_->registers.busy())
    hardware_->registers.EndReset();
}

void CycleModel::Impl::Work() {
  if (!runs_) return Drain();
  if (sc_time_stamp() < origin_) return;  // what a launch that was reset in this step left
  const int64_t now = CycleAt(sc_time_stamp());
  const int64_t ahead =
      is_own() ? static_cast<int64_t>(tlm::tlm_global_quantum::instance().get().value() /
                                      period_.value())
               : 0;
  Core& core = hardware_->core;
  if (end_ == kNever) end_ = core.RunTo(now + ahead);
  if (end_ != kNever) {
    if (end_ <= now) return Finish();
    work_.notify(UntilCycle(end_));
  } else if (is_own()) {
    work_.notify(UntilCycle(std::max(now + ahead, core.Next() + 1 - ahead)));
  } else {
    while (const std::optional<Offer> offer = core.TakeOffer()) Send(*offer);
    Schedule();
  }
}

// The cycles up to the next one in which something changes are evaluated when that is over.
void CycleModel::Impl::Schedule() {
  const int64_t next = hardware_->core.Next();
  if (next < kNever) work_.notify(UntilCycle(next + 1));
}

void CycleModel::Impl::Finish() {
  runs_ = false;
  result_ = hardware_->core.End();
  if (options_.values && !error_) {
    const isa::Time time = *result_.counters.time;
    MemoryView memory = View();
    result_ = hardware_->values.Run(request_, {memory.data(), memory.size()});
    result_.counters.time = time;
    memory.Return();
  }
  instructions_.clear();
  for (const InstructionSlice& slice : timeline_.instructions)
    instructions_.push_back({static_cast<int>(slice.module), slice.index, slice.begin, slice.end});
  isa::LaunchResult shown = result_;
  isa::Move(shown, options_.memory_base);
  hardware_->registers.End(shown);
  drive_.notify(SC_ZERO_TIME);
}

void CycleModel::Impl::Send(const Offer& offer) {
  const auto bytes = static_cast<unsigned>(offer.beats * hardware_->config.uarch.bus_bits / 8);
  Burst* burst =
      pool_.Make(offer.write, (offer.address + options_.memory_base) & isa::kAddressMask, bytes);
  flights_[burst] = {offer, sent_[offer.write]++};
  auto& socket = offer.write ? module_.writes : module_.reads;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = SC_ZERO_TIME;
  const tlm::tlm_sync_enum sync = socket->nb_transport_fw(*burst, phase, delay);
  if (sync == tlm::TLM_ACCEPTED) return;
  if (sync == tlm::TLM_COMPLETED) phase = tlm::BEGIN_RESP;
  // What would be answered on the way back goes forward.
  burst->acquire();
  if (Follow(*burst, phase, delay) == tlm::TLM_UPDATED && sync == tlm::TLM_UPDATED)
    socket->nb_transport_fw(*burst, phase, delay);
  burst->release();
}

tlm::tlm_sync_enum CycleModel::Impl::Back(Burst& burst, tlm::tlm_phase& phase, sc_time& delay) {
  const tlm::tlm_sync_enum sync = Follow(burst, phase, delay);
  if (runs_) Schedule();
  return sync;
}

int64_t CycleModel::Impl::Give(const Flight& flight, Answer::Kind kind, int64_t cycle,
                               bool refused) {
  return hardware_->core.Give({kind, flight.burst, cycle, refused});
}

void CycleModel::Impl::Take(Flight& flight, int64_t cycle) {
  if (flight.taken != kNever) return;
  flight.taken = cycle;
  Give(flight, Answer::Kind::kTaken, cycle);
}

int64_t CycleModel::Impl::Begin(Flight& flight, int64_t cycle, bool refused) {
  if (flight.last == kNever) flight.last = Give(flight, Answer::Kind::kBegins, cycle, refused);
  return flight.last;
}

// What a phase of the memory says, and what is answered to it.
tlm::tlm_sync_enum CycleModel::Impl::Follow(Burst& burst, tlm::tlm_phase& phase, sc_time& delay) {
  const auto found = flights_.find(&burst);
  if (found == flights_.end()) Refuse("a burst is answered that is not on the bus");
  Flight& flight = found->second;
  const int64_t cycle = CycleAt(sc_time_stamp() + delay);
  if (phase == tlm::END_REQ) {
    Take(flight, cycle);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == BEGIN_DATA && burst.is_write()) {
    Take(flight, cycle);
    delay = UntilCycle(Begin(flight, cycle, false));
    phase = END_DATA;
    return tlm::TLM_UPDATED;
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  if (flight.number != answered_[flight.burst.write]++)
    Refuse(StrCat(flight.burst.write ? "writes" : "reads",
                  " are answered in another order than that in which they were sent"));
  const bool outside =
      IsRefused(options_.memory_bytes, flight.burst.address, burst.get_data_length());
  const bool error = burst.get_response_status() != tlm::TLM_OK_RESPONSE;
  const bool refused = outside || error;
  error_ |= error && !outside;
  Take(flight, cycle);
  int64_t last = cycle;
  if (burst.is_write()) {
    // Who says nothing of the data takes it as soon as it comes.
    last = std::max(cycle, Begin(flight, flight.taken + 1, false) + 1);
    Give(flight, Answer::Kind::kAnswered, last, refused);
  } else {
    last = Begin(flight, std::max(cycle, read_free_), refused);
    read_free_ = last + 1;
  }
  phase = tlm::END_RESP;
  delay = UntilCycle(last + 1);
  idle_ = std::max(idle_, sc_time_stamp() + delay);
  flights_.erase(found);
  burst.release();
  if (!runs_) Drain();
  return tlm::TLM_UPDATED;
}

CycleModel::CycleModel(sc_core::sc_module_name name, const std::string& config_path,
                       const Options& options)
    : sc_module(name),
      registers("registers"),
      reads("reads"),
      writes("writes"),
      impl_(std::make_unique<Impl>(*this, config_path, options)) {
  registers.register_b_transport(this, &CycleModel::Access);
  registers.register_transport_dbg(this, &CycleModel::DebugAccess);
  reads.register_nb_transport_bw(this, &CycleModel::Back);
  writes.register_nb_transport_bw(this, &CycleModel::Back);
  SC_METHOD(Work);
  sensitive << impl_->work_;
  dont_initialize();
  SC_METHOD(DriveInterrupt);
  sensitive << impl_->drive_;
}
CycleModel::~CycleModel() = default;

void CycleModel::Configure(const std::string& config_path, const Options& options) {
  impl_->Configure(config_path, options);
}
void CycleModel::set_memory(uint64_t base, uint64_t bytes) { impl_->SetMemory(base, bytes); }
sc_time CycleModel::clock_period() const { return impl_->period_; }
const std::vector<CycleModel::Instruction>& CycleModel::instructions() const {
  return impl_->instructions_;
}
std::string CycleModel::Report() const { return isa::Describe(impl_->result_); }
void CycleModel::Access(tlm::tlm_generic_payload& access, sc_time& delay) {
  impl_->Access(access, delay);
}
unsigned CycleModel::DebugAccess(tlm::tlm_generic_payload& access) {
  return impl_->DebugAccess(access);
}
tlm::tlm_sync_enum CycleModel::Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                                    sc_time& delay) {
  return impl_->Back(burst, phase, delay);
}
void CycleModel::Work() { impl_->Work(); }
void CycleModel::DriveInterrupt() { interrupt.write(impl_->hardware_->registers.interrupt()); }

}  // namespace vta::sim
