/// The command queue of a module. It is full while the module has CommandQueueDepth instructions that
/// were handed on and have not started, wherever they are: so what fits depends on no stage between. A
/// module that halted throws away what it gets.
/// Timing: as vta_fifo.
module vta_commands (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         push_i,
  input  logic [159:0] data_i,    // index, instruction
  output logic         full_o,
  output logic         valid_o,
  output logic [159:0] data_o,
  input  logic         pop_i,
  output logic         empty_o,
  input  logic         start_i,   // the module takes an instruction's tokens, or its fault
  input  logic         halted_i
);
  localparam int Depth = vta_pkg::CommandQueueDepth;
  localparam int CountBits = $clog2(Depth) + 1;

  // The counter lags a cycle behind full_q, so that a push or a start that comes late meets one gate.
  logic [CountBits-1:0] held_q, held;
  logic full_q, push_q, start_q, unused_full;

  assign full_o = full_q;
  assign held = held_q + CountBits'(push_q) - CountBits'(start_q);

  vta_fifo #(.Width(160), .Depth(Depth)) u_fifo (
    .clk_i, .clear_i, .push_i, .data_i, .full_o(unused_full), .valid_o, .data_o, .pop_i,
    .empty_o
  );

  always_ff @(posedge clk_i) begin
    if (clear_i || halted_i) begin
      held_q <= '0;
      push_q <= 1'b0;
      start_q <= 1'b0;
      full_q <= 1'b0;
    end else begin
      held_q <= held;
      push_q <= push_i;
      start_q <= start_i;
      if (push_i && !start_i) full_q <= held == CountBits'(Depth - 1);
      else if (start_i && !push_i) full_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i && !halted_i) begin
      if (push_i) assert (!full_q);
      if (start_i) assert (held != '0);
    end
  end
`endif
endmodule
