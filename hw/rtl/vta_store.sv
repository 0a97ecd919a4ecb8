/// The store module: STORE of OUT rows, one beat a cycle. An instruction is done when memory has
/// acknowledged all of its bursts; rows that may overlap the row before them wait for that each.
/// Timing: data beats flow without gaps while memory takes them.
module vta_store (
  input  logic                             clk_i,
  input  logic                             clear_i,
  input  logic [vta_pkg::AddressBits-1:0]  base_i,
  input  logic                             insn_valid_i,
  input  logic [127:0]                     insn_i,
  input  logic [31:0]                      insn_index_i,
  output logic                             insn_pop_o,
  output logic                             start_o,     // takes its token, or its fault
  // Tokens: from compute, to compute.
  input  logic                             token_i,   // there is one
  output logic                             take_o,
  input  logic                             space_i,
  output logic                             push_o,
  // OUT scratchpad.
  output logic                             read_o,
  output logic [vta_pkg::AccIndexBits-1:0] read_row_o,
  input  logic [vta_pkg::OutBits-1:0]      read_data_i,
  // Bursts to the write master.
  output logic                             request_o,
  output logic [vta_pkg::AddressBits-1:0]  address_o,
  output logic [7:0]                       beats_o,   // less one
  input  logic                             grant_i,
  output logic                             data_valid_o,
  output logic [vta_pkg::BusBits-1:0]      data_o,
  input  logic                             data_ready_i,
  input  logic                             idle_i,    // every burst acknowledged
  input  logic                             error_i,   // one of them was refused
  output logic                             clear_error_o,
  // State and retirement.
  output logic [1:0]                       kind_o,
  output logic [1:0]                       wait_o,
  output logic [1:0]                       queue_o,
  output logic [3:0]                       fault_o,
  output logic [31:0]                      index_o,
  output logic                             still_o,
  output logic                             drained_o,
  output logic                             busy_o,
  output logic                             wait_memory_o,
  output logic                             retire_o,   // the tokens are pushed
  output logic                             complete_o  // for the first time
);
  localparam int RowBits = vta_pkg::AccIndexBits;
  localparam int LogLanes = vta_pkg::LogBytesOut - vta_pkg::LogBeatBytes;

  logic [1:0] module_unused;
  logic [3:0] fault, fault_q;
  logic run_q, wait_q, halted_q, start, complete, finish, bad, waits, pop, moves, lacks;
  logic [127:0] insn_q;
  logic [31:0] index_q;

  // The head: the next instruction, decoded.
  logic head_valid_q, head_moves_q, head_pops_q, head_serial_q;
  logic [3:0] head_fault_q;
  logic [16:0] head_room_q;  // rows up to the scratchpad's end
  logic [127:0] head_q;
  logic [31:0] head_index_q;
  vta_decode u_decode (
    .valid_i(pop), .insn_i, .module_o(module_unused), .fault_o(fault)
  );
  assign moves = insn_i[vta_pkg::StoreXSizeLsb +: 16] != 16'd0 &&
                 insn_i[vta_pkg::StoreYSizeLsb +: 16] != 16'd0;
  assign pop = insn_valid_i && (!head_valid_q || start || halted_q);
  assign insn_pop_o = pop;
  always_ff @(posedge clk_i) begin
    if (clear_i || halted_q) head_valid_q <= 1'b0;
    else if (pop || start) head_valid_q <= pop;
  end
  always_ff @(posedge clk_i) begin
    if (pop) begin
      head_q <= insn_i;
      head_index_q <= insn_index_i;
      head_fault_q <= fault;
      head_moves_q <= moves && fault == vta_pkg::FAULT_NONE;
      head_pops_q <= insn_i[vta_pkg::StorePopPrevLsb] && fault == vta_pkg::FAULT_NONE;
      head_serial_q <= insn_i[vta_pkg::StoreXStrideLsb +: 16] < insn_i[vta_pkg::StoreXSizeLsb +: 16];
      head_room_q <= 17'(insn_i[vta_pkg::StoreSramBaseLsb +: 16]) < 17'(vta_pkg::AccDepth) ?
                     17'(vta_pkg::AccDepth) - 17'(insn_i[vta_pkg::StoreSramBaseLsb +: 16]) : 17'd0;
    end
  end

  assign lacks = head_pops_q && !token_i;
  assign waits = !run_q && !halted_q && head_valid_q && lacks;
  assign start = !halted_q && (!run_q || finish) && head_valid_q && !lacks;
  assign take_o = start && head_pops_q;
  assign start_o = start;

  // A row that may overlap the one before waits for it, so that a refused burst ends all writing.
  logic bursts_busy, busy_q, cut, unused_ready;
  vta_bursts #(.Limited(1'b1)) u_bursts (
    .clk_i, .clear_i(clear_i || error_i), .start_i(start && head_moves_q), .base_i,
    .first_i(head_q[vta_pkg::StoreDramBaseLsb +: 32]),
    .x_size_i(head_q[vta_pkg::StoreXSizeLsb +: 16]),
    .y_size_i(head_q[vta_pkg::StoreYSizeLsb +: 16]),
    .x_stride_i(head_q[vta_pkg::StoreXStrideLsb +: 16]),
    .log_bytes_i(4'(vta_pkg::LogBytesOut)), .limit_i(head_room_q), .serial_i(head_serial_q),
    .idle_i, .ready_o(unused_ready), .busy_o(bursts_busy), .cut_o(cut), .valid_o(request_o), .address_o, .beats_o,
    .ready_i(grant_i)
  );

  // A cycle late: by then what was asked for last is owed.
  always_ff @(posedge clk_i) busy_q <= (start && head_moves_q) || bursts_busy;

  // Data: the memory's output register holds the row that is being sent.
  logic [RowBits-1:0] next_row_q;
  logic sent, row_sent;
  assign sent = data_ready_i && run_q;
  assign data_valid_o = run_q;
  if (LogLanes > 0) begin : g_lanes
    logic [LogLanes-1:0] lane_q;
    assign row_sent = sent && lane_q == '1;
    assign data_o = read_data_i[lane_q * vta_pkg::BusBits +: vta_pkg::BusBits];
    always_ff @(posedge clk_i) begin
      if (sent) lane_q <= lane_q + 1'b1;
      if (start) lane_q <= '0;
    end
  end else begin : g_whole
    assign row_sent = sent;
    assign data_o = read_data_i;
  end
  assign read_o = start || row_sent;
  assign read_row_o = start ? head_q[vta_pkg::StoreSramBaseLsb +: RowBits] : next_row_q;
  always_ff @(posedge clk_i) begin
    if (read_o) next_row_q <= read_row_o + 1'b1;
  end

  assign complete = run_q && idle_i && (wait_q || !busy_q);
  assign bad = complete && !wait_q && (error_i || cut);
  assign finish = complete && !bad && (!insn_q[vta_pkg::StorePushPrevLsb] || space_i);
  assign push_o = finish && insn_q[vta_pkg::StorePushPrevLsb];
  assign clear_error_o = clear_i || bad;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      run_q <= 1'b0;
      wait_q <= 1'b0;
      halted_q <= 1'b0;
      fault_q <= vta_pkg::FAULT_NONE;
    end else begin
      if (start) begin
        run_q <= head_fault_q == vta_pkg::FAULT_NONE;
        halted_q <= head_fault_q != vta_pkg::FAULT_NONE;
        fault_q <= head_fault_q;
        wait_q <= !head_moves_q;
      end else if (bad) begin
        run_q <= 1'b0;
        halted_q <= 1'b1;
        fault_q <= error_i ? vta_pkg::FAULT_BUS_ERROR : vta_pkg::FAULT_INDEX_OUT_OF_RANGE;
      end else if (finish) begin
        run_q <= 1'b0;
      end else if (complete) begin
        wait_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      insn_q <= head_q;
      index_q <= head_index_q;
    end
  end

  // What waits for space is complete already.
  logic told_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) told_q <= 1'b0;
    else told_q <= complete && !finish;
  end
  assign complete_o = complete && !told_q && !bad;
  assign retire_o = finish;
  assign busy_o = run_q;
  assign wait_memory_o = run_q && !wait_q && !sent;
  assign drained_o = !halted_q && !run_q && !head_valid_q && !insn_valid_i;
  assign still_o = halted_q ? !insn_valid_i : run_q ? wait_q && !finish :
                   head_valid_q ? waits : !insn_valid_i;
  assign fault_o = fault_q;
  assign index_o = halted_q || run_q ? index_q : head_index_q;
  assign kind_o = halted_q ? vta_pkg::KIND_HALTED :
                  run_q || waits ? vta_pkg::KIND_WAITING : vta_pkg::KIND_DONE;
  assign wait_o = halted_q ? vta_pkg::WAIT_NONE : run_q ? vta_pkg::WAIT_SPACE :
                  waits ? vta_pkg::WAIT_TOKEN : vta_pkg::WAIT_NONE;
  assign queue_o = halted_q ? 2'd0 : run_q ? vta_pkg::QUEUE_STORE_COMPUTE :
                   waits ? vta_pkg::QUEUE_COMPUTE_STORE : 2'd0;
endmodule
