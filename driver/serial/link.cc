#include "driver/serial/link.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver {
namespace {

namespace serial = isa::serial;
using serial::Operation;
using serial::Status;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr int kAttempts = 8;
// Beside the time on the line: adapters and kernels hand bytes on some 20 ms late. Then twice as
// long from attempt to attempt, up to the longest.
constexpr std::chrono::milliseconds kFirstPatience{100}, kLongestPatience{500};
constexpr int kBitsPerByte = 10;
// What one request clears: a board takes a millisecond or two for it.
constexpr int64_t kClearWords = 8192;

const serial::OperationSpec& Spec(Operation operation) {
  return *std::ranges::find(serial::kOperations, operation, &serial::OperationSpec::code);
}

void Append(std::vector<uint8_t>& bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

uint32_t Word(std::span<const uint8_t> bytes, size_t index) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t{bytes[4 * index + i]} << (8 * i);
  return value;
}

// Whether status and length of an answer go together: what is read out of it stands in it.
bool IsWhole(const Frame& answer, size_t data_bytes) {
  if (answer.payload.empty()) return false;
  const auto status = static_cast<Status>(answer.payload.back());
  if (std::ranges::find(serial::kStatuses, status, &serial::StatusSpec::code) ==
      std::end(serial::kStatuses))
    return false;
  const bool has_data = status == Status::kDone || status == Status::kRefused;
  return answer.payload.size() == (has_data ? data_bytes : 0) + 1;
}

}  // namespace

SerialLink::SerialLink(std::unique_ptr<ByteLine> line) : line_(std::move(line)) { Identify(); }

void SerialLink::Identify() {
  const std::vector<uint8_t> data = Request(Operation::kIdentify);
  if (Word(data, 0) != serial::kMagic)
    throw Error(name(), "identification", Hex(Word(data, 0), 8), "is no VTA");
  if (Word(data, 1) != serial::kVersion)
    throw Error(name(), "protocol", StrCat("version ", Word(data, 1)),
                StrCat("this program speaks version ", serial::kVersion));
  identity_ = {Word(data, 2), Word(data, 3), Word(data, 4)};
  if (identity_.clock_hz == 0) throw Error(name(), "clock", "0 Hz", "must be more than 0 Hz");
  identified_ = true;
}

SerialStatistics SerialLink::statistics() const {
  SerialStatistics all = statistics_;
  all.dropped = reader_.dropped();
  return all;
}

std::vector<uint32_t> SerialLink::ReadRegisters(uint32_t offset, int64_t words) {
  constexpr int64_t kMost = serial::kDataBytes / serial::kRegisterWordBytes;
  std::vector<uint32_t> values;
  while (std::ssize(values) < words) {
    const int64_t count = std::min(kMost, words - std::ssize(values));
    const std::vector<uint8_t> data =
        Request(Operation::kReadRegisters, offset + 4 * values.size(), count);
    for (int64_t i = 0; i < count; ++i) values.push_back(Word(data, static_cast<size_t>(i)));
  }
  return values;
}

void SerialLink::WriteRegisters(uint32_t offset, std::span<const uint32_t> values) {
  std::vector<uint8_t> data;
  for (const uint32_t value : values) Append(data, value, 4);
  Request(Operation::kWriteRegisters, offset, std::ssize(values), data);
}

void SerialLink::ReadMemory(uint64_t address, std::span<uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += serial::kDataBytes) {
    const size_t count = std::min<size_t>(serial::kDataBytes, bytes.size() - at);
    const std::vector<uint8_t> data =
        Request(Operation::kReadMemory, address + at,
                static_cast<int64_t>(count) / serial::kMemoryWordBytes);
    std::copy(data.begin(), data.end(), bytes.data() + at);
  }
}

void SerialLink::WriteMemory(uint64_t address, std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size(); at += serial::kDataBytes) {
    const auto data = bytes.subspan(at, std::min<size_t>(serial::kDataBytes, bytes.size() - at));
    Request(Operation::kWriteMemory, address + at, std::ssize(data) / serial::kMemoryWordBytes,
            data);
  }
}

void SerialLink::ClearMemory(uint64_t address, int64_t bytes) {
  const int64_t words = bytes / serial::kMemoryWordBytes;
  for (int64_t at = 0; at < words; at += kClearWords)
    Request(Operation::kClearMemory, address + static_cast<uint64_t>(at * serial::kMemoryWordBytes),
            std::min(kClearWords, words - at));
}

// The data of the answer.
std::vector<uint8_t> SerialLink::Request(Operation operation, uint64_t address, int64_t words,
                                         std::span<const uint8_t> data) {
  const serial::OperationSpec& spec = Spec(operation);
  Frame request{static_cast<uint8_t>(operation), sequence_, {}};
  if (spec.has_prefix) {
    VTA_CHECK(address >> 32 == 0 && words > 0 && words <= 0xffff, Hex(address), " ", words);
    Append(request.payload, address, 4);
    Append(request.payload, static_cast<uint64_t>(words), 2);
    request.payload.insert(request.payload.end(), data.begin(), data.end());
  } else {
    words = serial::kIdentityWords;
  }
  const int64_t bytes = spec.brings_data ? words * spec.word_bytes : 0;
  Frame answer = Exchange(request, static_cast<size_t>(bytes));
  ++sequence_;
  const auto status = static_cast<Status>(answer.payload.back());
  answer.payload.pop_back();
  if (status == Status::kDone) return std::move(answer.payload);
  if (status == Status::kNoSession) {
    lost_ = true;
    throw Error(name(), "", "", "the board was reset, and its memory is lost");
  }
  const auto row = std::ranges::find(serial::kStatuses, status, &serial::StatusSpec::code);
  throw Error(name(), StrCat(spec.name, " at ", Hex(address)), Counted(words, "word"),
              StrCat("the board refuses it: ", row->meaning));
}

Frame SerialLink::Exchange(const Frame& request, size_t answer_bytes) {
  if (lost_) throw Error(name(), "", "", "nothing is sent after an error");
  lost_ = true;  // unless it is answered
  const std::vector<uint8_t> bytes = EncodeFrame(request);
  // Any byte of the answer may be escaped.
  const auto line_bytes = static_cast<int64_t>(bytes.size() + 2 * (answer_bytes + 16));
  const nanoseconds on_the_line(line_bytes * kBitsPerByte * 1'000'000'000 /
                                line_->bits_per_second());
  ++statistics_.requests;
  nanoseconds patience = kFirstPatience;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    line_->Write(bytes);
    statistics_.sent_bytes += std::ssize(bytes);
    statistics_.resent += attempt > 0;
    Frame answer;
    if (Await(request, answer_bytes, on_the_line + patience, answer)) {
      lost_ = false;
      return answer;
    }
    patience = std::min<nanoseconds>(2 * patience, kLongestPatience);
  }
  const SerialStatistics all = statistics();
  if (!identified_)
    throw Error(name(), "", "",
                StrCat("no VTA answers there",
                       all.received_bytes == 0
                           ? ": is the bitstream loaded, and is this the port?"
                           : StrCat(": of ", all.received_bytes,
                                    " bytes that came none are an answer; is the speed right?")));
  throw Error(
      name(), "", "",
      StrCat("the board does not answer ", kAttempts, " times; of ", all.requests,
             " requests before, ", all.resent - (kAttempts - 1), " frames were sent again"));
}

// Whether the answer came. One to an earlier request, which was sent twice and answered twice, is
// none to this one; neither is one whose length is not that of its status.
bool SerialLink::Await(const Frame& request, size_t answer_bytes, nanoseconds limit,
                       Frame& answer) {
  const auto end = steady_clock::now() + limit;
  do {
    if (came_.empty()) {
      const auto now = steady_clock::now();
      const std::span<const uint8_t> read =
          line_->Read(std::max(nanoseconds(0), nanoseconds(end - now)));
      if (read.empty()) return false;
      statistics_.received_bytes += std::ssize(read);
      came_.assign(read.begin(), read.end());
    }
    for (size_t at = 0; at < came_.size(); ++at) {
      std::optional<Frame> frame = reader_.Take(came_[at]);
      if (!frame || frame->operation != (request.operation | serial::kAnswerBit) ||
          frame->sequence != request.sequence)
        continue;
      if (!IsWhole(*frame, answer_bytes)) continue;
      came_.erase(came_.begin(), came_.begin() + static_cast<int64_t>(at) + 1);
      answer = std::move(*frame);
      return true;
    }
    came_.clear();
  } while (steady_clock::now() < end);
  return false;
}

}  // namespace vta::driver
