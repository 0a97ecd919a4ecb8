#include "sim/functional/scratchpads.h"

#include "isa/spec/requant.h"
#include "isa/support/error.h"

namespace vta::sim {

Scratchpads::Scratchpads(const isa::Config& config)
    : inp_row(config.inp_bytes()),
      wgt_row(config.wgt_bytes()),
      acc_row(config.out_bytes()),
      uop_depth(config.arch.uop_depth),
      inp_depth(config.arch.inp_depth),
      wgt_depth(config.arch.wgt_depth),
      acc_depth(config.arch.acc_depth),
      uop(uop_depth),
      inp(inp_depth * inp_row),
      wgt(wgt_depth * wgt_row),
      acc(acc_depth * acc_row),
      out(acc_depth * acc_row),
      lut(isa::kLutBytes),
      decoded_uop(static_cast<size_t>(uop_depth)) {}

int64_t Scratchpads::RowBytes(Space space) const {
  switch (space) {
    case Space::kUop:
      return sizeof(uint32_t);
    case Space::kWgt:
      return wgt_row;
    case Space::kInp:
      return inp_row;
    case Space::kAcc:
      return acc_row * static_cast<int64_t>(sizeof(int32_t));
    case Space::kOut:
      return acc_row;
    case Space::kLut:
      return isa::kLutBytes;
    case Space::kDram:
      break;
  }
  return 1;
}

std::span<const uint8_t> Scratchpads::Bytes(Space space) const {
  switch (space) {
    case Space::kUop:
      return uop.bytes();
    case Space::kWgt:
      return wgt.bytes();
    case Space::kInp:
      return inp.bytes();
    case Space::kAcc:
      return acc.bytes();
    case Space::kOut:
      return out.bytes();
    case Space::kLut:
      return lut.bytes();
    case Space::kDram:
      break;
  }
  VTA_CHECK(false, "DRAM is not a scratchpad");
  return {};
}

}  // namespace vta::sim
