#include "tests/uio/fake/fake_board.h"

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "isa/spec/registers.h"
#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::test::uio {
namespace {

constexpr uint64_t kPage = 4096;
constexpr char kBuffer[] = "/sys/class/u-dma-buf/udmabuf0/";
constexpr int64_t kLargest = int64_t{64} << 20;

BoardSettings ReadSettings(const std::string& path) {
  const auto json = nlohmann::json::parse(ReadTextFile(path));
  BoardSettings s;
  s.config = json.at("config");
  s.engine = json.value("engine", s.engine);
  s.fault = json.value("fault", s.fault);
  s.fault_after = json.value("fault_after", s.fault_after);
  s.busy_looks = json.value("busy_looks", s.busy_looks);
  s.lose_every = json.value("lose_every", s.lose_every);
  s.spurious_every = json.value("spurious_every", s.spurious_every);
  s.has_interrupt = json.value("has_interrupt", s.has_interrupt);
  s.sync_error = json.value("sync_error", s.sync_error);
  s.unmask_error = json.value("unmask_error", s.unmask_error);
  s.poll_error = json.value("poll_error", s.poll_error);
  s.take_error = json.value("take_error", s.take_error);
  s.forgets = json.value("forgets", s.forgets);
  return s;
}

// What a driver must refuse is no matter here: anything will do.
uint64_t NumberIn(const std::string& path) {
  try {
    return std::strtoull(ReadTextFile(path).c_str(), nullptr, 0) / kPage * kPage;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

FakeBoard::FakeBoard(const std::string& root) : settings_(ReadSettings(root + kSettings)) {
  const auto bytes = static_cast<int64_t>(NumberIn(root + kBuffer + "size"));
  board_ = std::make_unique<sim::Board>(
      isa::LoadConfig(settings_.config),
      sim::BoardOptions{.engine = sim::FindBoardEngine(settings_.engine, kSettings),
                        .memory_base = NumberIn(root + kBuffer + "phys_addr"),
                        .memory_bytes = std::clamp(bytes, static_cast<int64_t>(kPage), kLargest)});
  if (settings_.fault_after == 0)
    board_->set_fault(sim::FindBoardFault(settings_.fault, kSettings));
}

std::optional<uint32_t> FakeBoard::Load(uint32_t offset) {
  const bool is_status = offset == static_cast<uint32_t>(isa::Register::kStatus);
  if (is_status && looks_ < settings_.busy_looks) {
    ++looks_;
    return isa::kStatusBusy;
  }
  const std::optional<uint32_t> value = board_->Read(offset);
  AfterAccess();
  return value;
}

bool FakeBoard::Store(uint32_t offset, uint32_t value) {
  if (offset == static_cast<uint32_t>(isa::Register::kControl) && value & isa::kControlStart)
    Began();
  const bool answers = board_->Write(offset, value);
  AfterAccess();
  return answers;
}

void FakeBoard::Began() {
  if (cache_) cache_->BeginLaunch();
  if (launches_++ == settings_.fault_after)
    board_->set_fault(sim::FindBoardFault(settings_.fault, kSettings));
  looks_ = 0;
  lost_ = settings_.lose_every != 0 && launches_ % settings_.lose_every == 0;
}

// The interrupt controller masks what it has delivered.
void FakeBoard::AfterAccess() {
  const bool rises = board_->interrupt() && !line_;
  line_ = board_->interrupt();
  if (rises && cache_) cache_->EndLaunch();
  if (!line_ || masked_ || lost_ || !settings_.has_interrupt) return;
  masked_ = true;
  ++count_;
}

int FakeBoard::Unmask(bool unmask) {
  if (settings_.unmask_error != 0) return settings_.unmask_error;
  if (!settings_.has_interrupt) return EIO;
  masked_ = !unmask;
  if (settings_.spurious_every != 0 && ++unmaskings_ % settings_.spurious_every == 0) {
    masked_ = true;
    ++count_;
  }
  AfterAccess();
  return 0;
}

int FakeBoard::TakeInterrupt(int32_t& count) {
  if (settings_.take_error != 0) return settings_.take_error;
  if (!settings_.has_interrupt) return EIO;
  if (count_ == taken_) return EAGAIN;
  count = taken_ = count_;
  return 0;
}

int FakeBoard::HasInterrupt(bool& has) {
  if (settings_.poll_error != 0) return settings_.poll_error;
  ++waits_;
  if (count_ == taken_) board_->Advance();
  AfterAccess();
  has = count_ != taken_;
  return 0;
}

void FakeBoard::MapBuffer(void* host, size_t bytes) {
  cache_.emplace(std::span(static_cast<uint8_t*>(host), bytes), board_->memory().first(bytes));
}

void FakeBoard::UnmapBuffer() { cache_.reset(); }

int FakeBoard::Sync(bool for_cpu, uint64_t command) {
  constexpr uint64_t kSizeMask = 0xfffffff0;
  const uint64_t offset = command >> 32, bytes = command & kSizeMask, direction = command >> 2 & 3;
  if (!(command & 1) || bytes == 0) return 0;
  if (!cache_ || offset + bytes > board_->memory().size() || direction == 3) return EINVAL;
  if (settings_.sync_error != 0) return settings_.sync_error;
  if (settings_.forgets == (for_cpu ? "sync_for_cpu" : "sync_for_device")) return 0;
  const bool to_device = direction != 2, from_device = direction != 1;
  if (!for_cpu && to_device) cache_->Clean(offset, bytes);
  if (for_cpu ? from_device : !to_device) cache_->Invalidate(offset, bytes);
  return 0;
}

}  // namespace vta::test::uio
