/// Fetch: reads the instruction stream ahead and hands each instruction to its module's queue, in
/// order, until FINISH, the last one, or an address that memory refuses.
/// Timing: one instruction a cycle, or as many as the bus brings.
module vta_fetch (
  input  logic                            clk_i,
  input  logic                            rst_ni,
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
  output logic [3:0]                      fault_o
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int LogBeat = vta_pkg::LogBeatBytes;
  localparam int Burst = vta_pkg::BurstBeats < vta_pkg::FetchBeats / 2 ? vta_pkg::BurstBeats :
                         vta_pkg::FetchBeats / 2;
  localparam int BurstBits = Burst > 1 ? $clog2(Burst) : 1;

  // Requests.
  logic [AddressBits-LogBeat-1:0] next_q;
  logic [36:0] left_q, stream_bytes;
  logic [8:0] room, beats;
  logic asking_q;
  assign stream_bytes = {1'b0, count_i, 4'd0} + 37'(first_i[LogBeat-1:0]);
  if (Burst > 1) begin : g_room
    assign room = 9'(Burst) - 9'(next_q[BurstBits-1:0]);
  end else begin : g_single
    assign room = 9'd1;
  end
  assign beats = left_q < 37'(room) ? 9'(left_q) : room;
  assign request_o = asking_q && left_q != '0;
  assign address_o = {next_q, {LogBeat{1'b0}}};
  assign beats_o = 8'(beats - 9'd1);

  // Instructions.
  logic valid, error, last_of_beat, push, run_q, halted_q;
  logic [31:0] index_q;
  logic [1:0] target;
  logic [3:0] fault_unused;
  if (LogBeat < 4) begin : g_halves
    logic low_valid_q, low_error_q;
    logic [63:0] low_q;
    assign valid = low_valid_q && beat_valid_i;
    assign insn_o = {beat_data_i, low_q};
    assign error = low_error_q || beat_error_i;
    assign last_of_beat = 1'b1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) low_valid_q <= 1'b0;
      else if (clear_i) low_valid_q <= 1'b0;
      else if (beat_valid_i && beat_ready_o) low_valid_q <= !low_valid_q;
    end
    always_ff @(posedge clk_i) begin
      if (beat_valid_i && !low_valid_q) begin
        low_q <= beat_data_i;
        low_error_q <= beat_error_i;
      end
    end
    assign beat_ready_o = run_q && (!low_valid_q || push);
  end else if (LogBeat == 4) begin : g_whole
    assign valid = beat_valid_i;
    assign insn_o = beat_data_i;
    assign error = beat_error_i;
    assign last_of_beat = 1'b1;
    assign beat_ready_o = run_q && push;
  end else begin : g_several
    logic [LogBeat-5:0] lane_q;
    assign valid = beat_valid_i;
    assign insn_o = beat_data_i[{lane_q, 7'd0} +: 128];
    assign error = beat_error_i;
    assign last_of_beat = lane_q == '1;
    assign beat_ready_o = run_q && push && last_of_beat;
    always_ff @(posedge clk_i) begin
      if (start_i) lane_q <= first_i[LogBeat-1:4];
      else if (push) lane_q <= lane_q + 1'b1;
    end
  end

  vta_decode u_decode (.insn_i(insn_o), .module_o(target), .fault_o(fault_unused));

  assign push = run_q && valid && !error && !full_i[target];
  assign push_o = push ? 3'b001 << target : 3'b000;
  assign index_o = index_q;
  assign run_o = run_q;
  assign still_o = !run_q || (valid && !error && full_i[target]);
  assign kind_o = halted_q ? vta_pkg::KIND_HALTED : vta_pkg::KIND_DONE;
  assign fault_o = halted_q ? vta_pkg::FAULT_BUS_ERROR : vta_pkg::FAULT_NONE;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      halted_q <= 1'b0;
      asking_q <= 1'b0;
    end else if (clear_i) begin
      run_q <= 1'b0;
      halted_q <= 1'b0;
      asking_q <= 1'b0;
    end else if (start_i) begin
      run_q <= count_i != '0;
      asking_q <= count_i != '0;
    end else if (run_q && valid && error) begin
      run_q <= 1'b0;
      asking_q <= 1'b0;
      halted_q <= 1'b1;
    end else if (push && (insn_o[2:0] == vta_pkg::OP_FINISH || index_q + 32'd1 == count_i)) begin
      run_q <= 1'b0;
      asking_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      next_q <= first_i[AddressBits-1:LogBeat];
      left_q <= (stream_bytes + 37'((1 << LogBeat) - 1)) >> LogBeat;
      index_q <= '0;
    end else begin
      if (grant_i) begin
        next_q <= next_q + (AddressBits-LogBeat)'(beats);
        left_q <= left_q - 37'(beats);
      end
      if (push) index_q <= index_q + 32'd1;
    end
  end

  logic unused_last;
  assign unused_last = last_of_beat;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert ($onehot0(push_o));
  end
`endif
endmodule
