// vta_read and vta_write between random clients and a random AXI4 memory: what the bus allows, and
// that each client gets its own data in order.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "isa/gen/systemverilog.h"
#include "isa/spec/timing.h"
#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr int kClients = 3;
constexpr uint64_t kSlaveError = 2;

struct Burst {
  uint64_t address = 0;
  int64_t beats = 0, done = 0;
  bool refused = false;
};

class AxiTest : public BenchTest {
 protected:
  AxiTest() : beat_bytes_(static_cast<size_t>(GetParam().uarch.bus_bits / 8)) {
    most_ = isa::BurstBeats(GetParam());
    fetch_most_ = isa::FetchBurstBeats(GetParam());
  }

  // Inside a page, and no longer than `most` beats.
  Burst AnyBurst(int64_t most) {
    Burst burst;
    const int64_t beats_of_page = static_cast<int64_t>(kPageBytes / beat_bytes_);
    const int64_t at = UpTo(beats_of_page - 1);
    burst.beats = 1 + UpTo(std::min(most, beats_of_page - at) - 1);
    burst.address = kPageBytes * (random_() % (1 << 26)) + static_cast<uint64_t>(at) * beat_bytes_;
    burst.refused = OneIn(10);
    return burst;
  }
  // What memory holds: a function of the address.
  std::vector<uint8_t> DataAt(uint64_t address) const {
    std::vector<uint8_t> data(beat_bytes_);
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<uint8_t>((address + i) * 0x9e3779b97f4a7c15u >> 40);
    return data;
  }
  // `bytes` into part `index` of a port made of parts as long.
  void SetPart(std::vector<uint8_t>& port, int index, const std::vector<uint8_t>& bytes) {
    std::ranges::copy(bytes, port.begin() + index * std::ssize(bytes));
  }
  // A channel keeps valid and payload until they are taken.
  struct Steady {
    bool valid = false, ready = false;
    std::vector<uint8_t> payload;
    void See(const char* channel, bool valid_now, bool ready_now, std::vector<uint8_t> now) {
      if (valid && !ready) {
        ASSERT_TRUE(valid_now) << channel << " took back its valid";
        ASSERT_EQ(payload, now) << channel << " changed what it offers";
      }
      valid = valid_now, ready = ready_now, payload = std::move(now);
    }
  };
  std::vector<uint8_t> Payload(std::initializer_list<const char*> ports) {
    std::vector<uint8_t> all;
    for (const char* port : ports)
      for (uint8_t byte : bench_->GetBytes(port)) all.push_back(byte);
    return all;
  }

  size_t beat_bytes_;
  int64_t most_, fetch_most_;
};

TEST_P(AxiTest, ReadsReachTheirClients) {
  struct Client {
    Burst want;                   // asked for
    std::deque<Burst> accepted;   // granted, beats not yet taken by the client
    std::deque<Burst> at_memory;  // on the bus
    bool asks = false;
  };
  std::array<Client, kClients> clients;
  std::deque<std::pair<int, Burst>> granted;  // and not on AR yet
  Steady ar;
  std::array<int64_t, kClients> received = {};
  int64_t refused = 0, most_out = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const int calm = cycle / 500 % 3;  // clients that hurry, that dawdle, memory that dawdles
    uint64_t request = 0, ready = 0, beats = 0;
    std::vector<uint8_t> addresses = bench_->GetBytes("read_address_i");
    const int64_t address_bits = static_cast<int64_t>(addresses.size()) * 8 / kClients;
    for (int c = 0; c < kClients; ++c) {
      Client& client = clients[c];
      if (!client.asks && OneIn(3))
        client.want = AnyBurst(c == 0 ? fetch_most_ : most_), client.asks = true;
      request |= static_cast<uint64_t>(client.asks) << c;
      ready |= static_cast<uint64_t>(OneIn(calm == 1 ? 8 : 2)) << c;
      beats |= static_cast<uint64_t>(client.asks ? client.want.beats - 1 : 0) << (8 * c);
      std::vector<uint8_t> bytes(static_cast<size_t>(address_bits / 8));
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<uint8_t>(client.want.address >> (8 * i));
      SetPart(addresses, c, bytes);
    }
    bench_->Set("read_request_i", request);
    bench_->Set("read_ready_i", ready);
    bench_->Set("read_beats_i", beats);
    bench_->SetBytes("read_address_i", addresses);
    bench_->Set("ar_ready_i", !OneIn(calm == 2 ? 2 : 6));
    // A beat of any client whose turn the memory chooses.
    const int from = static_cast<int>(UpTo(kClients - 1));
    const bool beat = !clients[from].at_memory.empty() && !OneIn(calm == 2 ? 2 : 5);
    bench_->Set("r_valid_i", beat);
    if (beat) {
      const Burst& burst = clients[from].at_memory.front();
      bench_->SetBytes("r_data_i",
                       DataAt(burst.address + static_cast<uint64_t>(burst.done) * beat_bytes_));
      bench_->Set("r_id_i", static_cast<uint64_t>(from));
      bench_->Set("r_resp_i", burst.refused ? kSlaveError : 0);
      bench_->Set("r_last_i", burst.done + 1 == burst.beats);
    }
    bench_->Settle();

    const bool ar_valid = bench_->Get("ar_valid_o"), ar_ready = bench_->Get("ar_ready_i");
    ar.See("AR", ar_valid, ar_ready, Payload({"ar_address_o", "ar_len_o", "ar_id_o"}));
    if (HasFatalFailure()) return;
    const uint64_t grant = bench_->Get("read_grant_o");
    ASSERT_EQ(grant & (grant - 1), 0u) << "two grants";
    ASSERT_EQ(grant & ~request, 0u) << "a grant without a request";
    ASSERT_EQ(bench_->Get("r_ready_o"), 1u);
    if (ar_valid && ar_ready) {
      ASSERT_FALSE(granted.empty());
      const auto [c, burst] = granted.front();
      granted.pop_front();
      ASSERT_EQ(bench_->Get("ar_id_o"), static_cast<uint64_t>(c));
      ASSERT_EQ(bench_->Get("ar_address_o"), burst.address);
      ASSERT_EQ(static_cast<int64_t>(bench_->Get("ar_len_o")) + 1, burst.beats);
      clients[c].at_memory.push_back(burst);
      most_out = std::max<int64_t>(most_out, std::ssize(clients[c].at_memory));
    }
    for (int c = 0; c < kClients; ++c) {
      Client& client = clients[c];
      if (bench_->Get("read_valid_o") >> c & 1 && ready >> c & 1) {
        ASSERT_FALSE(client.accepted.empty());
        Burst& burst = client.accepted.front();
        std::vector<uint8_t> all = bench_->GetBytes("read_data_o");
        const std::vector<uint8_t> data(all.begin() + c * std::ssize(all) / kClients,
                                        all.begin() + (c + 1) * std::ssize(all) / kClients);
        ASSERT_EQ(data, DataAt(burst.address + static_cast<uint64_t>(burst.done) * beat_bytes_));
        ASSERT_EQ(bench_->Get("read_error_o") >> c & 1, burst.refused);
        refused += burst.refused, ++received[c];
        if (++burst.done == burst.beats) client.accepted.pop_front();
      }
      if (grant >> c & 1) {
        client.accepted.push_back(client.want);
        granted.emplace_back(c, client.want);
        client.asks = false;
      }
      ASSERT_LE(std::ssize(client.at_memory), GetParam().uarch.outstanding_reads);
    }
    if (beat && ++clients[from].at_memory.front().done == clients[from].at_memory.front().beats)
      clients[from].at_memory.pop_front();
    bench_->Clock();
  }
  EXPECT_EQ(most_out, GetParam().uarch.outstanding_reads);
  EXPECT_GT(refused, 100);
  for (int64_t beats : received) EXPECT_GT(beats, 500);
}

TEST_P(AxiTest, WritesAreWholeBursts) {
  std::deque<Burst> data_due, aw_due, answers;  // granted: data to send, AW to come; all data taken
  Steady aw, w;
  Burst want = AnyBurst(most_);
  bool asks = false, error = false;
  int64_t written = 0, discarded = 0, acked = 0, most_out = 0, outstanding = 0, bursts_w = 0,
          bursts_aw = 0;
  bool discard = false, valid = false;
  struct Beat {
    bool discarded;
    std::vector<uint8_t> data;
  };
  std::deque<Beat> loaded;  // and not on the bus yet
  std::vector<uint8_t> data = DataAt(0);
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const int calm = cycle / 500 % 3;
    // A soft reset: what is granted is finished, without data; until all of it is.
    if (!discard)
      discard = OneIn(700);
    else if (bench_->Get("write_idle_o"))
      discard = false;
    if (!asks && OneIn(2)) want = AnyBurst(most_), asks = true;
    if (!valid && OneIn(calm == 1 ? 6 : 2)) valid = true, data = DataAt(random_());
    bench_->Set("write_discard_i", discard);
    bench_->Set("write_request_i", asks);
    bench_->Set("write_address_i", want.address);
    bench_->Set("write_beats_i", static_cast<uint64_t>(want.beats - 1));
    bench_->Set("write_data_valid_i", valid);
    bench_->SetBytes("write_data_i", data);
    bench_->Set("aw_ready_i", !OneIn(calm == 2 ? 2 : 6));
    bench_->Set("w_ready_i", bursts_aw > bursts_w && !OneIn(calm == 2 ? 2 : 6));
    const bool answer = !answers.empty() && OneIn(calm == 2 ? 40 : 4);
    bench_->Set("b_valid_i", answer);
    bench_->Set("b_resp_i", answer && answers.front().refused ? kSlaveError : 0);
    const bool clear = error && OneIn(5);
    bench_->Set("write_clear_error_i", clear);
    bench_->Settle();

    ASSERT_EQ(bench_->Get("write_error_o"), error);
    ASSERT_EQ(bench_->Get("b_ready_o"), 1u);
    const bool aw_now = bench_->Get("aw_valid_o") && bench_->Get("aw_ready_i");
    const bool w_now = bench_->Get("w_valid_o") && bench_->Get("w_ready_i");
    aw.See("AW", bench_->Get("aw_valid_o"), bench_->Get("aw_ready_i"),
           Payload({"aw_address_o", "aw_len_o"}));
    w.See("W", bench_->Get("w_valid_o"), bench_->Get("w_ready_i"),
          Payload({"w_data_o", "w_last_o", "w_strb_o"}));
    if (HasFatalFailure()) return;
    const bool grant = bench_->Get("write_grant_o");
    ASSERT_LE(grant, asks && !discard);
    ASSERT_EQ(bench_->Get("write_acked_o"), answer && !answers.front().refused);
    if (answer) {
      ASSERT_EQ(bench_->Get("write_acked_beats_o"), static_cast<uint64_t>(answers.front().beats));
    }
    ASSERT_EQ(bench_->Get("write_idle_o"), outstanding == 0);
    if (aw_now) {
      ASSERT_FALSE(aw_due.empty());
      ASSERT_EQ(bench_->Get("aw_address_o"), aw_due.front().address);
      ASSERT_EQ(static_cast<int64_t>(bench_->Get("aw_len_o")) + 1, aw_due.front().beats);
      aw_due.pop_front();
      ++bursts_aw;
    }
    if (w_now) {
      ASSERT_FALSE(data_due.empty());
      Burst& burst = data_due.front();
      const uint64_t all = beat_bytes_ == 64 ? ~uint64_t{0} : (uint64_t{1} << beat_bytes_) - 1;
      ASSERT_FALSE(loaded.empty());
      const auto& [beat_discarded, beat_data] = loaded.front();
      ASSERT_EQ(bench_->Get("w_strb_o"), beat_discarded ? 0 : all);
      if (!beat_discarded) {
        ASSERT_EQ(bench_->GetBytes("w_data_o"), beat_data);
      }
      ASSERT_EQ(bench_->Get("w_last_o"), burst.done + 1 == burst.beats);
      (beat_discarded ? discarded : written) += 1;
      loaded.pop_front();
      if (++burst.done == burst.beats) {
        answers.push_back(burst);
        data_due.pop_front();
        ++bursts_w;
      }
    }
    if (bench_->Get("write_data_ready_o") && (valid || discard)) {
      ASSERT_TRUE(loaded.empty());
      loaded.push_back({discard, data});
      if (!discard) valid = false;
    }
    if (answer) {
      if (answers.front().refused) error = true;
      answers.pop_front();
      ++acked, --outstanding;
    }
    if (clear) error = false;
    if (grant) {
      data_due.push_back(want), aw_due.push_back(want);
      asks = false;
      most_out = std::max(most_out, ++outstanding);
    }
    bench_->Clock();
  }
  EXPECT_EQ(most_out, isa::timing::kOutstandingWrites);
  EXPECT_GT(written, 3000);
  EXPECT_GT(discarded, 50);
  EXPECT_GT(acked, 500);
}

INSTANTIATE_TEST_SUITE_P(Configs, AxiTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
