// How a host reaches a board's registers and memory over a serial line: frames, operations,
// answers.
#pragma once

#include <cstdint>
#include <string_view>

namespace vta::isa::serial {

/// What IDENTIFY answers first: "VTAS", and the version of all that stands here.
inline constexpr uint32_t kMagic = 0x53415456;
inline constexpr uint32_t kVersion = 1;

// A frame is a delimiter, its bytes, a delimiter. Where a byte of it is a delimiter or an escape,
// an escape and another byte stand for it (RFC 1055).
inline constexpr uint8_t kDelimiter = 0xc0, kEscape = 0xdb;
inline constexpr uint8_t kEscapedDelimiter = 0xdc, kEscapedEscape = 0xdd;

// Its bytes, numbers little-endian: operation, sequence number, bytes of the payload (2), payload,
// CRC-32 of all before it (4; IEEE 802.3, reflected, begins with ones and is inverted).
inline constexpr int kHeaderBytes = 4;
inline constexpr int kCrcBytes = 4;
inline constexpr uint32_t kCrcPolynomial = 0xedb88320;
inline constexpr uint32_t kCrcStart = 0xffffffff;
/// What the CRC register holds behind a whole frame, its CRC included.
inline constexpr uint32_t kCrcResidue = 0xdebb20e3;

/// All but IDENTIFY begin their payload with an address (4) and a number of words (2).
inline constexpr int kPrefixBytes = 6;
/// The data of one frame is not longer.
inline constexpr int kDataBytes = 256;
/// Words of memory, which addresses of memory are multiples of; those of registers have 4 bytes.
inline constexpr int kMemoryWordBytes = 8;
inline constexpr int kRegisterWordBytes = 4;

/// A request with operation and sequence number of the one before is answered again, and writes
/// nothing again: the host sends it again where an answer does not come.
enum class Operation : uint8_t {
  kIdentify = 1,
  kReadRegisters = 2,
  kWriteRegisters = 3,
  kReadMemory = 4,
  kWriteMemory = 5,
  kClearMemory = 6,
};

struct OperationSpec {
  Operation code;
  std::string_view name;
  bool has_prefix;   // address and words
  bool sends_data;   // the request has the words
  bool brings_data;  // the answer has them
  int word_bytes;
  std::string_view meaning;
};

inline constexpr OperationSpec kOperations[] = {
    {Operation::kIdentify, "identify", false, false, true, 4,
     "begins a session; answers with magic, version, memory's address and bytes, clock in Hz"},
    {Operation::kReadRegisters, "read_registers", true, false, true, kRegisterWordBytes,
     "from a byte address in the register page on"},
    {Operation::kWriteRegisters, "write_registers", true, true, false, kRegisterWordBytes,
     "in turn, up to one that is refused"},
    {Operation::kReadMemory, "read_memory", true, false, true, kMemoryWordBytes, ""},
    {Operation::kWriteMemory, "write_memory", true, true, false, kMemoryWordBytes, ""},
    {Operation::kClearMemory, "clear_memory", true, false, false, kMemoryWordBytes,
     "writes zeros; any number of words"},
};
/// Words of an answer to IDENTIFY.
inline constexpr int kIdentityWords = 5;

/// An answer has the request's operation with this bit, its sequence number, the data, and a Status
/// behind them; of one that is neither kDone nor kRefused the Status alone.
inline constexpr uint8_t kAnswerBit = 0x80;

enum class Status : uint8_t {
  kDone = 0,
  kNoSession = 1,
  kUnknown = 2,
  kLength = 3,
  kAddress = 4,
  kRefused = 5,
};

struct StatusSpec {
  Status code;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr StatusSpec kStatuses[] = {
    {Status::kDone, "done", "all of it was done"},
    {Status::kNoSession, "no_session", "nothing identified it since its reset"},
    {Status::kUnknown, "unknown", "there is no such operation"},
    {Status::kLength, "length", "payload and number of words do not go together"},
    {Status::kAddress, "address", "not aligned, or not inside the memory or the register page"},
    {Status::kRefused, "refused", "a register answered SLVERR"},
};

}  // namespace vta::isa::serial
