/// The compute module: LOAD of uop, acc and acc8, GEMM, ALU, SET, FINISH; owns the micro-op memory,
/// the accumulator and the writes to OUT.
/// Timing: a GEMM or ALU can end, push its tokens and let the next one start in the cycle of its last
/// write, a LOAD in the one after that; a GEMM or ALU lets another one start before that, when it is
/// certain that it ends: no index is outside, and its tokens find space. Source: isa/spec/timing.h.
module vta_compute #(
  localparam int LaneBits = 10
) (
  input  logic                              clk_i,
  input  logic                              clear_i,
  input  logic [5*64-1:0]                   bases_i,
  input  logic                              insn_valid_i,
  input  logic [127:0]                      insn_i,
  input  logic [31:0]                       insn_index_i,
  output logic                              insn_pop_o,
  output logic                              start_o,     // takes its tokens, or its fault
  // Tokens that come and are taken, from load (prev) and store (next); to them.
  input  logic                              token_prev_i,
  input  logic                              token_next_i,
  output logic                              take_prev_o,
  output logic                              take_next_o,
  input  logic                              space_prev_i,
  input  logic                              space_next_i,
  output logic                              push_prev_o,
  output logic                              push_next_o,
  input  logic                              barrier_i,   // load and store have nothing left
  // Memory.
  output logic                              request_o,
  output logic [vta_pkg::AddressBits-1:0]   address_o,
  output logic [7:0]                        beats_o,
  input  logic                              grant_i,
  input  logic                              beat_valid_i,
  input  logic [vta_pkg::BusBits-1:0]       beat_data_i,
  input  logic                              beat_error_i,
  output logic                              beat_ready_o,
  // Scratchpads of the neighbours.
  output logic                              read_mac_o,
  output logic [vta_pkg::InpIndexBits-1:0]  read_inp_o,
  output logic [vta_pkg::WgtIndexBits-1:0]  read_wgt_o,
  input  logic [vta_pkg::InpBits-1:0]       inp_i,
  input  logic [vta_pkg::WgtBits-1:0]       wgt_i,
  output logic                              write_out_o,
  output logic [vta_pkg::OutBits-1:0]       write_out_data_o,
  // Writes to the accumulator and the micro-op memory (trace).
  output logic                              write_acc_o,
  output logic [vta_pkg::AccIndexBits-1:0]  write_row_o,
  output logic [vta_pkg::AccBits/vta_pkg::BusBits-1:0] write_lanes_o,
  output logic [vta_pkg::AccBits-1:0]       write_data_o,
  output logic                              write_uop_o,
  output logic [15:0]                       uop_row_o,
  output logic [4:0]                        uop_count_o,
  output logic [vta_pkg::BusBits-1:0]       uop_data_o,
  // State and retirement.
  output logic [1:0]                        kind_o,
  output logic [1:0]                        wait_o,
  output logic [1:0]                        queue_o,
  output logic [3:0]                        fault_o,
  output logic [31:0]                       index_o,
  output logic                              still_o,
  output logic                              busy_o,
  output logic                              wait_memory_o,
  output logic                              retire_o,   // the tokens are pushed
  output logic                              complete_o, // for the first time
  output logic [2:0]                        opcode_o,
  output logic                              element_o,
  output logic [2:0]                        type_o,
  output logic                              gemm_uop_o,
  output logic                              mac_uop_o,
  output logic                              alu_uop_o
);
  localparam int Lanes = vta_pkg::AccBits / vta_pkg::BusBits;
  localparam int LogBeat = vta_pkg::LogBeatBytes;

  // The instruction that runs.
  logic run_q, wait_q, halted_q, prev_done_q;
  logic [127:0] next_insn, insn_q;
  logic [31:0] next_index, head_index, index_q;
  logic [3:0] fault_q;
  logic [7:0] pad_q;
  logic double_q;

  logic pending_valid, pending_ready, start, worked, has_space, ends, complete, finish, fe_waits, fe_waits_next,
        fe_empty, early_prev, prev_ok, at_barrier, push_prev;
  logic drain_q, drain_prev_q, drain_next_q, drain_done, certain_q, overlap;
  logic [31:0] drain_index_q;
  logic [2:0] drain_opcode_q;
  logic next_fault, next_moves, next_loops, next_uop, next_acc8, next_take_prev, next_take_next;
  logic [3:0] next_fault_code, end_fault;

  assign next_fault = next_fault_code != vta_pkg::FAULT_NONE;
  assign next_uop = next_insn[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_UOP;
  assign next_acc8 = next_insn[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_ACC8;

  logic tile_busy, tile_ready, tile_write, tile_pad, tile_ending, tile_done, tile_failed, uop_ready, uop_done,
        uop_failed, loop_done, loop_failed, loop_ending, failed;
  logic [3:0] tile_fault, uop_fault;
  logic [15:0] tile_row;
  logic [LaneBits-1:0] tile_lane;

  assign end_fault = tile_failed ? tile_fault : uop_failed ? uop_fault :
                     vta_pkg::FAULT_INDEX_OUT_OF_RANGE;
  assign failed = tile_failed || uop_failed || loop_failed;
  assign at_barrier = run_q && !wait_q && insn_q[2:0] == vta_pkg::OP_FINISH;
  assign worked = run_q && (wait_q || tile_done || uop_done || (loop_done && !drain_q));
  assign complete = worked || (at_barrier && barrier_i);
  assign prev_ok = !insn_q[vta_pkg::GemmPushPrevLsb] || prev_done_q || space_prev_i;
  assign push_prev = complete && insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q && space_prev_i;
  assign push_prev_o = push_prev || (drain_done && drain_prev_q);
  assign push_next_o = (complete && insn_q[vta_pkg::GemmPushNextLsb] && prev_ok && space_next_i) ||
                       (drain_done && drain_next_q);
  assign has_space = prev_ok && (!insn_q[vta_pkg::GemmPushNextLsb] || space_next_i);
  assign ends = worked && has_space;
  assign finish = complete && has_space;
  // The instruction before the one that runs, from the start of that to its own end.
  assign drain_done = drain_q && loop_done;
  assign overlap = (loop_ending || certain_q) && (!drain_q || drain_done) && next_loops &&
                   (!insn_q[vta_pkg::GemmPushPrevLsb] || (space_prev_i && !(drain_q && drain_prev_q))) &&
                   (!insn_q[vta_pkg::GemmPushNextLsb] || (space_next_i && !(drain_q && drain_next_q)));
  // Behind FINISH nothing comes: its barrier lets nothing start.
  assign pending_ready = !halted_q && (!run_q || ends || overlap);
  assign start = pending_valid && pending_ready;
  assign start_o = start;
  assign take_prev_o = (start && next_take_prev) || early_prev;
  assign take_next_o = start && next_take_next;

  vta_frontend u_frontend (
    .clk_i, .clear_i, .halted_i(halted_q), .bases_i, .valid_i(insn_valid_i), .insn_i,
    .index_i(insn_index_i), .pop_o(insn_pop_o), .push_prev_i(token_prev_i),
    .push_next_i(token_next_i), .early_prev_o(early_prev), .far_busy_i(run_q),
    .valid_o(pending_valid), .insn_o(next_insn), .index_o(next_index), .fault_o(next_fault_code),
    .moves_o(next_moves), .loops_o(next_loops), .take_prev_o(next_take_prev),
    .take_next_o(next_take_next), .ready_i(pending_ready || halted_q), .request_o, .address_o,
    .beats_o, .grant_i, .waits_o(fe_waits), .waits_next_o(fe_waits_next), .empty_o(fe_empty),
    .head_index_o(head_index)
  );

  // LOAD of acc and acc8. A beat of acc8 fills four lanes.
  logic is_acc8;
  assign is_acc8 = vta_pkg::Acc8 != 0 && insn_q[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_ACC8;
  vta_tile #(.LaneBits(LaneBits)) u_tile (
    .clk_i, .clear_i, .start_i(start && next_moves && !next_uop), .insn_i(next_insn),
    .depth_i(17'(vta_pkg::AccDepth)),
    .last_lane_i(next_acc8 ? LaneBits'((1 << (vta_pkg::LogBytesAcc8 - LogBeat)) - 1) :
                 LaneBits'((1 << (vta_pkg::LogBytesAcc - LogBeat)) - 1)),
    .busy_o(tile_busy), .beat_valid_i, .beat_error_i, .beat_ready_o(tile_ready),
    .write_o(tile_write), .pad_o(tile_pad), .row_o(tile_row), .lane_o(tile_lane), .element_o,
    .ending_o(tile_ending), .done_o(tile_done), .failed_o(tile_failed), .fault_o(tile_fault)
  );

  // Micro-ops.
  logic uop_read, loop_valid, loop_last, loop_outside, loop_ready, loop_next_valid;
  logic [vta_pkg::UopIndexBits-1:0] uop_read_row;
  logic [31:0] uop;
  logic [vta_pkg::AccIndexBits-1:0] dst, loop_next_dst;
  logic [vta_pkg::SrcIndexBits-1:0] src, loop_next_src;
  logic [vta_pkg::WgtIndexBits-1:0] wgt;
  vta_uop_memory u_uop (
    .clk_i, .clear_i, .start_i(start && next_moves && next_uop), .insn_i(next_insn),
    .beat_valid_i, .beat_error_i, .beat_data_i, .beat_ready_o(uop_ready), .write_o(write_uop_o),
    .row_o(uop_row_o), .count_o(uop_count_o), .data_o(uop_data_o), .done_o(uop_done),
    .failed_o(uop_failed), .fault_o(uop_fault), .read_i(uop_read), .read_row_i(uop_read_row), .read_data_o(uop)
  );
  vta_loop u_loop (
    .clk_i, .clear_i, .start_i(start && next_loops), .start_insn_i(next_insn), .insn_i(insn_q),
    .read_o(uop_read), .read_row_o(uop_read_row), .uop_i(uop), .valid_o(loop_valid),
    .last_o(loop_last), .outside_o(loop_outside), .dst_o(dst), .src_o(src), .wgt_o(wgt),
    .next_valid_o(loop_next_valid), .next_dst_o(loop_next_dst), .next_src_o(loop_next_src),
    .ready_i(loop_ready)
  );

  // Accumulator.
  logic acc_read_dst, acc_read_src, exec_write;
  logic [vta_pkg::AccIndexBits-1:0] acc_dst_row, acc_src_row, exec_row;
  logic [vta_pkg::AccBits-1:0] acc_dst, acc_src, exec_data;
  vta_execute u_execute (
    .clk_i, .clear_i, .start_i(start), .insn_i(next_insn), .double_i(double_q),
    .valid_i(loop_valid), .last_i(loop_last), .outside_i(loop_outside), .dst_i(dst), .src_i(src),
    .next_valid_i(loop_next_valid), .next_dst_i(loop_next_dst), .next_src_i(loop_next_src),
    .ready_o(loop_ready), .mac_read_o(read_mac_o), .inp_i, .wgt_i, .read_dst_o(acc_read_dst),
    .read_src_o(acc_read_src), .read_dst_row_o(acc_dst_row), .read_src_row_o(acc_src_row),
    .acc_dst_i(acc_dst), .acc_src_i(acc_src), .write_o(exec_write), .write_row_o(exec_row),
    .write_data_o(exec_data), .write_gemm_o(gemm_uop_o), .write_mac_o(mac_uop_o),
    .ending_o(loop_ending), .done_o(loop_done), .failed_o(loop_failed)
  );
  assign read_inp_o = src[vta_pkg::InpIndexBits-1:0];
  assign read_wgt_o = wgt;

  logic [vta_pkg::BusBits*4-1:0] widened;
  logic [7:0] pad;
  for (genvar b = 0; b < vta_pkg::BusBits / 8; b++) begin : g_widen
    assign widened[b*32 +: 32] = 32'($signed(beat_data_i[b*8 +: 8]));
  end
  assign pad = insn_q[vta_pkg::LoadPadSelectLsb] ? pad_q : 8'd0;

  logic [Lanes-1:0] tile_lanes;
  always_comb begin
    if (tile_pad) tile_lanes = '1;
    else if (is_acc8) tile_lanes = Lanes'(4'hf) << {tile_lane, 2'd0};
    else tile_lanes = Lanes'(1'b1) << tile_lane;
  end
  always_comb begin
    write_data_o = 'x;
    if (exec_write) begin
      write_data_o = exec_data;
    end else if (tile_write) begin
      if (tile_pad) write_data_o = {(vta_pkg::AccBits/32){32'($signed(pad))}};
      else if (is_acc8) write_data_o = {(Lanes/4){widened}};
      else write_data_o = {Lanes{beat_data_i}};
    end
  end
  assign write_acc_o = exec_write || tile_write;
  assign write_row_o = exec_write ? exec_row : tile_row[vta_pkg::AccIndexBits-1:0];
  assign write_lanes_o = exec_write ? '1 : tile_lanes;
  assign write_out_o = exec_write;
  for (genvar l = 0; l < vta_pkg::Lanes; l++) begin : g_narrow
    assign write_out_data_o[l*8 +: 8] = exec_data[l*32 +: 8];
  end

  vta_ram #(.Width(vta_pkg::AccBits), .Depth(vta_pkg::AccDepth), .Lanes(Lanes)) u_acc (
    .clk_i, .write_i(write_acc_o), .write_row_i(write_row_o), .write_lanes_i(write_lanes_o),
    .write_data_i(write_data_o), .read_i(acc_read_dst), .read_row_i(acc_dst_row),
    .read_data_o(acc_dst)
  );
  if (vta_pkg::AluReadPorts == 2) begin : g_second
    vta_ram #(.Width(vta_pkg::AccBits), .Depth(vta_pkg::AccDepth), .Lanes(Lanes)) u_acc (
      .clk_i, .write_i(write_acc_o), .write_row_i(write_row_o), .write_lanes_i(write_lanes_o),
      .write_data_i(write_data_o), .read_i(acc_read_src), .read_row_i(acc_src_row),
      .read_data_o(acc_src)
    );
  end else begin : g_one
    assign acc_src = '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      run_q <= 1'b0;
      wait_q <= 1'b0;
      halted_q <= 1'b0;
      prev_done_q <= 1'b0;
      fault_q <= vta_pkg::FAULT_NONE;
      pad_q <= '0;
      double_q <= 1'b0;
    end else begin
      if (start) begin
        run_q <= !next_fault;
        wait_q <= !next_moves && !next_loops && next_insn[2:0] != vta_pkg::OP_FINISH;
        prev_done_q <= 1'b0;
        if (next_fault) begin
          halted_q <= 1'b1;
          fault_q <= next_fault_code;
        end else if (next_insn[2:0] == vta_pkg::OP_SET) begin
          if (next_insn[vta_pkg::SetModeLsb +: 3] == vta_pkg::MODE_ROUNDING)
            double_q <= next_insn[vta_pkg::SetValueLsb];
          else pad_q <= next_insn[vta_pkg::SetValueLsb +: 8];
        end
      end else if (failed) begin
        run_q <= 1'b0;
        halted_q <= 1'b1;
        fault_q <= end_fault;
      end else if (finish) begin
        run_q <= 1'b0;
        wait_q <= 1'b0;
        prev_done_q <= 1'b0;
      end else if (complete) begin
        wait_q <= 1'b1;
        prev_done_q <= prev_done_q || push_prev;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      drain_q <= 1'b0;
      certain_q <= 1'b0;
    end else begin
      drain_q <= (start && run_q && !ends) || (drain_q && !drain_done);
      certain_q <= (loop_ending || certain_q) && !start && !complete;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      insn_q <= next_insn;
      index_q <= next_index;
      drain_index_q <= index_q;
      drain_opcode_q <= insn_q[2:0];
      drain_prev_q <= insn_q[vta_pkg::GemmPushPrevLsb];
      drain_next_q <= insn_q[vta_pkg::GemmPushNextLsb];
    end
  end

  assign beat_ready_o = tile_ready || uop_ready || halted_q;
  // What waits for space is complete already.
  logic told_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) told_q <= 1'b0;
    else told_q <= complete && !finish;
  end
  assign complete_o = (complete && !told_q) || drain_done;
  assign retire_o = finish || drain_done;
  assign opcode_o = drain_q ? drain_opcode_q : insn_q[2:0];
  assign type_o = insn_q[vta_pkg::LoadMemoryTypeLsb +: 3];
  assign alu_uop_o = exec_write && !gemm_uop_o;
  assign busy_o = run_q;
  assign wait_memory_o = (tile_ready || uop_ready) && !beat_valid_i;
  assign still_o = halted_q ? fe_empty :
                   run_q ? (wait_q && !finish && !push_prev) || (at_barrier && !barrier_i) :
                   fe_empty || (fe_waits && !early_prev);
  assign fault_o = fault_q;
  assign index_o = drain_q ? drain_index_q : halted_q || run_q ? index_q : head_index;
  assign kind_o = halted_q ? vta_pkg::KIND_HALTED :
                  run_q || fe_waits ? vta_pkg::KIND_WAITING : vta_pkg::KIND_DONE;

  always_comb begin
    wait_o = vta_pkg::WAIT_NONE;
    queue_o = 2'd0;
    if (!halted_q && run_q) begin
      if (at_barrier) begin
        wait_o = vta_pkg::WAIT_BARRIER;
      end else begin
        wait_o = vta_pkg::WAIT_SPACE;
        queue_o = insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q ? vta_pkg::QUEUE_COMPUTE_LOAD :
                  vta_pkg::QUEUE_COMPUTE_STORE;
      end
    end else if (!halted_q && fe_waits) begin
      wait_o = vta_pkg::WAIT_TOKEN;
      queue_o = fe_waits_next ? vta_pkg::QUEUE_STORE_COMPUTE : vta_pkg::QUEUE_LOAD_COMPUTE;
    end
  end

  logic unused_tile;
  assign unused_tile = tile_busy ^ tile_ending ^ (^tile_row);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      // One instruction at a time writes the accumulator and ends.
      assert (!(exec_write && tile_write));
      assert ($onehot0({tile_done, tile_failed, uop_done, uop_failed, loop_done, loop_failed}));
      assert (!(tile_ready && uop_ready));
      if (at_barrier) assert (!pending_valid);
    end
  end
`endif
endmodule
