// Begins launches, and sees from what the other kernels publish that one has ended: how, and that
// nothing of it is left in a channel. Says what the host's registers hold.
#include "vta_module.h"

namespace {

// Calls without any move behind which nothing is on its way in a FIFO any more.
const uint32_t kQuiet = 64;

enum Phase { kIdle, kOrdering, kRunning, kStopped, kDrained };

struct Monitor {
  uint32_t phase, then;  // what follows when an order was obeyed
  vta_launch order;
  bool pending[4];    // it has not been given to fetch, load, compute, store
  uint32_t asked[4];  // orders that each was given
  bool at_finish;     // compute has been told that FINISH's barrier is open
  uint32_t moves, quiet;
  uint32_t started, done;  // launches, by the host's number of each
  uint32_t outcome;
};

bool IsFinish(const vta_state& compute) {
#pragma HLS INLINE
  return compute.stage == VTA_STAGE_EXECUTE && compute.opcode == VTA_OP_FINISH;
}

/// Whether a module has nothing to do, waits, or has halted.
bool Rests(const vta_state& state) {
#pragma HLS INLINE
  return IsFinish(state) || (state.stage != VTA_STAGE_DECODE && state.stage != VTA_STAGE_EXECUTE);
}

/// Gives an order to all, or to compute alone.
void Order(Monitor& m, uint32_t order, bool all, uint32_t then) {
#pragma HLS INLINE
  m.order.order = order;
  m.pending[0] = m.pending[1] = m.pending[3] = all;
  m.pending[2] = true;
  m.phase = kOrdering;
  m.then = then;
  m.quiet = 0;
}

void Give(Monitor& m, int to, vta_orders& orders) {
#pragma HLS INLINE
  if (!m.pending[to] || !orders.write_nb(m.order)) return;
  m.pending[to] = false;
  ++m.asked[to];
}

uint32_t OutcomeOf(const vta_fetch_state& fetch, const vta_state& load, const vta_state& compute,
                   const vta_state& store) {
#pragma HLS INLINE
  if (compute.finished) return VTA_OUTCOME_FINISHED;
  if (fetch.fault || load.fault || compute.fault || store.fault) return VTA_OUTCOME_FAULT;
  if (load.stage != VTA_STAGE_IDLE || compute.stage != VTA_STAGE_IDLE ||
      store.stage != VTA_STAGE_IDLE)
    return VTA_OUTCOME_DEADLOCK;
  return VTA_OUTCOME_NO_FINISH;
}

/// The queues of a module.
struct Queues {
  uint32_t pop_prev, pop_next, push_prev, push_next;
};

uint32_t Waits(uint32_t wait, uint32_t queue) {
#pragma HLS INLINE
  return uint32_t(VTA_KIND_WAITING) << VTA_STATE_KIND_LSB | wait << VTA_STATE_WAIT_LSB |
         queue << VTA_STATE_QUEUE_LSB;
}

uint32_t Halted(uint32_t fault) {
#pragma HLS INLINE
  return uint32_t(VTA_KIND_HALTED) << VTA_STATE_KIND_LSB | fault << VTA_STATE_FAULT_LSB;
}

uint32_t StateOf(const vta_state& state, const Queues& queues) {
#pragma HLS INLINE
  switch (state.stage) {
    case VTA_STAGE_POP_PREV:
      return Waits(VTA_WAIT_TOKEN, queues.pop_prev);
    case VTA_STAGE_POP_NEXT:
      return Waits(VTA_WAIT_TOKEN, queues.pop_next);
    case VTA_STAGE_PUSH_PREV:
      return Waits(VTA_WAIT_SPACE, queues.push_prev);
    case VTA_STAGE_PUSH_NEXT:
      return Waits(VTA_WAIT_SPACE, queues.push_next);
    case VTA_STAGE_HALTED:
      return Halted(state.fault);
    default:
      return IsFinish(state) ? Waits(VTA_WAIT_BARRIER, 0) : VTA_KIND_DONE;
  }
}

/// The host's registers, but for those that count cycles.
vta_result Registers(const Monitor& m, const vta_fetch_state& fetch, const vta_state& load,
                     const vta_state& compute, const vta_state& store) {
#pragma HLS INLINE
  vta_result r = vta_result();
#pragma HLS ARRAY_PARTITION variable=r.counter type=complete
#pragma HLS ARRAY_PARTITION variable=r.state type=complete
#pragma HLS ARRAY_PARTITION variable=r.index type=complete
  r.outcome = m.outcome;
  r.done = m.done;
  r.moves = uint64_t(fetch.moves) + load.moves + compute.moves + store.moves;
  r.state[0] = fetch.fault  ? Halted(fetch.fault)
               : fetch.full ? Waits(VTA_WAIT_SPACE, fetch.full - 1)
                            : uint32_t(VTA_KIND_DONE);
  const Queues of_load = {0, VTA_QUEUE_COMPUTE_LOAD, 0, VTA_QUEUE_LOAD_COMPUTE};
  const Queues of_compute = {VTA_QUEUE_LOAD_COMPUTE, VTA_QUEUE_STORE_COMPUTE,
                             VTA_QUEUE_COMPUTE_LOAD, VTA_QUEUE_COMPUTE_STORE};
  const Queues of_store = {VTA_QUEUE_COMPUTE_STORE, 0, VTA_QUEUE_STORE_COMPUTE, 0};
  r.state[1] = StateOf(load, of_load);
  r.state[2] = StateOf(compute, of_compute);
  r.state[3] = StateOf(store, of_store);
  r.index[0] = fetch.fetched;
  r.index[1] = load.index;
  r.index[2] = compute.index;
  r.index[3] = store.index;
  for (int i = 0; i <= VTA_OP_SET; ++i) {
#pragma HLS UNROLL
    r.counter[VTA_COUNTER_INSTRUCTIONS + i] = uint64_t(load.instructions[i]) +
                                              compute.instructions[i] + store.instructions[i];
  }
  r.counter[VTA_COUNTER_GEMM_UOPS] = compute.gemm_uops;
  r.counter[VTA_COUNTER_MAC_UOPS] = compute.gemm_products;
  r.counter[VTA_COUNTER_ALU_UOPS] = compute.alu_uops;
  for (int i = 0; i <= VTA_MEM_ACC8; ++i) {
#pragma HLS UNROLL
    r.counter[VTA_COUNTER_ELEMENTS + i] =
        load.elements[i] + compute.elements[i] + store.elements[i];
  }
  r.counter[VTA_COUNTER_TOKENS + VTA_QUEUE_LOAD_COMPUTE] = load.pushed_next;
  r.counter[VTA_COUNTER_TOKENS + VTA_QUEUE_COMPUTE_LOAD] = compute.pushed_prev;
  r.counter[VTA_COUNTER_TOKENS + VTA_QUEUE_COMPUTE_STORE] = compute.pushed_next;
  r.counter[VTA_COUNTER_TOKENS + VTA_QUEUE_STORE_COMPUTE] = store.pushed_prev;
  return r;
}

}  // namespace

void vta_monitor(uint32_t start_number, uint32_t stop_number, const vta_launch& launch,
                 vta_orders& fetch_orders, vta_orders& load_orders, vta_orders& compute_orders, vta_orders& store_orders,
                 const vta_fetch_state& fetch, const vta_state& load, const vta_state& compute,
                 const vta_state& store, vta_result& result) {
#pragma HLS INTERFACE mode=ap_none port=start_number
#pragma HLS INTERFACE mode=ap_none port=stop_number
#pragma HLS INTERFACE mode=ap_none port=launch
#pragma HLS INTERFACE mode=axis port=fetch_orders
#pragma HLS INTERFACE mode=axis port=load_orders
#pragma HLS INTERFACE mode=axis port=compute_orders
#pragma HLS INTERFACE mode=axis port=store_orders
#pragma HLS INTERFACE mode=ap_none port=fetch
#pragma HLS INTERFACE mode=ap_none port=load
#pragma HLS INTERFACE mode=ap_none port=compute
#pragma HLS INTERFACE mode=ap_none port=store
#pragma HLS INTERFACE mode=ap_vld port=result
#pragma HLS AGGREGATE variable=launch compact=bit
#pragma HLS AGGREGATE variable=fetch compact=bit
#pragma HLS AGGREGATE variable=load compact=bit
#pragma HLS AGGREGATE variable=compute compact=bit
#pragma HLS AGGREGATE variable=store compact=bit
#pragma HLS AGGREGATE variable=result compact=bit
  static Monitor m;
#pragma HLS ARRAY_PARTITION variable=m.pending type=complete
#pragma HLS ARRAY_PARTITION variable=m.asked type=complete
#pragma HLS ARRAY_PARTITION variable=m.order.base type=complete
#pragma HLS RESET variable=m
  switch (m.phase) {
    case kIdle:
      if (start_number == m.started) break;
      m.started = start_number;
      m.order = launch;
      m.at_finish = false;
      Order(m, VTA_ORDER_START, true, kRunning);
      break;
    case kOrdering:
      Give(m, 0, fetch_orders);
      Give(m, 1, load_orders);
      Give(m, 2, compute_orders);
      Give(m, 3, store_orders);
      if (fetch.answered == m.asked[0] && load.answered == m.asked[1] &&
          compute.answered == m.asked[2] && store.answered == m.asked[3] && !m.pending[0] &&
          !m.pending[1] && !m.pending[2] && !m.pending[3])
        m.phase = m.then;
      break;
    case kRunning: {
      const uint32_t moves = fetch.moves + load.moves + compute.moves + store.moves;
      const bool rest = (fetch.done || fetch.fault || fetch.full) && Rests(load) &&
                        Rests(compute) && Rests(store);
      m.quiet = rest && moves == m.moves ? m.quiet + 1 : 0;
      m.moves = moves;
      const bool stops = stop_number == start_number;
      if (!m.at_finish && IsFinish(compute) && fetch.done && load.retired == fetch.handed[0] &&
          store.retired == fetch.handed[2]) {
        m.at_finish = true;
        Order(m, VTA_ORDER_FINISH, false, kRunning);
      } else if (stops || m.quiet == kQuiet) {
        m.outcome = stops ? uint32_t(VTA_OUTCOME_STOPPED) : OutcomeOf(fetch, load, compute, store);
        Order(m, VTA_ORDER_STOP, true, kStopped);
      }
      break;
    }
    case kStopped:
      Order(m, VTA_ORDER_DRAIN, true, kDrained);
      break;
    default:
      m.done = m.started;
      m.phase = kIdle;
      break;
  }
  result = Registers(m, fetch, load, compute, store);
}
