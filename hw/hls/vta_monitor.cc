// Begins launches, and sees from what the other kernels publish that one has ended: how, and that
// nothing of it is left in a channel.
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
};

bool IsFinish(const vta_state& compute) {
#pragma HLS INLINE
  return compute.stage == VTA_STAGE_EXECUTE &&
         VTA_FIELD(compute.command.word, LOAD_OPCODE) == VTA_OP_FINISH;
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

}  // namespace

void vta_monitor(const vta_request& request, vta_orders& fetch_orders, vta_orders& load_orders,
                 vta_orders& compute_orders, vta_orders& store_orders, const vta_fetch_state& fetch,
                 const vta_state& load, const vta_state& compute, const vta_state& store,
                 vta_result& result) {
#pragma HLS INTERFACE mode=ap_ctrl_none port=return
#pragma HLS INTERFACE mode=s_axilite port=request bundle=control
#pragma HLS INTERFACE mode=s_axilite port=result bundle=control
#pragma HLS INTERFACE mode=axis port=fetch_orders
#pragma HLS INTERFACE mode=axis port=load_orders
#pragma HLS INTERFACE mode=axis port=compute_orders
#pragma HLS INTERFACE mode=axis port=store_orders
#pragma HLS INTERFACE mode=ap_none port=fetch
#pragma HLS INTERFACE mode=ap_none port=load
#pragma HLS INTERFACE mode=ap_none port=compute
#pragma HLS INTERFACE mode=ap_none port=store
  static Monitor m;
  static vta_result kept;
  switch (m.phase) {
    case kIdle:
      if (request.start == kept.started) break;
      kept.started = request.start;
      m.order = request.launch;
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
      const bool stop = request.stop == request.start;
      if (!m.at_finish && IsFinish(compute) && fetch.done && load.retired == fetch.handed[0] &&
          store.retired == fetch.handed[2]) {
        m.at_finish = true;
        Order(m, VTA_ORDER_FINISH, false, kRunning);
      } else if (stop || m.quiet == kQuiet) {
        kept.outcome =
            stop ? uint32_t(VTA_OUTCOME_STOPPED) : OutcomeOf(fetch, load, compute, store);
        kept.fetch = fetch;
        kept.modules[0] = load;
        kept.modules[1] = compute;
        kept.modules[2] = store;
        Order(m, VTA_ORDER_STOP, true, kStopped);
      }
      break;
    }
    case kStopped:
      Order(m, VTA_ORDER_DRAIN, true, kDrained);
      break;
    default:
      kept.done = kept.started;
      m.phase = kIdle;
      break;
  }
  result = kept;
}
