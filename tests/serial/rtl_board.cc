#include "tests/serial/rtl_board.h"

#include <dlfcn.h>

#include <sstream>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/rtl/build.h"
#include "sim/rtl/model/abi.h"

namespace vta::test {
namespace {

constexpr char kFolder[] = "bitstreams/boards/ecp5_85f/";
constexpr int kByteBits = 10;
// What Pass lets pass, and how long nothing happens before the board is quiet: more than the bridge
// takes to clear as much as one request of the tests does.
constexpr int64_t kPassClocks = 400, kQuietClocks = 2000;

template <typename Function>
Function Symbol(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  VTA_CHECK(symbol, name);
  return reinterpret_cast<Function>(symbol);
}

sim::ModelTop Top() {
  sim::ModelTop top{"vta_ecp5_85f", {"tests/serial/vta_ecp5_85f.vlt"}, " -GBaud=6250000"};
  std::istringstream list(ReadTextFile(StrCat(sim::HardwareSources(), "/", kFolder, "board.f")));
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != '#') top.files.push_back(line);
  return top;
}

}  // namespace

RtlBoard::RtlBoard(const isa::Config& config, const std::string& model) {
  const std::string path = sim::BuildModel(config, {.top = Top(), .model = model});
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw Error(path, "", "", StrCat("cannot be loaded: ", dlerror()));
  model_ = Symbol<VtaModelNew>(library_, "vta_model_new")();
  eval_ = Symbol<VtaModelEval>(library_, "vta_model_eval");
  clk_ = Find("clk_i"), rst_n_ = Find("rst_ni"), rx_ = Find("uart_rx_i"), tx_ = Find("uart_tx_o");
  Reset();
}

RtlBoard::~RtlBoard() {
  if (model_) Symbol<VtaModelDelete>(library_, "vta_model_delete")(model_);
}

uint8_t* RtlBoard::Find(const char* port) {
  int bits = 0;
  void* const data = Symbol<VtaModelFind>(library_, "vta_model_find")(model_, port, &bits);
  VTA_CHECK(data && bits == 1, port);
  return static_cast<uint8_t*>(data);
}

void RtlBoard::Reset() {
  waiting_.clear();
  sent_bits_ = 0, seen_clocks_ = -1;
  *rx_ = 1;
  *rst_n_ = 0;
  for (int i = 0; i < 8; ++i) Clock();
  *rst_n_ = 1;
  for (int i = 0; i < 8; ++i) Clock();
  came_.clear();
}

void RtlBoard::Clock() {
  for (const uint8_t level : {uint8_t{0}, uint8_t{1}}) {
    *clk_ = level;
    if (eval_(model_) != 0)
      throw Error("RTL", "", "", Symbol<VtaModelMessage>(library_, "vta_model_message")(model_));
  }
  ++clocks_;
}

void RtlBoard::HoldLine(bool level, int bits) {
  *rx_ = level;
  for (int i = 0; i < bits * kBitClocks; ++i) Clock();
  *rx_ = 1;
}

// Bytes follow each other without a pause.
void RtlBoard::DriveLine() {
  if (sent_bits_ == 0) {
    if (waiting_.empty()) return;
    sending_ = 1u << 9 | uint32_t{waiting_.front()} << 1;
    waiting_.pop_front();
    sent_bits_ = kByteBits, sent_clocks_ = 0;
  }
  *rx_ = sending_ & 1;
  quiet_since_ = clocks_;
  if (++sent_clocks_ < kBitClocks) return;
  sent_clocks_ = 0;
  sending_ >>= 1;
  --sent_bits_;
}

// Looks into the middle of each bit.
void RtlBoard::WatchLine() {
  if (seen_clocks_ < 0 && *tx_) return;
  quiet_since_ = clocks_;
  if (++seen_clocks_ % kBitClocks != kBitClocks / 2) return;
  const int bit = seen_clocks_ / kBitClocks;
  if (bit == 0) VTA_CHECK(!*tx_, "a start bit that is none");
  if (bit >= 1 && bit <= 8) seen_ = static_cast<uint8_t>(seen_ >> 1 | *tx_ << 7);
  if (bit < 9) return;
  VTA_CHECK(*tx_, "a byte without a stop bit");
  came_.push_back(seen_);
  seen_clocks_ = -1;
}

std::vector<uint8_t> RtlBoard::Pass(std::span<const uint8_t> bytes) {
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  if (!bytes.empty()) quiet_since_ = clocks_;
  for (int64_t i = 0; i < kPassClocks; ++i) {
    DriveLine();
    Clock();
    WatchLine();
  }
  return std::exchange(came_, {});
}

bool RtlBoard::is_quiet() const { return clocks_ - quiet_since_ > kQuietClocks; }

}  // namespace vta::test
