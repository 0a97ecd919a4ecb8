#include "tests/serial/reference_board.h"

#include <algorithm>

namespace vta::test {
namespace {

namespace serial = isa::serial;
using driver::Frame;
using serial::Operation;
using serial::Status;

uint32_t Number(const std::vector<uint8_t>& payload, size_t at, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | payload[at + static_cast<size_t>(i)];
  return value;
}
uint32_t AddressOf(const Frame& request) { return Number(request.payload, 0, 4); }
uint32_t WordsOf(const Frame& request) { return Number(request.payload, 4, 2); }

void AppendWord(std::vector<uint8_t>& bytes, uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

const serial::OperationSpec* Find(uint8_t code) {
  for (const serial::OperationSpec& row : serial::kOperations)
    if (static_cast<uint8_t>(row.code) == code) return &row;
  return nullptr;
}

}  // namespace

std::vector<uint8_t> ReferenceBoard::Pass(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> sent;
  for (const uint8_t byte : bytes) {
    const auto request = reader_.Take(byte);
    // Longer ones the board has no room for.
    if (!request || request->payload.size() > serial::kPrefixBytes + serial::kDataBytes) continue;
    const std::vector<uint8_t> answer = Answer(*request);
    sent.insert(sent.end(), answer.begin(), answer.end());
  }
  return sent;
}

Status ReferenceBoard::Judge(const Frame& request) const {
  const serial::OperationSpec* const row = Find(request.operation);
  if (!row) return Status::kUnknown;
  if (!row->has_prefix) return request.payload.empty() ? Status::kDone : Status::kLength;
  if (request.payload.size() < serial::kPrefixBytes) return Status::kLength;
  const uint64_t bytes = uint64_t{WordsOf(request)} * static_cast<uint64_t>(row->word_bytes);
  const bool carries = row->sends_data || row->brings_data;
  if (bytes == 0 || (carries && bytes > serial::kDataBytes) ||
      request.payload.size() != serial::kPrefixBytes + (row->sends_data ? bytes : 0))
    return Status::kLength;
  if (!session_) return Status::kNoSession;
  const bool is_memory = row->word_bytes == serial::kMemoryWordBytes;
  const uint64_t base = is_memory ? kBase : 0;
  const uint64_t size = is_memory ? memory_bytes_ : uint64_t{1} << isa::kRegisterAddressBits;
  const uint64_t address = AddressOf(request);
  if (address % static_cast<uint64_t>(row->word_bytes) != 0 || address < base ||
      address + bytes > base + size)
    return Status::kAddress;
  return Status::kDone;
}

std::vector<uint8_t> ReferenceBoard::Answer(const Frame& request) {
  const Status judged = Judge(request);
  const serial::OperationSpec* const row = Find(request.operation);
  const bool repeated =
      session_ && request.operation == operation_ && request.sequence == sequence_;
  Frame answer{static_cast<uint8_t>(request.operation | serial::kAnswerBit), request.sequence, {}};
  Status status = judged;
  if (judged == Status::kDone) {
    if (row->brings_data || !repeated) {
      status = Execute(request, answer.payload);
      executed_ += !repeated;
    } else {
      status = last_;
    }
  }
  operation_ = request.operation;
  sequence_ = request.sequence;
  last_ = status;
  answer.payload.push_back(static_cast<uint8_t>(status));
  return driver::EncodeFrame(answer);
}

Status ReferenceBoard::Execute(const Frame& request, std::vector<uint8_t>& data) {
  const auto operation = static_cast<Operation>(request.operation);
  if (operation == Operation::kIdentify) {
    session_ = true;
    for (const uint32_t word : {serial::kMagic, serial::kVersion, static_cast<uint32_t>(kBase),
                                static_cast<uint32_t>(board_.memory().size()), kClockHz})
      AppendWord(data, word);
    return Status::kDone;
  }
  const uint32_t address = AddressOf(request), words = WordsOf(request);
  const auto given = std::span(request.payload).subspan(serial::kPrefixBytes);
  Status status = Status::kDone;
  switch (operation) {
    case Operation::kReadRegisters:
      for (uint32_t i = 0; i < words; ++i) {
        const auto value = board_.Read(address + 4 * i);
        if (!value) status = Status::kRefused;
        AppendWord(data, value.value_or(0));
      }
      return status;
    case Operation::kWriteRegisters:
      for (uint32_t i = 0; i < words; ++i)
        if (!board_.Write(address + 4 * i,
                          Number(request.payload, serial::kPrefixBytes + 4 * i, 4)))
          return Status::kRefused;
      return status;
    case Operation::kReadMemory: {
      const auto memory = board_.memory().subspan(address - kBase, words * 8);
      data.assign(memory.begin(), memory.end());
      return status;
    }
    case Operation::kWriteMemory:
      std::ranges::copy(given, board_.memory().begin() + (address - kBase));
      return status;
    default:
      std::ranges::fill(board_.memory().subspan(address - kBase, words * 8), 0);
      return status;
  }
}

}  // namespace vta::test
