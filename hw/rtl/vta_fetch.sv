/// Fetch: reads the instruction stream ahead and hands each instruction to its module's queue, in
/// order, until FINISH, the last one, or an address that memory refuses.
/// Timing: one instruction a cycle, or as many as the bus brings, two cycles behind its last beat.
module vta_fetch (
  input  logic                            clk_i,
  input  logic                            clear_i,
  input  logic                            start_i,
  input  logic [vta_pkg::AddressBits-1:0] first_i,   // a multiple of 16
  input  logic [31:0]                     count_i,
  // Memory.
  output logic                            request_o,
  output logic [vta_pkg::AddressBits-1:0] address_o,
  output logic [7:0]                      beats_o,   // less one
  input  logic                            grant_i,
  input  logic                            beat_valid_i,
  input  logic [vta_pkg::BusBits-1:0]     beat_data_i,
  input  logic                            beat_error_i,
  output logic                            beat_ready_o,
  // Queues, by module.
  output logic [2:0]                      push_o,
  output logic [127:0]                    insn_o,
  output logic [31:0]                     index_o,
  input  logic [2:0]                      full_i,
  output logic                            run_o,     // instructions are left to hand on
  output logic                            still_o,
  output logic [1:0]                      kind_o,
  output logic [1:0]                      target_o,  // whose queue it waits for
  output logic [3:0]                      fault_o
);
  localparam int LogBeat = vta_pkg::LogBeatBytes;

  // Requests: the stream as one span, a cycle after start_i.
  logic run_q, begin_q, halted_q, cut_valid, unused_ready, unused_busy;
  logic [31:0] left_q;  // instructions that are not in head yet, less one
  assign request_o = cut_valid && run_q;
  vta_cut #(.Burst(vta_pkg::FetchBurst), .Bits(36)) u_cut (
    .clk_i, .clear_i(clear_i || !run_q), .valid_i(begin_q), .address_i(first_i),
    .last_i({left_q, 4'hf}), .ready_o(unused_ready), .busy_o(unused_busy), .valid_o(cut_valid),
    .address_o, .beats_o, .ready_i(grant_i)
  );

  // Instructions: one from memory, and the head, which is handed on.
  logic valid, error, last_of_beat, take, push, blocked, waits;
  logic [127:0] insn;
  logic [1:0] target;
  logic [3:0] fault_unused;
  logic head_valid_q, head_error_q, head_last_q;
  logic [2:0] head_target_q;
  logic [127:0] head_q;
  logic [31:0] index_q;
  if (LogBeat < 4) begin : g_halves
    logic low_valid_q, low_error_q;
    logic [63:0] low_q;
    assign valid = low_valid_q && beat_valid_i;
    assign insn = {beat_data_i, low_q};
    assign error = low_error_q || beat_error_i;
    assign last_of_beat = 1'b1;
    always_ff @(posedge clk_i) begin
      if (clear_i) low_valid_q <= 1'b0;
      else if (beat_valid_i && beat_ready_o) low_valid_q <= !low_valid_q;
    end
    always_ff @(posedge clk_i) begin
      if (beat_valid_i && !low_valid_q) begin
        low_q <= beat_data_i;
        low_error_q <= beat_error_i;
      end
    end
    assign beat_ready_o = run_q && (!low_valid_q || take);
  end else if (LogBeat == 4) begin : g_whole
    assign valid = beat_valid_i;
    assign insn = beat_data_i;
    assign error = beat_error_i;
    assign last_of_beat = 1'b1;
    assign beat_ready_o = run_q && take;
  end else begin : g_several
    logic [LogBeat-5:0] lane_q;
    assign valid = beat_valid_i;
    assign insn = beat_data_i[{lane_q, 7'd0} +: 128];
    assign error = beat_error_i;
    assign last_of_beat = lane_q == '1;
    assign beat_ready_o = run_q && take && last_of_beat;
    always_ff @(posedge clk_i) begin
      if (start_i) lane_q <= first_i[LogBeat-1:4];
      else if (valid && take) lane_q <= lane_q + 1'b1;
    end
  end

  vta_decode u_decode (
    .valid_i(take && valid), .insn_i(insn), .module_o(target), .fault_o(fault_unused)
  );

  assign take = !head_valid_q || push;
  assign blocked = (head_target_q & full_i) != 3'b000;
  assign push = run_q && head_valid_q && !head_error_q && !blocked;
  assign push_o = head_target_q & {3{push}};
  assign insn_o = head_q;
  assign index_o = index_q;
  assign run_o = run_q;
  assign waits = run_q && head_valid_q && !head_error_q && blocked;
  assign still_o = !run_q || waits;
  assign kind_o = halted_q ? vta_pkg::KIND_HALTED : waits ? vta_pkg::KIND_WAITING :
                  vta_pkg::KIND_DONE;
  assign target_o = waits ? head_target_q[2:1] : 2'd0;
  assign fault_o = halted_q ? vta_pkg::FAULT_BUS_ERROR : vta_pkg::FAULT_NONE;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      run_q <= 1'b0;
      begin_q <= 1'b0;
      halted_q <= 1'b0;
      head_valid_q <= 1'b0;
    end else begin
      begin_q <= start_i && count_i != '0;
      if (take) head_valid_q <= run_q && valid;
      if (start_i) begin
        run_q <= count_i != '0;
      end else if (run_q && head_valid_q && head_error_q) begin
        run_q <= 1'b0;
        halted_q <= 1'b1;
      end else if (push && head_last_q) begin
        run_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      if (valid) begin
        head_q <= insn;
        head_error_q <= error;
        head_target_q <= 3'b001 << target;
        head_last_q <= insn[2:0] == vta_pkg::OP_FINISH || left_q == '0;
      end else begin
        {head_q, head_error_q, head_target_q, head_last_q} <= 'x;
      end
    end
    if (take && valid) left_q <= left_q - 32'd1;
    if (push) index_q <= index_q + 32'd1;
    if (start_i) begin
      left_q <= count_i - 32'd1;
      index_q <= '0;
    end
  end

  logic unused_last;
  assign unused_last = last_of_beat;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i && push) assert ($onehot(push_o));
  end
`endif
endmodule
