// The block design round the kernels: channels, scratchpads, wires; and the turns in which a
// simulation calls them.
#include <memory>

#include "hw/hls/vta.h"
#include "sim/hls/model/abi.h"

namespace {

int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW], wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
    out[VTA_ACC_DEPTH][VTA_ACC_ROW];
vta_state load_state, compute_state, store_state;
vta_fetch_state fetch_state;
vta_launch launched;
uint32_t start, stop;
vta_result result;
uint8_t* memory;

/// The shortest FIFO of a block design that holds so many words: the writer's count is what keeps a
/// queue as short as the config says.
constexpr size_t Fifo(size_t words) {
  size_t depth = 16;
  while (depth < words) depth *= 2;
  return depth;
}

struct Channels {
  explicit Channels(size_t depth)
      : fetch_orders(depth),
        load_orders(depth),
        compute_orders(depth),
        store_orders(depth),
        load_commands(Fifo(VTA_COMMAND_QUEUE_DEPTH)),
        compute_commands(Fifo(VTA_COMMAND_QUEUE_DEPTH)),
        store_commands(Fifo(VTA_COMMAND_QUEUE_DEPTH)),
        load_command_space(depth),
        compute_command_space(depth),
        store_command_space(depth),
        load_compute(Fifo(VTA_TOKEN_CAPACITY)),
        compute_load(Fifo(VTA_TOKEN_CAPACITY)),
        compute_store(Fifo(VTA_TOKEN_CAPACITY)),
        store_compute(Fifo(VTA_TOKEN_CAPACITY)),
        load_compute_space(depth),
        compute_load_space(depth),
        compute_store_space(depth),
        store_compute_space(depth) {}
  vta_orders fetch_orders, load_orders, compute_orders, store_orders;
  vta_commands load_commands, compute_commands, store_commands;
  vta_tokens load_command_space, compute_command_space, store_command_space;
  vta_tokens load_compute, compute_load, compute_store, store_compute;
  vta_tokens load_compute_space, compute_load_space, compute_store_space, store_compute_space;
};
std::unique_ptr<Channels> channels;

}  // namespace

extern "C" {

void vta_hls_power_on(uint32_t channel_depth) { channels.reset(new Channels(channel_depth)); }

void vta_hls_start(const vta_launch* launch, uint8_t* bytes) {
  memory = bytes;
  launched = *launch;
  ++start;
}

int vta_hls_run(uint32_t calls, int stops) {
  Channels& c = *channels;
  if (stops) stop = start;
  vta_beat* const beats = reinterpret_cast<vta_beat*>(memory);
  for (uint32_t i = 0; i < calls; ++i) {
    if (result.done == start) return 1;
    vta_fetch(c.fetch_orders, reinterpret_cast<const vta_word*>(memory), c.load_commands,
              c.compute_commands, c.store_commands, c.load_command_space, c.compute_command_space,
              c.store_command_space, fetch_state);
    vta_load(c.load_orders, beats, c.load_commands, c.load_command_space, c.compute_load,
             c.compute_load_space, c.load_compute, c.load_compute_space, inp, wgt, load_state);
    vta_compute(c.compute_orders, beats, c.compute_commands, c.compute_command_space,
                c.load_compute, c.load_compute_space, c.store_compute, c.store_compute_space,
                c.compute_load, c.compute_load_space, c.compute_store, c.compute_store_space, inp,
                wgt, out, compute_state);
    vta_store(c.store_orders, beats, c.store_commands, c.store_command_space, c.compute_store,
              c.compute_store_space, c.store_compute, c.store_compute_space, out, store_state);
    vta_monitor(start, stop, launched, c.fetch_orders, c.load_orders, c.compute_orders,
                c.store_orders, fetch_state, load_state, compute_state, store_state, result);
  }
  return result.done == start;
}

void vta_hls_turn(uint32_t starts, uint32_t stops, const vta_launch* launch, uint8_t* bytes) {
  memory = bytes;
  launched = *launch;
  start = starts;
  stop = stops;
  vta_hls_run(1, 0);
}

const vta_result* vta_hls_result() { return &result; }

int vta_hls_leftovers() {
  const Channels& c = *channels;
  return !(c.fetch_orders.empty() && c.load_orders.empty() && c.compute_orders.empty() &&
           c.store_orders.empty() && c.load_commands.empty() && c.compute_commands.empty() &&
           c.store_commands.empty() && c.load_command_space.empty() &&
           c.compute_command_space.empty() && c.store_command_space.empty() &&
           c.load_compute.empty() && c.compute_load.empty() && c.compute_store.empty() &&
           c.store_compute.empty() && c.load_compute_space.empty() &&
           c.compute_load_space.empty() && c.compute_store_space.empty() &&
           c.store_compute_space.empty());
}
}
