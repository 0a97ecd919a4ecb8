// The block design round the kernels: channels, scratchpads, wires; and the order in which a
// simulation calls them, which is that of their cycles.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "hw/hls/vta.h"
#include "sim/hls/model/abi.h"
#include "sim/hls/model/cost.h"

vta_cost vta_cost_of_call;

namespace {

enum { kFetch, kLoad, kCompute, kStore, kMonitor, kKernels };

int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW], wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
    out[VTA_ACC_DEPTH][VTA_ACC_ROW];
vta_launch launched;
uint32_t start, stop;
vta_result result;

/// What a kernel is about, which its wires say when its call has ended.
template <class State>
struct Wires {
  State now, behind_call;
  void End() { now = behind_call; }
};
Wires<vta_state> load_state, compute_state, store_state;
Wires<vta_fetch_state> fetch_state;
uint8_t* memory;
// Cycles since power-on: of the launch's begin, of the next call of each, and when memory's channel
// has moved all that was asked of it.
uint64_t begins, next_call[kKernels], channel_free;

/// The shortest FIFO of a block design that holds so many words: the writer's count is what keeps a
/// queue as short as the config says.
constexpr size_t Fifo(size_t words) {
  size_t depth = 16;
  while (depth < words) depth *= 2;
  return depth;
}

/// Of the vendor's there are none with an end: what a writer counts alone keeps them short.
template <class Stream, bool kBounded = std::is_constructible<Stream, size_t>::value>
struct Channel : Stream {
  explicit Channel(size_t depth) : Stream(depth) {}
};
template <class Stream>
struct Channel<Stream, false> : Stream {
  explicit Channel(size_t) {}
};

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
  typedef Channel<vta_orders> Orders;
  typedef Channel<vta_commands> Commands;
  typedef Channel<vta_tokens> Tokens;
  Orders fetch_orders, load_orders, compute_orders, store_orders;
  Commands load_commands, compute_commands, store_commands;
  Tokens load_command_space, compute_command_space, store_command_space;
  Tokens load_compute, compute_load, compute_store, store_compute;
  Tokens load_compute_space, compute_load_space, compute_store_space, store_compute_space;
};
std::unique_ptr<Channels> channels;
bool overfull;

// The monitor takes for an end what stands still in several times as many calls.
const uint64_t kMostStill = 15 * kVtaCallCycles;
uint64_t schedule;

/// Cycles that a kernel stands still before its next call: mostly none, and none without a seed.
uint64_t Still() {
  if (schedule == 0) return 0;
  schedule ^= schedule << 13;  // xorshift (Marsaglia)
  schedule ^= schedule >> 7;
  schedule ^= schedule << 17;
  return schedule >> 61 ? 0 : (schedule >> 32) % (kMostStill + 1);
}

/// Behind a call of the kernel that writes it: whoever reads it has had no turn.
void LookAt(vta_commands& commands) { overfull |= commands.size() > VTA_COMMAND_QUEUE_DEPTH; }
void LookAt(vta_tokens& tokens) { overfull |= tokens.size() > VTA_TOKEN_CAPACITY; }

uint64_t Up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Cycles a beat of a transfer that is cut into the longest bursts, of which so many are under way.
uint64_t BeatCycles(uint64_t latency, uint64_t bursts, uint64_t bytes_per_cycle) {
  const uint64_t channel = Up(VTA_BUS_BYTES, bytes_per_cycle);
  const uint64_t beats = VTA_MAX_BURST_BEATS;
  return std::max(channel, Up(latency + beats * channel, beats * bursts));
}

void Call(int64_t kernel) {
  Channels& c = *channels;
  vta_beat* const beats = reinterpret_cast<vta_beat*>(memory);
  switch (kernel) {
    case kFetch:
      fetch_state.End();
      vta_fetch(c.fetch_orders, reinterpret_cast<const vta_word*>(memory), c.load_commands,
                c.compute_commands, c.store_commands, c.load_command_space, c.compute_command_space,
                c.store_command_space, fetch_state.behind_call);
      LookAt(c.load_commands);
      LookAt(c.compute_commands);
      LookAt(c.store_commands);
      break;
    case kLoad:
      load_state.End();
      vta_load(c.load_orders, beats, c.load_commands, c.load_command_space, c.compute_load,
               c.compute_load_space, c.load_compute, c.load_compute_space, inp, wgt,
               load_state.behind_call);
      LookAt(c.load_compute);
      break;
    case kCompute:
      compute_state.End();
      vta_compute(c.compute_orders, beats, c.compute_commands, c.compute_command_space,
                  c.load_compute, c.load_compute_space, c.store_compute, c.store_compute_space,
                  c.compute_load, c.compute_load_space, c.compute_store, c.compute_store_space, inp,
                  wgt, out, compute_state.behind_call);
      LookAt(c.compute_load);
      LookAt(c.compute_store);
      break;
    case kStore:
      store_state.End();
      vta_store(c.store_orders, beats, c.store_commands, c.store_command_space, c.compute_store,
                c.compute_store_space, c.store_compute, c.store_compute_space, out,
                store_state.behind_call);
      LookAt(c.store_compute);
      break;
    default:
      vta_monitor(start, stop, launched, c.fetch_orders, c.load_orders, c.compute_orders,
                  c.store_orders, fetch_state.now, load_state.now, compute_state.now,
                  store_state.now, result);
  }
}

uint64_t* NextCall() { return std::min_element(next_call, next_call + kKernels); }

void CallNext() {
  uint64_t* const next = NextCall();
  vta_cost& cost = vta_cost_of_call;
  cost.spent = kVtaCallCycles;
  cost.channel = 0;
  Call(next - next_call);
  uint64_t end = *next + cost.spent;
  if (cost.channel > 0) {
    channel_free = std::max(channel_free, *next) + cost.channel;
    end = std::max(end, channel_free);
  }
  *next = end + Still();
}

}  // namespace

extern "C" {

void vta_hls_power_on(uint32_t channel_depth, uint64_t seed, const vta_memory* of) {
  channels.reset(new Channels(channel_depth));
  schedule = seed;
  vta_cost& cost = vta_cost_of_call;
  cost.read_latency = of->read_latency;
  cost.write_latency = of->write_latency;
  cost.read_beat =
      BeatCycles(of->read_latency, std::min<uint64_t>(of->outstanding, VTA_OUTSTANDING_READS),
                 of->bytes_per_cycle);
  cost.write_beat = BeatCycles(of->write_latency, of->outstanding, of->bytes_per_cycle);
  cost.channel_beat = Up(VTA_BUS_BYTES, of->bytes_per_cycle);
}

void vta_hls_start(const vta_launch* launch, uint8_t* bytes) {
  memory = bytes;
  begins = next_call[kMonitor];
  launched = *launch;
  ++start;
}

int vta_hls_run(uint32_t calls, int stops) {
  if (stops) stop = start;
  for (uint32_t i = 0; i < calls && result.done != start; ++i) CallNext();
  return result.done == start;
}

void vta_hls_cycle(uint32_t starts, uint32_t stops, const vta_launch* launch, uint8_t* bytes) {
  static uint64_t cycle;
  memory = bytes;
  launched = *launch;
  start = starts;
  stop = stops;
  ++cycle;
  if (result.done == start) std::fill(next_call, next_call + kKernels, cycle);
  while (result.done != start && *NextCall() <= cycle) CallNext();
}

uint64_t vta_hls_cycles() { return next_call[kMonitor] - begins; }

const vta_result* vta_hls_result() { return &result; }

int vta_hls_overfull() { return overfull; }

int vta_hls_leftovers() {
  Channels& c = *channels;
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
