// The memory behind the AXI port, on ports that are plain variables: when beats come, which burst
// goes first, and what is refused.
#include "sim/rtl/bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "isa/support/error.h"

namespace vta::sim {
namespace {

using testing::ElementsAre;

isa::Config BusConfig() {
  isa::Config config;
  config.memory = {
      .read_latency_cycles = 5, .write_latency_cycles = 3, .bytes_per_cycle = 8, .outstanding = 2};
  return config;
}

class BusTest : public testing::Test {
 protected:
  explicit BusTest(const isa::Config& config = BusConfig()) : bus(ports, config), memory(4096) {
    std::iota(memory.begin(), memory.end(), uint8_t{0});
    bus.set_memory(memory);
    ports.ar_valid_o = &ar_valid, ports.ar_ready_i = &ar_ready, ports.ar_len_o = &ar_len;
    ports.ar_id_o = &ar_id, ports.ar_address_o = &ar_address;
    ports.ar_size_o = ports.aw_size_o = &size, ports.ar_burst_o = ports.aw_burst_o = &burst;
    ports.r_valid_i = &r_valid, ports.r_id_i = &r_id, ports.r_resp_i = &r_resp;
    ports.r_ready_o = &r_ready, ports.b_ready_o = &b_ready;
    ports.aw_id_o = &aw_id, ports.b_id_i = &b_id;
    ports.r_last_i = &r_last, ports.r_data_i = r_data;
    ports.aw_valid_o = &aw_valid, ports.aw_ready_i = &aw_ready, ports.aw_len_o = &aw_len;
    ports.aw_address_o = &aw_address;
    ports.w_valid_o = &w_valid, ports.w_ready_i = &w_ready, ports.w_last_o = &w_last;
    ports.w_data_o = w_data, ports.w_strb_o = &w_strb;
    ports.b_valid_i = &b_valid, ports.b_resp_i = &b_resp;
  }

  // Requests stay until they are taken; notes the cycles in which beats move.
  void Run(int64_t from, int64_t to) {
    for (int64_t cycle = from; cycle < to; ++cycle) {
      bus.Drive(cycle);
      w_last = w_left == 1;
      if (r_valid) reads.push_back(cycle);
      if (w_ready && w_valid) writes.push_back(cycle), --w_left;
      if (b_valid) answers.push_back(cycle), answer = b_resp;
      const bool ar = ar_valid && ar_ready, aw = aw_valid && aw_ready;
      bus.Take(cycle);
      if (ar) ar_valid = 0, ar_taken.push_back(cycle);
      if (aw) aw_valid = 0, aw_taken.push_back(cycle);
    }
  }
  void Read(uint64_t address, uint8_t beats) {
    ar_valid = 1, ar_address = address, ar_len = static_cast<uint8_t>(beats - 1);
  }
  void Write(uint64_t address, uint8_t beats) {
    aw_valid = w_valid = 1, aw_address = address, aw_len = static_cast<uint8_t>(beats - 1);
    w_left = beats;
  }

  VtaPorts ports = {};
  uint8_t ar_valid = 0, ar_ready = 0, ar_len = 0, ar_id = 0, r_valid = 0, r_id = 0, r_resp = 0,
          r_last = 0, aw_valid = 0, aw_ready = 0, aw_len = 0, w_valid = 0, w_ready = 0, w_last = 0,
          w_strb = 0xff, b_valid = 0, b_resp = 0, answer = 0, size = 3, burst = 1, r_ready = 1,
          b_ready = 1, aw_id = 0, b_id = 0;
  int w_left = 0;  // beats of the write
  uint64_t ar_address = 0, aw_address = 0;
  uint8_t r_data[8] = {}, w_data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  Bus bus;
  std::vector<uint8_t> memory;
  std::vector<int64_t> reads, writes, answers, ar_taken, aw_taken;
};

TEST_F(BusTest, BeatsComeWhenTheTimingModelSays) {
  Read(64, 3);
  Run(0, 20);
  EXPECT_THAT(reads, ElementsAre(6, 7, 8));  // 0 + 1 + 5
  EXPECT_EQ(r_data[0], 64 + 16);
  EXPECT_EQ(r_resp, 0);
}

isa::Config RowsConfig() {
  isa::Config config = BusConfig();
  config.memory.banks = 2;
  config.memory.row_bytes = 256;
  config.memory.row_miss_cycles = 4;
  return config;
}

class BusRowsTest : public BusTest {
 protected:
  BusRowsTest() : BusTest(RowsConfig()) {}
};

TEST_F(BusRowsTest, AddressesOfReadsAndWritesChooseTheRow) {
  Read(0, 1);
  Run(0, 20);
  Read(128, 1);  // the same row
  Run(20, 40);
  Write(512, 1);  // another one of bank 0
  Run(40, 60);
  Read(640, 1);  // that row again
  Run(60, 80);
  EXPECT_THAT(reads, ElementsAre(10, 26, 66));  // 0 + 1 + 5 + 4, 20 + 1 + 5, 60 + 1 + 5
  EXPECT_THAT(writes, ElementsAre(45));         // 40 + 1 + 4
}

TEST_F(BusTest, AReadGoesBeforeAWriteOfTheSameCycle) {
  Read(0, 2);
  Write(128, 2);
  Run(0, 30);
  EXPECT_THAT(ar_taken, ElementsAre(0));
  EXPECT_THAT(aw_taken, ElementsAre(0));
  EXPECT_THAT(reads, ElementsAre(6, 7));
  EXPECT_THAT(writes, ElementsAre(8, 9));
  EXPECT_THAT(answers, ElementsAre(13));  // 9 + 1 + 3
  EXPECT_THAT(std::vector(memory.begin() + 136, memory.begin() + 144),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(BusTest, TheLastPlaceGoesToARead) {
  Read(0, 4);
  Run(0, 1);
  Read(256, 1);
  Write(128, 1);
  Run(1, 40);
  EXPECT_THAT(ar_taken, ElementsAre(0, 1));
  EXPECT_THAT(aw_taken, ElementsAre(10));  // the first read ends in 9
}

TEST_F(BusTest, RefusesWhatLiesOutsideBurstByBurst) {
  Read(4096 - 8, 2);
  Run(0, 20);
  EXPECT_EQ(r_resp, 3);
  Write(4096, 1);
  Run(20, 40);
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(answer, 3);
}

TEST_F(BusTest, ADeadBusMovesNothing) {
  Read(0, 2);
  Run(0, 3);
  bus.set_dead(true);
  Write(64, 1);
  Run(3, 30);
  EXPECT_TRUE(reads.empty() && aw_taken.empty());
  bus.set_dead(false);
  Run(30, 60);
  EXPECT_EQ(reads.size(), 2u);
  EXPECT_EQ(answers.size(), 1u);
}

TEST_F(BusTest, OnlyStrobedBytesAreWritten) {
  w_strb = 0x81;
  Write(128, 1);
  Run(0, 30);
  EXPECT_THAT(std::vector(memory.begin() + 128, memory.begin() + 136),
              ElementsAre(1, 129, 130, 131, 132, 133, 134, 8));
}

TEST_F(BusTest, ABeatStaysUntilItIsTaken) {
  Read(64, 2);
  r_ready = 0;
  Run(0, 10);
  EXPECT_THAT(reads, ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(r_data[0], 64);
  r_ready = 1;
  Run(10, 20);
  EXPECT_THAT(reads, ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_EQ(r_data[0], 64 + 8);
}

TEST_F(BusTest, AnAnswerStaysUntilItIsTakenAndHasTheIdOfItsBurst) {
  Write(128, 1);
  aw_id = 2;
  b_ready = 0;
  Run(0, 20);
  EXPECT_EQ(b_id, 2);
  b_ready = 1;
  Run(20, 30);
  EXPECT_EQ(answers.back(), 20);
}

TEST_F(BusTest, RefusesBurstsOfAnotherForm) {
  const auto refused = [&](uint8_t& field, uint8_t value, auto ask) {
    const uint8_t before = std::exchange(field, value);
    ask();
    std::string what;
    try {
      Run(0, 20);
    } catch (const Error& error) {
      what = error.what();
    }
    field = before;
    ar_valid = aw_valid = 0;
    return what;
  };
  EXPECT_EQ(refused(size, 2, [&] { Read(0, 1); }), "RTL: AXI ARSIZE = 2: must be 3");
  EXPECT_EQ(refused(size, 3, [&] { Read(uint64_t{1} << 48, 1); }),
            "RTL: AXI ARADDR = 281474976710656: must have 48 bits");
  EXPECT_EQ(refused(burst, 2, [&] { Write(0, 1); }), "RTL: AXI AWBURST = 2: must be 1");
  Write(0, 2);
  w_left = 1;
  EXPECT_THROW(Run(0, 20), Error) << "WLAST at the first beat of two";
}

}  // namespace
}  // namespace vta::sim
