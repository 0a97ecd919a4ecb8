/// The compute module's instructions that have started before the one that started last and have not
/// retired, the oldest first. All are certain to end, and their tokens to find space.
/// Timing: one retires in the cycle in which it ends, or in the one after that of the one before it.
module vta_older #(
  parameter int Depth = 1,
  parameter int Units = 1
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             push_i,     // another one starts behind this one:
  input  logic             ended_i,    // it has ended
  input  logic             loops_i,    // or a unit runs it
  input  logic             unit_i,
  input  logic             push_prev_i,
  input  logic             push_next_i,
  input  logic [2:0]       opcode_i,
  input  logic [31:0]      index_i,
  input  logic [Units-1:0] done_i,     // what a unit runs ends
  output logic [1:0]       runs_o,     // a unit runs one of these, not that one
  output logic             full_o,     // with several places also in the cycle in which one retires
  output logic             prev_o,     // one of them pushes there
  output logic             next_o,
  // The oldest.
  output logic             valid_o,
  output logic             retires_o,
  output logic             push_prev_o,
  output logic             push_next_o,
  output logic [2:0]       opcode_o,
  output logic [31:0]      index_o
);
  logic [Depth-1:0] valid_q, ended_q, ended, stays, unit_q, prev_q, next_q;
  logic [Depth*3-1:0] opcode_q;
  logic [Depth*32-1:0] index_q;
  logic [1:0] runs_q, ends;

  for (genvar u = 0; u < 2; u++) begin : g_unit
    if (u < Units) begin : g_is
      assign ends[u] = runs_q[u] && done_i[u];
    end else begin : g_none
      assign ends[u] = 1'b0;
    end
  end
  always_comb begin
    for (int i = 0; i < Depth; i++) begin
      ended[i] = ended_q[i] || ends[unit_q[i]];
      stays[i] = !retires_o ? valid_q[i] : i + 1 < Depth && valid_q[i + 1 < Depth ? i + 1 : i];
    end
  end
  assign retires_o = valid_q[0] && ended[0];
  assign full_o = Depth == 1 ? stays[0] : valid_q[Depth-1];
  assign prev_o = (valid_q & prev_q) != '0;
  assign next_o = (valid_q & next_q) != '0;
  assign runs_o = runs_q;
  assign valid_o = valid_q[0];
  assign push_prev_o = prev_q[0];
  assign push_next_o = next_q[0];
  assign opcode_o = opcode_q[2:0];
  assign index_o = index_q[31:0];

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      valid_q <= '0;
      runs_q <= '0;
    end else begin
      for (int i = 0; i < Depth; i++)
        valid_q[i] <= stays[i] || (push_i && (i == 0 || stays[i > 0 ? i - 1 : 0]));
      for (int u = 0; u < Units; u++)
        runs_q[u] <= (push_i && loops_i && !ended_i && unit_i == (u == 1)) || (runs_q[u] && !ends[u]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Depth; i++) begin
      ended_q[i] <= ended[retires_o && i + 1 < Depth ? i + 1 : i];
      if (retires_o && i + 1 < Depth) begin
        unit_q[i] <= unit_q[i + 1 < Depth ? i + 1 : i];
        prev_q[i] <= prev_q[i + 1 < Depth ? i + 1 : i];
        next_q[i] <= next_q[i + 1 < Depth ? i + 1 : i];
        opcode_q[i*3 +: 3] <= opcode_q[(i + 1 < Depth ? i + 1 : i)*3 +: 3];
        index_q[i*32 +: 32] <= index_q[(i + 1 < Depth ? i + 1 : i)*32 +: 32];
      end
      if (!stays[i]) begin
        ended_q[i] <= ended_i;
        unit_q[i] <= unit_i;
        prev_q[i] <= push_prev_i;
        next_q[i] <= push_next_i;
        opcode_q[i*3 +: 3] <= opcode_i;
        index_q[i*32 +: 32] <= index_i;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (!clear_i && push_i) assert (!full_o);
`endif
endmodule
