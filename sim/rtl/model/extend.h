// Sign extension as a compiler knows it, instead of Verilator's by masks, and assertions that do
// not ask whether they are on: fewer instructions. Every generated file of a fast model includes it
// first.
#pragma once

#include <verilated.h>

inline IData VtaExtend(int bits, IData value) {
  return static_cast<IData>(static_cast<int32_t>(value << (32 - bits)) >> (32 - bits));
}
inline QData VtaExtend64(int bits, QData value) {
  return static_cast<QData>(static_cast<int64_t>(value << (64 - bits)) >> (64 - bits));
}

#define VL_EXTENDS_II(to_bits, bits, value) VtaExtend(bits, value)
#define VL_EXTENDS_QI(to_bits, bits, value) VtaExtend64(bits, value)
#define VL_EXTENDS_QQ(to_bits, bits, value) VtaExtend64(bits, value)
#define VL_MULS_III(bits, a, b) (VtaExtend(bits, a) * VtaExtend(bits, b))

// Nobody turns them off, so what the context says is not read; as this version asks.
#if VERILATOR_VERSION_INTEGER == 5006000
#define assertOn() assertOn(), true
#endif
