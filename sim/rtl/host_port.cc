#include "sim/rtl/host_port.h"

#include "isa/support/error.h"

namespace vta::sim {
namespace {

[[noreturn]] void Fail(const char* what, uint16_t address) {
  throw Error("RTL", StrCat(what, " of register ", Hex(address, 3)), "",
              StrCat("the port does not end it in ", HostPort::kPatienceCycles, " cycles"));
}

}  // namespace

// What the port shows after an edge holds until the next: its outputs come from registers. So a
// handshake of a cycle is seen before the step that ends it.
HostPort::Answer HostPort::Read(uint16_t address) {
  *ports_.s_ar_address_i = address;
  *ports_.s_ar_valid_i = *ports_.s_r_ready_i = 1;
  for (int64_t cycle = 0; cycle < kPatienceCycles; ++cycle) {
    const bool taken = *ports_.s_ar_ready_o, answered = *ports_.s_r_valid_o;
    const Answer answer{*ports_.s_r_data_o, static_cast<AxiResponse>(*ports_.s_r_resp_o)};
    step_();
    if (taken) *ports_.s_ar_valid_i = 0;
    if (!answered) continue;
    *ports_.s_r_ready_i = 0;
    return answer;
  }
  Fail("read", address);
}

AxiResponse HostPort::Write(uint16_t address, uint32_t data, const WriteShape& shape) {
  *ports_.s_aw_address_i = address;
  *ports_.s_w_data_i = data;
  *ports_.s_w_strb_i = shape.strobes;
  bool address_taken = false, data_taken = false;
  for (int64_t cycle = 0; cycle < kPatienceCycles; ++cycle) {
    *ports_.s_aw_valid_i = !address_taken && cycle >= shape.address_from_cycle;
    *ports_.s_w_valid_i = !data_taken && cycle >= shape.data_from_cycle;
    *ports_.s_b_ready_i = cycle >= shape.answer_from_cycle;
    address_taken |= *ports_.s_aw_valid_i && *ports_.s_aw_ready_o;
    data_taken |= *ports_.s_w_valid_i && *ports_.s_w_ready_o;
    const bool answered = *ports_.s_b_valid_o && *ports_.s_b_ready_i;
    const auto response = static_cast<AxiResponse>(*ports_.s_b_resp_o);
    step_();
    if (!answered) continue;
    *ports_.s_aw_valid_i = *ports_.s_w_valid_i = *ports_.s_b_ready_i = 0;
    return response;
  }
  Fail("write", address);
}

}  // namespace vta::sim
