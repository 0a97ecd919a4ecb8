// LOADs of micro-ops and accumulators, GEMM, ALU, SETs of their modes, FINISH.
#include "vta_alu.h"
#include "vta_transfer.h"

namespace {

// A row that was written so few micro-ops ago that its memory may not have it yet comes from
// registers. What takes more than a cycle, mul, requant and lut, waits until the rows that it reads were
// written longer ago.
const int kRecent = 8, kSettling = 16;

struct Row {
  int32_t lane[VTA_ACC_ROW];
};

// So many micro-ops a call at most: an order is seen in between.
const uint32_t kMostMicroOps = 1 << 16;

uint32_t uops[VTA_UOP_DEPTH];
// Accumulators: a copy for each port that reads; the rows that were written last, and the numbers
// of those that mul, requant and lut wrote.
Row copies[VTA_ALU_READ_PORTS][VTA_ACC_DEPTH], recent[kRecent];
uint32_t recent_row[kRecent], settling_row[kSettling];
const uint32_t kNoRow = ~uint32_t(0);
// The table of lut: a copy for each lane.
const int kTables = VTA_LUT ? VTA_ACC_ROW : 1;
int8_t tables[kTables][VTA_LUT_BYTES];

/// To the memory: each port's copy.
void KeepRow(uint32_t row, const Row& value) {
#pragma HLS INLINE
  for (int port = 0; port < VTA_ALU_READ_PORTS; ++port) {
#pragma HLS UNROLL
    copies[port][row] = value;
  }
}

/// What a micro-op makes of a row.
void WriteRow(uint32_t row, const Row& value, int8_t out[VTA_ACC_ROW]) {
#pragma HLS INLINE
  KeepRow(row, value);
  for (int k = 0; k < VTA_ACC_ROW; ++k) {
#pragma HLS UNROLL
    out[k] = int8_t(value.lane[k]);
  }
}

Row RecentOr(uint32_t row, Row value) {
#pragma HLS INLINE
  for (int i = kRecent - 1; i >= 0; --i) {  // the youngest counts
#pragma HLS UNROLL
    if (recent_row[i] == row) value = recent[i];
  }
  return value;
}

void Remember(uint32_t row, const Row& value) {
#pragma HLS INLINE
  for (int i = kRecent - 1; i > 0; --i) {
#pragma HLS UNROLL
    recent[i] = recent[i - 1];
    recent_row[i] = recent_row[i - 1];
  }
  recent[0] = value;
  recent_row[0] = row;
}

bool Settles(uint32_t row) {
#pragma HLS INLINE
  bool settles = false;
  for (int i = 0; i < kSettling; ++i) {
#pragma HLS UNROLL
    if (settling_row[i] == row) settles = true;
  }
  return settles;
}

/// A micro-op has gone by that wrote this row, or none.
void Settle(uint32_t row) {
#pragma HLS INLINE
  for (int i = kSettling - 1; i > 0; --i) {
#pragma HLS UNROLL
    settling_row[i] = settling_row[i - 1];
  }
  settling_row[0] = row;
}

/// Between instructions the memories have all.
void ForgetRecent() {
#pragma HLS INLINE
  for (int i = 0; i < kRecent; ++i) {
#pragma HLS UNROLL
    recent_row[i] = kNoRow;
  }
  for (int i = 0; i < kSettling; ++i) {
#pragma HLS UNROLL
    settling_row[i] = kNoRow;
  }
}

uint32_t LaneOf(const uint8_t* bytes) {
#pragma HLS INLINE
  return bytes[0] | uint32_t(bytes[1]) << 8 | uint32_t(bytes[2]) << 16 | uint32_t(bytes[3]) << 24;
}

struct ToUops {
  void Put(uint32_t row, const uint8_t* element) {
#pragma HLS INLINE
    uops[row] = LaneOf(element);
  }
  void Pad(uint32_t) {}
};

struct ToRows {
  int32_t pad;
  void Pad(uint32_t row) {
#pragma HLS INLINE
    Row value;
    for (int k = 0; k < VTA_ACC_ROW; ++k) {
#pragma HLS UNROLL
      value.lane[k] = pad;
    }
    KeepRow(row, value);
  }
};

struct ToAcc : ToRows {
  void Put(uint32_t row, const uint8_t* element) {
#pragma HLS INLINE
    Row value;
    for (int k = 0; k < VTA_ACC_ROW; ++k) {
#pragma HLS UNROLL
      value.lane[k] = int32_t(LaneOf(element + 4 * k));
    }
    KeepRow(row, value);
  }
};

struct ToAcc8 : ToRows {
  void Put(uint32_t row, const uint8_t* element) {
#pragma HLS INLINE
    Row value;
    for (int k = 0; k < VTA_ACC_ROW; ++k) {
#pragma HLS UNROLL
      value.lane[k] = int8_t(element[k]);
    }
    KeepRow(row, value);
  }
};

struct ToTables {
  void Put(uint32_t, const uint8_t* element) {
#pragma HLS INLINE
    for (int k = 0; k < kTables; ++k) {
#pragma HLS UNROLL
      for (int i = 0; i < VTA_LUT_BYTES; ++i) {
#pragma HLS UNROLL
        tables[k][i] = int8_t(element[i]);
      }
    }
  }
  void Pad(uint32_t) {}
};

uint32_t DecodeFault(const vta_word& word) {
  switch (VTA_FIELD(word, LOAD_OPCODE)) {
    case VTA_OP_LOAD: {
      const uint32_t type = VTA_FIELD(word, LOAD_MEMORY_TYPE);
      if (type != VTA_MEM_UOP && type != VTA_MEM_ACC && !(VTA_ACC8 && type == VTA_MEM_ACC8) &&
          !(VTA_LUT && type == VTA_MEM_LUT))
        return VTA_FAULT_ILLEGAL_MEMORY_TYPE;
      const vta_transfer t = vta_transfer_of(word);
      const bool pads = t.top || t.bottom || t.left || t.right;
      return pads && (type == VTA_MEM_UOP || type == VTA_MEM_LUT) ? VTA_FAULT_ILLEGAL_PADDING
                                                                  : VTA_FAULT_NONE;
    }
    case VTA_OP_ALU: {
      const uint32_t operation = VTA_FIELD(word, ALU_ALU_OPCODE);
      const bool requant = vta_is_requant(operation);
      const bool there =
          operation <= VTA_ALU_SHR || (VTA_MUL && operation == VTA_ALU_MUL) || requant;
      return !there || (requant && VTA_FIELD(word, ALU_USE_IMM)) ? VTA_FAULT_ILLEGAL_ALU_OPERATION
                                                                 : VTA_FAULT_NONE;
    }
    case VTA_OP_SET: {
      if (!VTA_HAS_SET) return VTA_FAULT_ILLEGAL_OPCODE;
      const uint32_t mode = VTA_FIELD(word, SET_MODE), value = VTA_FIELD(word, SET_VALUE);
      const bool legal = (VTA_PAD_VALUE && mode == VTA_MODE_PAD_COMPUTE && value <= 255) ||
                         (VTA_REQUANT && mode == VTA_MODE_ROUNDING && value <= 1);
      return legal ? VTA_FAULT_NONE : VTA_FAULT_ILLEGAL_MODE;
    }
    case VTA_OP_GEMM:
    case VTA_OP_FINISH:
      return VTA_FAULT_NONE;
    default:
      return VTA_FAULT_ILLEGAL_OPCODE;
  }
}

/// The loop nest of a GEMM or ALU, and where it is.
struct Nest {
  uint32_t begin, end, trips_out, trips_in;
  uint32_t dst_out, dst_in, src_out, src_in, wgt_out, wgt_in;
  uint32_t uop, in, out;
  uint32_t dst_row, src_row, wgt_row;     // of the outer loop
  uint32_t dst_base, src_base, wgt_base;  // of both loops
  bool over() const { return out == trips_out; }
  void Next() {
#pragma HLS INLINE
    if (++uop < end) return;
    uop = begin;
    dst_base += dst_in;
    src_base += src_in;
    wgt_base += wgt_in;
    if (++in < trips_in) return;
    in = 0;
    dst_base = dst_row += dst_out;
    src_base = src_row += src_out;
    wgt_base = wgt_row += wgt_out;
    ++out;
  }
};

Nest NestOf(const vta_word& word, bool gemm) {
#pragma HLS INLINE
  Nest n = Nest();
  n.begin = VTA_FIELD(word, GEMM_UOP_BEGIN);
  n.end = VTA_FIELD(word, GEMM_UOP_END);
  n.trips_out = VTA_FIELD(word, GEMM_ITER_OUT);
  n.trips_in = VTA_FIELD(word, GEMM_ITER_IN);
  n.dst_out = VTA_FIELD(word, GEMM_DST_FACTOR_OUT);
  n.dst_in = VTA_FIELD(word, GEMM_DST_FACTOR_IN);
  n.src_out = gemm ? VTA_FIELD(word, GEMM_SRC_FACTOR_OUT) : VTA_FIELD(word, ALU_SRC_FACTOR_OUT);
  n.src_in = gemm ? VTA_FIELD(word, GEMM_SRC_FACTOR_IN) : VTA_FIELD(word, ALU_SRC_FACTOR_IN);
  n.wgt_out = VTA_FIELD(word, GEMM_WGT_FACTOR_OUT);
  n.wgt_in = VTA_FIELD(word, GEMM_WGT_FACTOR_IN);
  if (n.begin >= n.end || n.trips_in == 0) n.trips_out = 0;
  n.uop = n.begin;
  return n;
}

uint32_t UopField(uint32_t uop, int lsb, int bits) {
#pragma HLS INLINE
  return bits == 0 ? 0 : uop >> lsb & (~uint32_t(0) >> (32 - bits));
}
#define VTA_UOP_FIELD(uop, name) UopField(uop, VTA_UOP_##name##_LSB, VTA_UOP_##name##_BITS)

/// A GEMM or ALU that is under way.
struct Run {
  bool under_way;
  Nest nest;
  Row parameters[3];            // of requant,
  uint32_t latched, parameter;  // which were read from there; the one that is read next
  Row operand;                  // of a micro-op that reads its two rows one by one,
  bool has_operand;             // once it is read
};

void BeginRun(Run& run, const vta_word& word, bool gemm) {
#pragma HLS INLINE
  ForgetRecent();
  if (run.under_way) return;
  run.under_way = true;
  run.nest = NestOf(word, gemm);
  run.latched = kNoRow;
  run.parameter = 0;
  run.has_operand = false;
}

uint32_t Gemm(const vta_word& word, Run& run, const int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW],
              const int8_t wgt[VTA_WGT_DEPTH][VTA_WGT_ROW], int8_t out[VTA_ACC_DEPTH][VTA_ACC_ROW],
              uint64_t& done) {
  const bool reset = VTA_FIELD(word, GEMM_RESET);
  const bool adds = !(VTA_OVERWRITE && VTA_FIELD(word, GEMM_OVERWRITE));
  BeginRun(run, word, true);
  Nest& n = run.nest;

micro_ops:
  for (uint32_t i = 0; i < kMostMicroOps && !n.over(); ++i, n.Next()) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=kMostMicroOps avg=512
#pragma HLS DEPENDENCE variable=copies type=inter direction=RAW distance=kRecent true
#pragma HLS DEPENDENCE variable=out type=inter false
    if (n.uop >= VTA_UOP_DEPTH) return VTA_FAULT_INDEX_OUT_OF_RANGE;
    const uint32_t uop = uops[n.uop];
    const uint32_t dst = VTA_UOP_FIELD(uop, DST) + n.dst_base;
    const uint32_t src = VTA_UOP_FIELD(uop, SRC) + n.src_base;
    const uint32_t weight = VTA_UOP_FIELD(uop, WGT) + n.wgt_base;
    if (dst >= VTA_ACC_DEPTH) return VTA_FAULT_INDEX_OUT_OF_RANGE;
    if (!reset && (src >= VTA_INP_DEPTH || weight >= VTA_WGT_DEPTH))
      return VTA_FAULT_INDEX_OUT_OF_RANGE;
    Row row = RecentOr(dst, copies[0][dst]);
    for (int b = 0; b < VTA_BATCH; ++b) {
#pragma HLS UNROLL
      for (int k = 0; k < VTA_BLOCK_OUT; ++k) {
#pragma HLS UNROLL
        int32_t sum = 0;
        if (!reset)
          for (int c = 0; c < VTA_BLOCK_IN; ++c) {
#pragma HLS UNROLL
            sum += inp[src][b * VTA_BLOCK_IN + c] * wgt[weight][k * VTA_BLOCK_IN + c];
          }
        int32_t& lane = row.lane[b * VTA_BLOCK_OUT + k];
        lane = int32_t((adds && !reset ? uint32_t(lane) : 0) + uint32_t(sum));
      }
    }
    WriteRow(dst, row, out[dst]);
    Remember(dst, row);
    ++done;
  }
  return VTA_FAULT_NONE;
}

/// Each turn reads a row, or with a second port two: a requant or lut whose parameters are others than those
/// before reads them first, and so does with its operand what has one port.
template <bool kLong, int kDistance>
uint32_t Alu(const vta_word& word, Run& run, bool twice, int8_t out[VTA_ACC_DEPTH][VTA_ACC_ROW],
             uint64_t& done) {
  const int kPort = VTA_ALU_READ_PORTS - 1;
  const uint32_t operation = VTA_FIELD(word, ALU_ALU_OPCODE);
  const bool requant = kLong && vta_is_requant(operation);
  const bool immediate = VTA_FIELD(word, ALU_USE_IMM);
  const bool both = !immediate && !requant && VTA_ALU_READ_PORTS == 2;
  const int32_t imm = int16_t(VTA_FIELD(word, ALU_IMM));
  BeginRun(run, word, false);
  Nest& n = run.nest;

micro_ops:
  for (uint32_t i = 0; i < kMostMicroOps && !n.over(); ++i) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=kMostMicroOps avg=512
#pragma HLS DEPENDENCE variable=copies type=inter direction=RAW distance=kDistance true
#pragma HLS DEPENDENCE variable=out type=inter false
    if (n.uop >= VTA_UOP_DEPTH) return VTA_FAULT_INDEX_OUT_OF_RANGE;
    const uint32_t uop = uops[n.uop];
    const uint32_t dst = VTA_UOP_FIELD(uop, DST) + n.dst_base;
    const uint32_t src = VTA_UOP_FIELD(uop, SRC) + n.src_base;
    if (dst >= VTA_ACC_DEPTH) return VTA_FAULT_INDEX_OUT_OF_RANGE;
    if (!immediate && src + (requant ? 2 : 0) >= VTA_ACC_DEPTH) return VTA_FAULT_INDEX_OUT_OF_RANGE;
    const bool reads = requant ? src != run.latched : !immediate && !both && !run.has_operand;
    const uint32_t source = src + (reads && requant ? run.parameter : 0);
    uint32_t written = kNoRow;
    if (kLong && (Settles(reads ? source : dst) || (both && Settles(source)))) {
    } else if (reads) {
      const Row value = kLong ? copies[kPort][source] : RecentOr(source, copies[kPort][source]);
      if (requant) {
        run.parameters[run.parameter] = value;
        if (++run.parameter == 3) {
          run.parameter = 0;
          run.latched = src;
        }
      } else {
        run.operand = value;
        run.has_operand = true;
      }
    } else {
      Row row = copies[0][dst], operand = run.operand;
      if (both) operand = copies[kPort][source];
      if (!kLong) {
        row = RecentOr(dst, row);
        if (both) operand = RecentOr(source, operand);
      }
      for (int k = 0; k < VTA_ACC_ROW; ++k) {
#pragma HLS UNROLL
        const int32_t with = immediate ? imm : operand.lane[k];
        const int32_t parameters[3] = {run.parameters[0].lane[k], run.parameters[1].lane[k],
                                       run.parameters[2].lane[k]};
        row.lane[k] = kLong ? vta_alu_long(requant, row.lane[k], with, parameters, twice)
                            : vta_alu_short(operation, row.lane[k], with);
        if (kLong && VTA_LUT && operation == VTA_ALU_LUT)
          row.lane[k] = tables[VTA_LUT ? k : 0][uint8_t(row.lane[k])];
      }
      WriteRow(dst, row, out[dst]);
      if (!kLong) Remember(dst, row);
      written = dst;
      run.has_operand = false;
      ++done;
      n.Next();
    }
    if (kLong) Settle(written);
  }
  return VTA_FAULT_NONE;
}

}  // namespace

void vta_compute(vta_orders& orders, const vta_beat* memory, vta_commands& commands,
                 vta_tokens& command_space, vta_tokens& from_prev, vta_tokens& from_prev_space,
                 vta_tokens& from_next, vta_tokens& from_next_space, vta_tokens& to_prev,
                 vta_tokens& to_prev_space, vta_tokens& to_next, vta_tokens& to_next_space,
                 const int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW],
                 const int8_t wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
                 int8_t outputs[VTA_ACC_DEPTH][VTA_ACC_ROW], vta_state& state) {
#pragma HLS INTERFACE mode=axis port=orders
#pragma HLS INTERFACE mode=m_axi port=memory bundle=gmem offset=off depth=kBenchBeats \
    max_read_burst_length=kBurstBeats num_read_outstanding=kReads
#pragma HLS INTERFACE mode=axis port=commands
#pragma HLS INTERFACE mode=axis port=command_space
#pragma HLS INTERFACE mode=axis port=from_prev
#pragma HLS INTERFACE mode=axis port=from_prev_space
#pragma HLS INTERFACE mode=axis port=from_next
#pragma HLS INTERFACE mode=axis port=from_next_space
#pragma HLS INTERFACE mode=axis port=to_prev
#pragma HLS INTERFACE mode=axis port=to_prev_space
#pragma HLS INTERFACE mode=axis port=to_next
#pragma HLS INTERFACE mode=axis port=to_next_space
#pragma HLS INTERFACE mode=bram port=inp storage_type=ram_1p latency=1
#pragma HLS INTERFACE mode=bram port=wgt storage_type=ram_1p latency=1
#pragma HLS INTERFACE mode=bram port=outputs storage_type=ram_1p latency=1
#pragma HLS ARRAY_RESHAPE variable=inp type=complete dim=2
#pragma HLS ARRAY_RESHAPE variable=wgt type=complete dim=2
#pragma HLS ARRAY_RESHAPE variable=outputs type=complete dim=2
#pragma HLS INTERFACE mode=ap_vld port=state
#pragma HLS AGGREGATE variable=state compact=bit
#pragma HLS ARRAY_PARTITION variable=copies type=complete dim=1
#pragma HLS ARRAY_PARTITION variable=recent type=complete
#pragma HLS ARRAY_PARTITION variable=tables type=complete dim=1
#pragma HLS AGGREGATE variable=copies
#pragma HLS AGGREGATE variable=recent
#pragma HLS ARRAY_PARTITION variable=recent_row type=complete
#pragma HLS ARRAY_PARTITION variable=settling_row type=complete
  static vta_module m;
  static uint8_t pad;    // by SET
  static uint8_t twice;  // requant rounds twice, by SET
  static Run run;
#pragma HLS ARRAY_PARTITION variable=m.state.elements type=complete
#pragma HLS ARRAY_PARTITION variable=m.state.instructions type=complete
#pragma HLS ARRAY_PARTITION variable=m.launch.base type=complete
#pragma HLS RESET variable=m
#pragma HLS RESET variable=pad
#pragma HLS RESET variable=twice
#pragma HLS RESET variable=run
#pragma HLS ARRAY_PARTITION variable=run.parameters type=complete
  if (vta_stage_of<true, true>(m, orders, commands, command_space, from_prev, from_prev_space,
                               to_prev, to_prev_space, from_next, from_next_space, to_next,
                               to_next_space)) {
    const vta_word& word = m.word;
    const uint32_t opcode = m.state.opcode;
    uint32_t fault = VTA_FAULT_NONE;
    bool waits = false;
    if (m.state.stage == VTA_STAGE_DECODE) {
      fault = DecodeFault(word);
    } else if (opcode == VTA_OP_GEMM) {
      uint64_t done = 0;
      fault = Gemm(word, run, inp, wgt, outputs, done);
      m.state.gemm_uops += done;
      if (!VTA_FIELD(word, GEMM_RESET)) m.state.gemm_products += done;
    } else if (opcode == VTA_OP_ALU) {
      const uint32_t operation = VTA_FIELD(word, ALU_ALU_OPCODE);
      uint64_t done = 0;
      fault = operation == VTA_ALU_MUL || vta_is_requant(operation)
                  ? Alu<true, kSettling>(word, run, twice, outputs, done)
                  : Alu<false, kRecent>(word, run, twice, outputs, done);
      m.state.alu_uops += done;
    } else if (opcode == VTA_OP_LOAD) {
      const uint32_t type = VTA_FIELD(word, LOAD_MEMORY_TYPE);
      const vta_transfer t = vta_transfer_of(word);
      const uint64_t limit = m.launch.limit,
                     base = m.launch.base[type == VTA_MEM_UOP || type == VTA_MEM_LUT ? VTA_MEM_UOP
                                                                                     : VTA_MEM_ACC];
      const int32_t with = VTA_PAD_VALUE && VTA_FIELD(word, LOAD_PAD_SELECT) ? int8_t(pad) : 0;
      uint64_t moved = 0;
      if (type == VTA_MEM_UOP) {
        ToUops to;
        fault = vta_load_tile<VTA_UOP_BYTES, VTA_UOP_DEPTH>(t, memory, base, limit, to, moved);
      } else if (type == VTA_MEM_ACC) {
        ToAcc to;
        to.pad = with;
        fault = vta_load_tile<VTA_ACC_BYTES, VTA_ACC_DEPTH>(t, memory, base, limit, to, moved);
      } else if (VTA_LUT && type == VTA_MEM_LUT) {
        ToTables to;
        fault = vta_load_tile<VTA_LUT_BYTES, 1>(t, memory, base, limit, to, moved);
      } else {
        ToAcc8 to;
        to.pad = with;
        fault = vta_load_tile<VTA_OUT_BYTES, VTA_ACC_DEPTH>(t, memory, base, limit, to, moved);
      }
      if (VTA_LUT && type == VTA_MEM_LUT)  // counted as so many micro-ops
        m.state.elements[VTA_MEM_UOP] += moved * (VTA_LUT_BYTES / VTA_UOP_BYTES);
      else
        m.state.elements[type] += moved;
    } else if (opcode == VTA_OP_SET) {
      if (VTA_FIELD(word, SET_MODE) == VTA_MODE_ROUNDING)
        twice = VTA_FIELD(word, SET_VALUE);
      else
        pad = VTA_FIELD(word, SET_VALUE);
    } else {  // FINISH: a barrier for all before it, in all modules
      waits = m.launch.order != VTA_ORDER_FINISH;
    }
    if (fault || run.nest.over()) run.under_way = false;
    if (run.under_way)
      ++m.state.moves;
    else if (!waits)
      vta_end_stage(m, fault);
  }
  if (!m.running) {
    pad = twice = 0;
    run.under_way = false;
  }
  state = m.state;
}
