#include "sim/cycle/systemc/memory_view.h"

#include <algorithm>

#include "isa/support/error.h"
#include "sim/cycle/systemc/refuse.h"

namespace vta::sim {
namespace {

constexpr uint64_t kChunkBytes = 4096;  // of an access

}  // namespace

MemoryView::MemoryView(tlm::tlm_fw_transport_if<>& bus, uint64_t base, uint64_t bytes)
    : bus_(bus), base_(base), bytes_(bytes) {
  tlm::tlm_generic_payload ask;
  ask.set_command(tlm::TLM_WRITE_COMMAND);
  ask.set_address(base);
  tlm::tlm_dmi dmi;
  if (bytes > 0 && bus_.get_direct_mem_ptr(ask, dmi) && dmi.is_read_write_allowed() &&
      dmi.get_start_address() <= base && dmi.get_end_address() >= base &&
      dmi.get_end_address() - base >= bytes - 1) {
    data_ = dmi.get_dmi_ptr() + (base - dmi.get_start_address());
    return;
  }
  copy_.resize(bytes);
  for (uint64_t at = 0; at < bytes; at += kChunkBytes)
    Debug(tlm::TLM_READ_COMMAND, at, copy_.data() + at, std::min(kChunkBytes, bytes - at));
  before_ = copy_;
  data_ = copy_.data();
}

void MemoryView::Return() {
  const auto changed = [&](uint64_t at) { return copy_[at] != before_[at]; };
  for (uint64_t at = 0; at < copy_.size();) {
    uint64_t end = at;
    while (end < copy_.size() && end - at < kChunkBytes && changed(end)) ++end;
    if (end > at) Debug(tlm::TLM_WRITE_COMMAND, at, copy_.data() + at, end - at);
    at = std::max(end, at + 1);
  }
}

void MemoryView::Debug(tlm::tlm_command command, uint64_t at, uint8_t* data, uint64_t bytes) {
  tlm::tlm_generic_payload access;
  access.set_command(command);
  access.set_address(base_ + at);
  access.set_data_ptr(data);
  access.set_data_length(static_cast<unsigned>(bytes));
  if (bus_.transport_dbg(access) != bytes)
    Refuse(StrCat("memory at ", Hex(base_ + at), ": debug transport does not take ", bytes,
                  " bytes there"));
}

}  // namespace vta::sim
