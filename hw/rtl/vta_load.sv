/// The load module: LOAD of inp and wgt, and SET of its modes.
/// Timing: one beat a cycle; an instruction can end, push its token and let the next one start in the
/// cycle after its last write, in which that one writes already. Source: isa/spec/timing.h.
module vta_load #(
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
  // Tokens: one comes from compute, one is taken; to compute.
  input  logic                              token_i,
  output logic                              take_o,
  input  logic                              space_i,
  output logic                              push_o,
  // Memory.
  output logic                              request_o,
  output logic [vta_pkg::AddressBits-1:0]   address_o,
  output logic [7:0]                        beats_o,
  input  logic                              grant_i,
  input  logic                              beat_valid_i,
  input  logic [vta_pkg::BusBits-1:0]       beat_data_i,
  input  logic                              beat_error_i,
  output logic                              beat_ready_o,
  // Scratchpads: a beat into one lane, or into all.
  output logic                              write_inp_o,
  output logic                              write_wgt_o,
  output logic [15:0]                       write_row_o,
  output logic                              write_all_o,
  output logic [LaneBits-1:0]               write_lane_o,
  output logic [vta_pkg::BusBits-1:0]       write_data_o,
  // State and retirement.
  output logic [1:0]                        kind_o,
  output logic [1:0]                        wait_o,
  output logic [1:0]                        queue_o,
  output logic [3:0]                        fault_o,
  output logic [31:0]                       index_o,
  output logic                              still_o,
  output logic                              drained_o,
  output logic                              busy_o,
  output logic                              wait_memory_o,
  output logic                              retire_o,   // the tokens are pushed
  output logic                              complete_o, // for the first time
  output logic [2:0]                        opcode_o,
  output logic                              element_o,
  output logic [2:0]                        type_o
);
  localparam int LogBeat = vta_pkg::LogBeatBytes;

  logic pending_valid, pending_ready, run_q, wait_q, halted_q, start, finish, complete, fe_waits,
        fe_empty, unused_fe_next, early_unused;
  logic [127:0] next_insn, insn_q;
  logic [31:0] next_index, head_index, index_q;
  logic [3:0] next_fault_code;
  logic [3:0] fault_q;
  logic [7:0] pad_q;

  logic next_moves, next_fault, next_take, next_wgt, unused_loops, unused_take;
  logic tile_busy, tile_ready, tile_write, tile_pad, tile_ending, tile_done, tile_failed, tile_start, ahead_q;
  logic [LaneBits-1:0] tile_lane;
  logic [3:0] tile_fault;
  logic [7:0] pad;
  logic select_q;  // of what the tile writes: SET's pad
  logic [2:0] type_q;

  assign next_fault = next_fault_code != vta_pkg::FAULT_NONE;
  assign next_wgt = next_insn[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_WGT;

  // run_q: an instruction is running; wait_q: it is complete and waits for space.
  assign complete = run_q && (wait_q || tile_done);
  assign finish = complete && (!insn_q[vta_pkg::LoadPushNextLsb] || space_i);
  assign pending_ready = !halted_q && (!run_q || finish);
  assign start = pending_valid && pending_ready;
  assign start_o = start;
  assign take_o = start && next_take;
  assign push_o = finish && insn_q[vta_pkg::LoadPushNextLsb];

  vta_frontend #(.HasPrev(1'b0)) u_frontend (
    .clk_i, .clear_i, .halted_i(halted_q), .bases_i, .valid_i(insn_valid_i), .insn_i,
    .index_i(insn_index_i), .pop_o(insn_pop_o), .push_prev_i(1'b0), .push_next_i(token_i),
    .early_prev_o(early_unused), .far_busy_i(run_q), .valid_o(pending_valid), .insn_o(next_insn),
    .index_o(next_index), .fault_o(next_fault_code), .moves_o(next_moves), .loops_o(unused_loops),
    .take_prev_o(unused_take), .take_next_o(next_take), .ready_i(pending_ready || halted_q),
    .request_o, .address_o, .beats_o, .grant_i, .waits_o(fe_waits),
    .waits_next_o(unused_fe_next), .empty_o(fe_empty), .head_index_o(head_index)
  );

  // The next one's beats are taken behind the last one of this, when it is certain that this one ends
  // in the next cycle and lets that one start.
  assign tile_start = pending_valid && next_moves && !ahead_q &&
                      (start || (tile_ending && (!insn_q[vta_pkg::LoadPushNextLsb] || space_i)));
  vta_tile #(.LaneBits(LaneBits)) u_tile (
    .clk_i, .clear_i, .start_i(tile_start), .insn_i(next_insn),
    .depth_i(next_wgt ? 17'(vta_pkg::WgtDepth) : 17'(vta_pkg::InpDepth)),
    .last_lane_i(next_wgt ? LaneBits'((1 << (vta_pkg::LogBytesWgt - LogBeat)) - 1) :
                 LaneBits'((1 << (vta_pkg::LogBytesInp - LogBeat)) - 1)),
    .hold_i(1'b0), .busy_o(tile_busy), .beat_valid_i, .beat_error_i, .beat_ready_o(tile_ready),
    .write_o(tile_write), .pad_o(tile_pad), .row_o(write_row_o), .lane_o(tile_lane), .element_o,
    .ending_o(tile_ending), .done_o(tile_done), .failed_o(tile_failed), .fault_o(tile_fault)
  );

  assign beat_ready_o = tile_ready || halted_q;
  assign write_inp_o = tile_write && type_q != vta_pkg::MEM_WGT;
  assign write_wgt_o = tile_write && type_q == vta_pkg::MEM_WGT;
  assign write_all_o = tile_pad;
  assign write_lane_o = tile_lane;
  assign pad = select_q ? pad_q : 8'd0;
  assign write_data_o = tile_pad ? {(vta_pkg::BusBits/8){pad}} : beat_data_i;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      run_q <= 1'b0;
      wait_q <= 1'b0;
      halted_q <= 1'b0;
      fault_q <= vta_pkg::FAULT_NONE;
      pad_q <= '0;
    end else begin
      if (start) begin
        run_q <= !next_fault;
        wait_q <= !next_moves;
        if (next_fault) begin
          halted_q <= 1'b1;
          fault_q <= next_fault_code;
        end else if (next_insn[2:0] == vta_pkg::OP_SET) begin
          pad_q <= next_insn[vta_pkg::SetValueLsb +: 8];
        end
      end else if (tile_failed) begin
        run_q <= 1'b0;
        halted_q <= 1'b1;
        fault_q <= tile_fault;
      end else if (finish) begin
        run_q <= 1'b0;
        wait_q <= 1'b0;
      end else if (complete) begin
        wait_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      insn_q <= next_insn;
      index_q <= next_index;
    end
    if (tile_start) begin
      type_q <= next_insn[vta_pkg::LoadMemoryTypeLsb +: 3];
      select_q <= next_insn[vta_pkg::LoadPadSelectLsb];
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) ahead_q <= 1'b0;
    else ahead_q <= tile_start && !start;
  end

  // What waits for space is complete already.
  logic told_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) told_q <= 1'b0;
    else told_q <= complete && !finish;
  end
  assign complete_o = complete && !told_q;
  assign retire_o = finish;
  assign opcode_o = insn_q[2:0];
  assign type_o = type_q;
  assign busy_o = run_q;
  assign wait_memory_o = tile_busy && tile_ready && !beat_valid_i;
  assign drained_o = !halted_q && !run_q && fe_empty;
  assign still_o = halted_q ? fe_empty : run_q ? wait_q && !finish : fe_empty || fe_waits;
  assign fault_o = fault_q;
  assign index_o = halted_q || run_q ? index_q : head_index;
  assign kind_o = halted_q ? vta_pkg::KIND_HALTED :
                  run_q || fe_waits ? vta_pkg::KIND_WAITING : vta_pkg::KIND_DONE;
  assign wait_o = halted_q ? vta_pkg::WAIT_NONE : run_q ? vta_pkg::WAIT_SPACE :
                  fe_waits ? vta_pkg::WAIT_TOKEN : vta_pkg::WAIT_NONE;
  assign queue_o = halted_q ? 2'd0 : run_q ? vta_pkg::QUEUE_LOAD_COMPUTE :
                   fe_waits ? vta_pkg::QUEUE_COMPUTE_LOAD : 2'd0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    // What the tile began runs now.
    if (!clear_i && ahead_q) assert (start);
  end
`endif
endmodule
