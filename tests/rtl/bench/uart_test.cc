// vta_uart_tx and vta_uart_rx where a bit is no whole number of clocks, and the other end's clock
// is not quite theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

constexpr double kBitClocks = 133 / 16.0;

class UartTest : public BenchTest {
 protected:
  UartTest() { bench_->Set("uart_rx_i", 1); }
};

// Bits of the line: each byte's start, lowest bit first, stop.
std::vector<bool> BitsOf(uint8_t byte) {
  std::vector<bool> bits = {false};
  for (int i = 0; i < 8; ++i) bits.push_back(byte >> i & 1);
  bits.push_back(true);
  return bits;
}

TEST_P(UartTest, SendsBitsOfTheirLength) {
  bench_->Reset();
  std::vector<bool> wanted, line;
  for (int sent = 0; sent < 200;) {
    bench_->Set("uart_valid_i", 1);
    bench_->Settle();
    if (bench_->Get("uart_ready_o")) {
      const auto byte = static_cast<uint8_t>(Any());
      bench_->Set("uart_data_i", byte);
      for (const bool bit : BitsOf(byte)) wanted.push_back(bit);
      ++sent;
    }
    bench_->Clock();
    line.push_back(bench_->Get("uart_tx_o"));
  }
  // The middles of all bits but of the last byte's, which was only begun: bytes follow each other.
  wanted.resize(wanted.size() - 10);
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_EQ(line.at(static_cast<size_t>((static_cast<double>(i) + 0.5) * kBitClocks)), wanted[i])
        << "bit " << i;
}

// Bits that are up to 2.5 % too long or too short, with and without pauses of any length.
TEST_P(UartTest, ReceivesFromAnotherClock) {
  for (const double error : {-0.025, 0.0, 0.025}) {
    bench_->Reset();
    std::vector<uint8_t> sent, received;
    double now = 20, at = 0;
    const auto run_until = [&](double time) {
      for (; at < time; ++at) {
        bench_->Clock();
        ASSERT_FALSE(bench_->Get("uart_error_o"));
        if (bench_->Get("uart_valid_o"))
          received.push_back(static_cast<uint8_t>(bench_->Get("uart_data_o")));
      }
    };
    for (int i = 0; i < 150; ++i) {
      sent.push_back(static_cast<uint8_t>(Any()));
      if (OneIn(2)) now += static_cast<double>(UpTo(4000)) / 100;
      for (const bool bit : BitsOf(sent.back())) {
        run_until(now);
        bench_->Set("uart_rx_i", bit);
        now += kBitClocks * (1 + error);
      }
    }
    run_until(now + 40);
    EXPECT_EQ(received, sent) << error;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, UartTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
