#include "tests/uio/fake/mov.h"

#include <cstring>

namespace vta::test::uio {
namespace {

constexpr uint8_t kRexFirst = 0x40, kRexLast = 0x4f, kRexWide = 8, kRexReg = 4;
constexpr uint8_t kLoad = 0x8b, kStore = 0x89, kStoreConstant = 0xc7;

// Of ModRM, SIB and displacement; where they lead, the fault says.
int AddressBytes(const uint8_t* modrm) {
  const int mode = modrm[0] >> 6, base = modrm[0] & 7;
  const bool has_sib = base == 4;
  const bool has_no_base = mode == 0 && (has_sib ? (modrm[1] & 7) == 5 : base == 5);
  const int displacement = mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
  return 1 + has_sib + displacement;
}

}  // namespace

std::optional<Mov> DecodeMov(const uint8_t* code) {
  const uint8_t* at = code;
  uint8_t rex = 0;
  if (*at >= kRexFirst && *at <= kRexLast) rex = *at++;
  const uint8_t opcode = *at++;
  if (rex & kRexWide || at[0] >> 6 == 3) return std::nullopt;
  Mov mov;
  mov.is_load = opcode == kLoad;
  const int field = at[0] >> 3 & 7;
  at += AddressBytes(at);
  if (opcode == kStoreConstant && field == 0) {
    std::memcpy(&mov.constant, at, sizeof mov.constant);
    at += sizeof mov.constant;
  } else if (opcode == kLoad || opcode == kStore) {
    mov.reg = field | (rex & kRexReg ? 8 : 0);
  } else {
    return std::nullopt;
  }
  mov.bytes = static_cast<int>(at - code);
  return mov;
}

}  // namespace vta::test::uio
