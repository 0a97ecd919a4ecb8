#include "sim/rtl/bus.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/support/error.h"
#include "sim/rtl/axi.h"

namespace vta::sim {
namespace {

constexpr auto kOkay = static_cast<uint8_t>(AxiResponse::kOkay);
constexpr auto kDecodeError = static_cast<uint8_t>(AxiResponse::kDecodeError);
// In random mode a burst's answer comes up to so many cycles later.
constexpr int64_t kRandomLatency = 40;

}  // namespace

Bus::Bus(const VtaPorts& ports, const isa::Config& config)
    : ports_(ports),
      beat_bytes_(config.uarch.bus_bits / 8),
      config_(config.memory),
      timing_(config.memory, beat_bytes_) {}

void Bus::set_random(std::optional<uint64_t> seed) {
  is_random_ = seed.has_value();
  if (!seed) return;
  random_.seed(*seed);
  stall_percent_ = static_cast<int>(random_() % 80);
}

// Bursts of one client answer in order; in random mode those of different clients overtake.
Bus::Burst* Bus::ChooseRead(int64_t cycle) {
  if (reads_.empty()) return nullptr;
  if (!is_random_) return reads_.front().next <= cycle ? &reads_.front() : nullptr;
  if (Luck(stall_percent_)) return nullptr;
  const int id = static_cast<int>(random_() % 3);
  for (Burst& burst : reads_)
    if (burst.id == id) return burst.next <= cycle ? &burst : nullptr;
  return reads_.front().next <= cycle ? &reads_.front() : nullptr;
}

Bus::Burst Bus::BurstOf(const char* channel, uint64_t address, uint8_t len, uint8_t size,
                        uint8_t burst, uint8_t id) const {
  const auto refuse = [&](const char* field, uint64_t value, const std::string& rule) {
    throw Error("RTL", StrCat("AXI ", channel, field), std::to_string(value), rule);
  };
  if (address > kAddressMask)
    refuse("ADDR", address, StrCat("must have ", isa::kAddressBits, " bits"));
  if (int64_t{1} << size != beat_bytes_)
    refuse("SIZE", size, StrCat("must be ", std::countr_zero(static_cast<uint64_t>(beat_bytes_))));
  if (burst != static_cast<uint8_t>(AxiBurst::kIncrementing)) refuse("BURST", burst, "must be 1");
  Burst taken{.address = (address - base_) & kAddressMask, .beats = len + 1, .id = id};
  taken.refused = IsRefused(memory_.size(), taken.address, taken.beats * beat_bytes_);
  return taken;
}

void Bus::WriteBeat(Burst& burst) {
  if (*ports_.w_last_o != (burst.done + 1 == burst.beats))
    throw Error("RTL", "AXI WLAST", std::to_string(*ports_.w_last_o),
                StrCat("is beat ", burst.done + 1, " of ", burst.beats));
  if (burst.refused) return;
  const uint64_t address = burst.address + static_cast<uint64_t>(burst.done * beat_bytes_);
  const auto* data = static_cast<const uint8_t*>(ports_.w_data_o);
  uint64_t strobes = 0;  // one a byte
  std::memcpy(&strobes, ports_.w_strb_o, static_cast<size_t>(beat_bytes_ / 8));
  if (std::popcount(strobes) == beat_bytes_) {
    std::memcpy(memory_.data() + address, data, static_cast<size_t>(beat_bytes_));
    if (on_write_) on_write_(address, beat_bytes_);
    return;
  }
  for (uint64_t i = 0; i < static_cast<uint64_t>(beat_bytes_); ++i) {
    if (!(strobes >> i & 1)) continue;
    memory_[address + i] = data[i];
    if (on_write_) on_write_(address + i, 1);
  }
}

void Bus::BeginTraffic(const Traffic& traffic, int64_t cycle) {
  traffic_ = traffic;
  traffic_begin_ = cycle;
  arbiter_ = Arbiter();
}

void Bus::EndTraffic() {
  traffic_.reset();
  traffic_ends_.clear();
}

// Bursts that the memory can take.
int64_t Bus::Free(int64_t cycle) {
  std::erase_if(traffic_ends_, [&](int64_t end) { return end < cycle; });
  return timing_.outstanding() - outstanding_ - std::ssize(traffic_ends_);
}

// The accelerator is master 0, the traffic master 1.
void Bus::Arbitrate(int64_t cycle) {
  const Traffic::Burst& burst = traffic_->next();
  const bool asks = traffic_begin_ + burst.cycle <= cycle;
  const uint32_t reads = uint32_t{*ports_.ar_valid_o} | uint32_t{asks && !burst.write} << 1;
  const uint32_t writes = uint32_t{*ports_.aw_valid_o} | uint32_t{asks && burst.write} << 1;
  taken_ = arbiter_.Take(reads, writes, Free(cycle));
  *ports_.ar_ready_i = taken_.read == 0;
  *ports_.aw_ready_i = taken_.write == 0;
}

void Bus::TakeTraffic(int64_t cycle) {
  const Traffic::Burst burst = traffic_->next();
  const int64_t end = burst.write
                          ? timing_.Response(timing_.Write(cycle, burst.address, burst.beats).last)
                          : timing_.Read(cycle, burst.address, burst.beats).last;
  traffic_ends_.push_back(end);
  traffic_->Taken(cycle - traffic_begin_);
}

void Bus::Drive(int64_t cycle) {
  if (is_dead_) {
    *ports_.ar_ready_i = *ports_.aw_ready_i = *ports_.w_ready_i = 0;
    *ports_.r_valid_i = *ports_.b_valid_i = 0;
    reading_ = nullptr;
    return;
  }
  const int64_t free = Free(cycle);
  *ports_.ar_ready_i = free > 0 && !(is_random_ && Luck(stall_percent_));
  // The last place goes to a read.
  *ports_.aw_ready_i =
      (free > 1 || (free == 1 && !*ports_.ar_valid_o)) && !(is_random_ && Luck(stall_percent_));
  if (traffic_) Arbitrate(cycle);
  if (!reading_) reading_ = ChooseRead(cycle);
  *ports_.r_valid_i = reading_ != nullptr;
  if (reading_) {
    const Burst& burst = *reading_;
    const uint64_t address = burst.address + static_cast<uint64_t>(burst.done * beat_bytes_);
    if (burst.refused)
      std::memset(ports_.r_data_i, 0xa5, static_cast<size_t>(beat_bytes_));
    else
      std::memcpy(ports_.r_data_i, memory_.data() + address, static_cast<size_t>(beat_bytes_));
    *ports_.r_id_i = static_cast<uint8_t>(burst.id);
    *ports_.r_resp_i = burst.refused ? kDecodeError : kOkay;
    *ports_.r_last_i = burst.done + 1 == burst.beats;
  }
  *ports_.w_ready_i =
      !writes_.empty() && writes_.front().next <= cycle && !(is_random_ && Luck(stall_percent_));
  *ports_.b_valid_i = !responses_.empty() && responses_.front().response <= cycle;
  if (!responses_.empty()) *ports_.b_id_i = static_cast<uint8_t>(responses_.front().id);
  *ports_.b_resp_i = !responses_.empty() && responses_.front().refused ? kDecodeError : kOkay;
}

void Bus::Take(int64_t cycle) {
  if (*ports_.b_valid_i && *ports_.b_ready_o) {
    responses_.pop_front();
    --outstanding_;
  }
  if (reading_ && *ports_.r_ready_o) {
    ++read_beats_;
    Burst& burst = *reading_;
    ++burst.done;
    burst.next = cycle + (is_random_ ? 1 : timing_.interval());
    if (burst.done == burst.beats) {
      reads_.erase(std::find_if(reads_.begin(), reads_.end(),
                                [&](const Burst& b) { return &b == reading_; }));
      --outstanding_;
    }
    reading_ = nullptr;
  }
  if (*ports_.w_ready_i && *ports_.w_valid_o) {
    Burst& burst = writes_.front();
    WriteBeat(burst);
    ++written_beats_;
    ++burst.done;
    burst.next = cycle + (is_random_ ? 1 : timing_.interval());
    if (burst.done == burst.beats) {
      burst.response = is_random_ ? cycle + 1 + static_cast<int64_t>(random_() % kRandomLatency)
                                  : timing_.Response(cycle);
      responses_.push_back(burst);
      writes_.pop_front();
    }
  }
  const auto random_start = [&] {
    return cycle + 1 + static_cast<int64_t>(random_() % kRandomLatency);
  };
  if (*ports_.ar_valid_o && *ports_.ar_ready_i) {
    Burst burst = BurstOf("AR", *ports_.ar_address_o, *ports_.ar_len_o, *ports_.ar_size_o,
                          *ports_.ar_burst_o, *ports_.ar_id_o);
    burst.next =
        is_random_ ? random_start() : timing_.Read(cycle, burst.address, burst.beats).first;
    reads_.push_back(burst);
    ++outstanding_;
  }
  if (traffic_ && taken_.read == 1) TakeTraffic(cycle);
  if (*ports_.aw_valid_o && *ports_.aw_ready_i) {
    Burst burst = BurstOf("AW", *ports_.aw_address_o, *ports_.aw_len_o, *ports_.aw_size_o,
                          *ports_.aw_burst_o, *ports_.aw_id_o);
    burst.next =
        is_random_ ? random_start() : timing_.Write(cycle, burst.address, burst.beats).first;
    writes_.push_back(burst);
    ++outstanding_;
  }
  if (traffic_ && taken_.write == 1) TakeTraffic(cycle);
}

}  // namespace vta::sim
