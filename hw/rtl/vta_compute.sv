/// The compute module: LOAD of uop, acc, acc8 and lut, GEMM, ALU, SET, FINISH; owns the micro-op memory,
/// the accumulator, the table of lut and the writes to OUT.
/// Timing: a GEMM or ALU can end, push its tokens and let the next one start in the cycle of its last
/// write, a LOAD in the one after that; a GEMM or ALU lets another one start before that, when it is
/// certain that it ends: no index is outside, and its tokens find space. With two banks of the
/// accumulator an ALU instruction whose rows are known to lie in one lets what follows it run beside it,
/// in the other; that retires behind it. Source: isa/spec/timing.h.
module vta_compute #(
  localparam int LaneBits = 10,
  localparam int Units = vta_pkg::AccBanks  // with two: GEMM, ALU
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
  output logic [Units-1:0]                  write_out_o,
  output logic [Units*vta_pkg::AccIndexBits-1:0] write_row_o,
  output logic [Units*vta_pkg::OutBits-1:0] write_out_data_o,
  // Writes to the accumulator and the micro-op memory (trace). LOADs write as unit 0.
  output logic [Units-1:0]                  write_acc_o,
  output logic [vta_pkg::AccBits/vta_pkg::BusBits-1:0] write_lanes_o,
  output logic [Units*vta_pkg::AccBits-1:0] write_data_o,
  output logic                              write_uop_o,
  output logic [15:0]                       uop_row_o,
  output logic [4:0]                        uop_count_o,
  output logic [vta_pkg::BusBits-1:0]       uop_data_o,
  output logic                              write_lut_o,
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
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int AccBits = vta_pkg::AccBits;
  localparam int Older = Units == 1 ? 1 : vta_pkg::OlderInstructions;
  localparam bit Two = Units == 2;

  // The instruction that started last.
  logic run_q, wait_q, halted_q, prev_done_q, unit_q, loops_q, fail_q;
  logic [127:0] next_insn, insn_q;
  logic [31:0] next_index, head_index, index_q;
  logic [3:0] fault_q;
  logic [7:0] pad_q;
  logic double_q;

  logic pending_valid, pending_ready, start, worked, has_space, ends, complete, finish, fe_waits, fe_waits_next,
        fe_empty, early_prev, prev_ok, at_barrier, push_prev;
  logic next_fault, next_moves, next_loops, next_uop, next_take_prev, next_take_next, next_unit,
        next_free, next_finish;
  logic [3:0] next_fault_code, end_fault;
  // Those before it that have not retired; the oldest of them.
  logic older, older_retires, older_full, older_prev, older_next, older_push_prev, older_push_next;
  logic [2:0] older_opcode;
  logic [31:0] older_index;
  logic [1:0] older_runs;  // by unit: it runs one of those
  logic certain_q, certain, overtakable, overlap, beside, held, overtakes;
  // By unit.
  logic [1:0] ending, done, unit_failed;
  logic leaving [2];
  logic known, bank;

  assign next_fault = next_fault_code != vta_pkg::FAULT_NONE;
  assign next_uop = next_insn[vta_pkg::LoadMemoryTypeLsb +: 3] == vta_pkg::MEM_UOP;
  assign next_unit = Two && next_loops && next_insn[2:0] == vta_pkg::OP_ALU;
  assign next_finish = next_insn[2:0] == vta_pkg::OP_FINISH;

  logic tile_busy, tile_ready, tile_write, tile_done, tile_failed, uop_ready, uop_done,
        uop_failed, loop_done, loop_ending, failed;
  logic [3:0] tile_fault, uop_fault;
  logic [RowBits-1:0] tile_row;
  logic [Lanes-1:0] tile_lanes;
  logic [AccBits-1:0] tile_data;

  assign end_fault = tile_failed ? tile_fault : uop_failed ? uop_fault :
                     vta_pkg::FAULT_INDEX_OUT_OF_RANGE;
  assign failed = tile_failed || uop_failed || unit_failed != '0;
  assign loop_ending = ending[unit_q];
  assign loop_done = done[unit_q] && !older_runs[unit_q];
  assign at_barrier = run_q && !wait_q && insn_q[2:0] == vta_pkg::OP_FINISH;
  assign worked = run_q && (wait_q || tile_done || uop_done || loop_done);
  assign complete = (worked && !older) || (at_barrier && barrier_i);
  assign prev_ok = !insn_q[vta_pkg::GemmPushPrevLsb] || prev_done_q || space_prev_i;
  assign push_prev = complete && insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q && space_prev_i;
  assign push_prev_o = push_prev || (older_retires && older_push_prev);
  assign push_next_o = (complete && insn_q[vta_pkg::GemmPushNextLsb] && prev_ok && space_next_i) ||
                       (older_retires && older_push_next);
  assign has_space = prev_ok && (!insn_q[vta_pkg::GemmPushNextLsb] || space_next_i);
  assign ends = worked && !older && has_space;
  assign finish = complete && has_space;

  // Another one may start before this one retires, where it is certain to: it has come to its end, and its
  // rows cannot meet those of the next one (overlap); or it is an ALU instruction whose rows are known
  // (beside); or it waits for one of these (held).
  vta_older #(.Depth(Older), .Units(Units)) u_older (
    .clk_i, .clear_i, .push_i(overtakes), .ended_i(worked), .loops_i(loops_q), .unit_i(unit_q),
    .push_prev_i(insn_q[vta_pkg::GemmPushPrevLsb]), .push_next_i(insn_q[vta_pkg::GemmPushNextLsb]),
    .opcode_i(insn_q[2:0]), .index_i(index_q), .done_i(done[Units-1:0]), .runs_o(older_runs),
    .full_o(older_full), .prev_o(older_prev), .next_o(older_next), .valid_o(older),
    .retires_o(older_retires), .push_prev_o(older_push_prev),
    .push_next_o(older_push_next), .opcode_o(older_opcode), .index_o(older_index)
  );
  assign overtakable = (!insn_q[vta_pkg::GemmPushPrevLsb] || (space_prev_i && !older_prev)) &&
                       (!insn_q[vta_pkg::GemmPushNextLsb] || (space_next_i && !older_next)) &&
                       !older_full;
  assign next_free = !older_runs[next_unit] || done[next_unit];
  assign certain = loop_ending || certain_q;
  assign overlap = certain && next_loops && next_free && (!older_runs[unit_q] || done[unit_q]);
  assign beside = Two && unit_q && known && !older && !next_unit && !next_fault && !next_finish;
  assign held = Two && worked && older && !next_fault && !next_finish && (!next_loops || next_free);
  // Behind FINISH nothing comes: its barrier lets nothing start.
  always_comb begin
    pending_ready = 'x;
    if (pending_valid) pending_ready = !halted_q && (!run_q || ends || ((overlap || beside || held) && overtakable));
  end
  assign start = pending_valid && pending_ready;
  assign start_o = start;
  assign take_prev_o = (start && next_take_prev) || early_prev;
  assign take_next_o = start && next_take_next;
  assign overtakes = start && run_q && !ends;

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

  logic [5:0] lut_part;
  logic [31:0] lut_data;
  vta_load_acc #(.LaneBits(LaneBits)) u_load (
    .clk_i, .clear_i, .start_i(start && next_moves && !next_uop), .insn_i(next_insn), .pad_i(pad_q),
    .locked_i(tile_locked), .busy_o(tile_busy), .beat_valid_i, .beat_error_i, .beat_data_i,
    .beat_ready_o(tile_ready), .write_o(tile_write), .row_o(tile_row), .lanes_o(tile_lanes),
    .data_o(tile_data), .write_lut_o, .lut_part_o(lut_part), .lut_data_o(lut_data), .element_o,
    .done_o(tile_done), .failed_o(tile_failed), .fault_o(tile_fault)
  );

  // Micro-ops.
  logic [Units-1:0] uop_read;
  logic [vta_pkg::UopIndexBits-1:0] uop_read_row [Units];
  logic [31:0] uop;
  vta_uop_memory u_uop (
    .clk_i, .clear_i, .start_i(start && next_moves && next_uop), .insn_i(next_insn),
    .beat_valid_i, .beat_error_i, .beat_data_i, .beat_ready_o(uop_ready), .write_o(write_uop_o),
    .row_o(uop_row_o), .count_o(uop_count_o), .data_o(uop_data_o), .done_o(uop_done),
    .failed_o(uop_failed), .fault_o(uop_fault), .read_i(uop_read != '0),
    .read_row_i(uop_read_row[uop_read[Units-1] ? Units - 1 : 0]), .read_data_o(uop)
  );

  // What is run beside others keeps its bank from them: unit 0 reads there when the last row is written.
  logic lock_bank_q;
  logic [1:0] locked_q, tile_locked;
  assign tile_locked = {2{Two && older_runs[1]}} & {lock_bank_q, !lock_bank_q};

  logic [Units-1:0] acc_read, exec_write, exec_gemm;
  logic exec_mac [Units], unit_read_mac [Units];
  logic [Units*RowBits-1:0] acc_read_row, exec_row;
  logic [Units*AccBits-1:0] acc_dst, acc_src, exec_data;  // what is read, by bank
  logic acc_read_src [Units];
  logic [RowBits-1:0] acc_src_row [Units];
  logic unit_known [Units], unit_bank [Units];
  logic [vta_pkg::InpIndexBits-1:0] unit_inp [Units];
  logic [vta_pkg::WgtIndexBits-1:0] unit_wgt [Units];
  for (genvar u = 0; u < Units; u++) begin : g_unit
    vta_unit #(.Gemm(u == 0), .Alu(u == Units - 1)) u_unit (
      .clk_i, .clear_i, .prepare_i(pending_valid),
      .start_i(start && next_loops && next_unit == (u == 1)), .insn_i(next_insn),
      .double_i(double_q), .locked_i(Two && u == 0 ? locked_q : 2'b00), .read_uop_o(uop_read[u]),
      .read_uop_row_o(uop_read_row[u]), .uop_i(uop), .read_mac_o(unit_read_mac[u]),
      .read_inp_o(unit_inp[u]), .read_wgt_o(unit_wgt[u]), .inp_i, .wgt_i,
      .read_dst_o(acc_read[u]), .read_dst_row_o(acc_read_row[u*RowBits +: RowBits]),
      .acc_dst_i(acc_dst), .read_src_o(acc_read_src[u]),
      .read_src_row_o(acc_src_row[u]), .acc_src_i(acc_src), .write_o(exec_write[u]),
      .write_row_o(exec_row[u*RowBits +: RowBits]),
      .write_data_o(exec_data[u*AccBits +: AccBits]), .write_gemm_o(exec_gemm[u]),
      .write_mac_o(exec_mac[u]), .lut_i({write_lut_o, lut_part, lut_data}), .ending_o(ending[u]), .leaving_o(leaving[u]), .done_o(done[u]),
      .failed_o(unit_failed[u]), .known_o(unit_known[u]), .bank_o(unit_bank[u])
    );
  end
  if (!Two) begin : g_one_unit
    assign {ending[1], done[1], unit_failed[1]} = '0;
    assign leaving[1] = 1'b0;
  end
  assign known = unit_known[Units-1];
  assign bank = unit_bank[Units-1];
  assign read_mac_o = unit_read_mac[0];
  assign read_inp_o = unit_inp[0];
  assign read_wgt_o = unit_wgt[0];
  assign gemm_uop_o = exec_gemm[0];
  assign mac_uop_o = exec_mac[0];
  assign alu_uop_o = exec_write[Units-1] && !exec_gemm[Units-1];

  always_comb begin
    write_data_o = 'x;
    if (exec_write != '0) write_data_o = exec_data;
    if (tile_write) write_data_o[AccBits-1:0] = tile_data;
  end
  always_comb begin
    write_acc_o = exec_write;
    write_row_o = exec_row;
    if (tile_write) begin
      write_acc_o[0] = 1'b1;
      write_row_o[RowBits-1:0] = tile_row;
    end
  end
  assign write_lanes_o = exec_write[0] ? '1 : tile_lanes;
  assign write_out_o = exec_write;
  for (genvar l = 0; l < Units * vta_pkg::Lanes; l++) begin : g_narrow
    assign write_out_data_o[l*8 +: 8] = exec_data[l*32 +: 8];
  end

  logic [Units*Lanes-1:0] acc_lanes;
  always_comb begin
    acc_lanes = '1;
    acc_lanes[Lanes-1:0] = write_lanes_o;
  end
  vta_banks #(.Width(AccBits), .Depth(vta_pkg::AccDepth), .Lanes(Lanes), .Banks(Units), .Readers(Units)) u_acc (
    .clk_i, .write_i(write_acc_o), .write_row_i(write_row_o), .write_lanes_i(acc_lanes),
    .write_data_i(write_data_o), .read_i(acc_read), .read_row_i(acc_read_row), .read_data_o(acc_dst)
  );
  if (vta_pkg::AluReadPorts == 2) begin : g_second
    vta_banks #(.Width(AccBits), .Depth(vta_pkg::AccDepth), .Lanes(Lanes), .Banks(Units)) u_acc (
      .clk_i, .write_i(write_acc_o), .write_row_i(write_row_o), .write_lanes_i(acc_lanes),
      .write_data_i(write_data_o), .read_i(acc_read_src[Units-1]),
      .read_row_i(acc_src_row[Units-1]), .read_data_o(acc_src)
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
      fail_q <= 1'b0;
    end else begin
      if (failed) fault_q <= end_fault;
      fail_q <= (failed || fail_q) && older;
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
      end else if ((failed || fail_q) && !older) begin
        run_q <= 1'b0;
        halted_q <= 1'b1;
      end else if (finish) begin
        run_q <= 1'b0;
        wait_q <= 1'b0;
        prev_done_q <= 1'b0;
      end else if (worked || complete) begin
        wait_q <= 1'b1;
        prev_done_q <= prev_done_q || push_prev;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      certain_q <= 1'b0;
      locked_q <= '0;
    end else begin
      certain_q <= certain && !start && !worked;
      if (overtakes && unit_q && !worked) locked_q <= {!known || bank, !known || !bank};
      else if (leaving[1] || done[1]) locked_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      insn_q <= next_insn;
      index_q <= next_index;
      unit_q <= next_unit;
      loops_q <= next_loops;
    end
    if (overtakes && unit_q) lock_bank_q <= bank;
  end

  assign beat_ready_o = tile_ready || uop_ready || halted_q;
  // What waits for space is complete already.
  logic told_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) told_q <= 1'b0;
    else told_q <= complete && !finish;
  end
  assign complete_o = (complete && !told_q) || older_retires;
  assign retire_o = finish || older_retires;
  assign opcode_o = older ? older_opcode : insn_q[2:0];
  assign type_o = insn_q[vta_pkg::LoadMemoryTypeLsb +: 3];
  assign busy_o = run_q;
  assign wait_memory_o = (tile_ready || uop_ready) && !beat_valid_i && !older;
  assign still_o = halted_q ? fe_empty :
                   run_q ? (wait_q && !older && !finish && !push_prev) || (at_barrier && !barrier_i) :
                   fe_empty || (fe_waits && !early_prev);
  assign fault_o = halted_q ? fault_q : vta_pkg::FAULT_NONE;
  assign index_o = older ? older_index : halted_q || run_q ? index_q : head_index;
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
        queue_o = (older ? older_push_prev : insn_q[vta_pkg::GemmPushPrevLsb] && !prev_done_q) ?
                  vta_pkg::QUEUE_COMPUTE_LOAD : vta_pkg::QUEUE_COMPUTE_STORE;
      end
    end else if (!halted_q && fe_waits) begin
      wait_o = vta_pkg::WAIT_TOKEN;
      queue_o = fe_waits_next ? vta_pkg::QUEUE_STORE_COMPUTE : vta_pkg::QUEUE_LOAD_COMPUTE;
    end
  end

  logic unused_tile;
  assign unused_tile = tile_busy;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      // One instruction at a time writes the accumulator and ends.
      assert (!(exec_write[0] && tile_write));
      if (worked || failed) assert ($onehot0({tile_done, tile_failed, uop_done, uop_failed, loop_done, unit_failed}));
      assert ($onehot0(uop_read));
      if (failed) assert (run_q && !worked);
      if (older) assert (run_q && !halted_q);
      assert (!(tile_ready && uop_ready));
      // Nothing that may read the table is under way while it is written.
      assert (!(write_lut_o && (older_runs != '0 || exec_write != '0)));
      if (at_barrier) assert (!pending_valid);
    end
  end
`endif
endmodule
