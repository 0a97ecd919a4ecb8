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
  output logic             full_o,     // also behind what retires
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
  typedef struct packed {
    logic unit;
    logic push_prev;
    logic push_next;
    logic [2:0] opcode;
    logic [31:0] index;
  } entry_t;
  entry_t entry_q [Depth];
  logic [Depth-1:0] valid_q, ended_q, ended, stays;
  logic [1:0] runs_q, ends;

  for (genvar u = 0; u < 2; u++) begin : g_unit
    if (u < Units) begin : g_is
      assign ends[u] = runs_q[u] && done_i[u];
    end else begin : g_none
      assign ends[u] = 1'b0;
    end
  end
  always_comb begin
    prev_o = 1'b0;
    next_o = 1'b0;
    for (int i = 0; i < Depth; i++) begin
      ended[i] = ended_q[i] || ends[entry_q[i].unit];
      stays[i] = !retires_o ? valid_q[i] : i + 1 < Depth && valid_q[i + 1 < Depth ? i + 1 : i];
      prev_o = prev_o || (valid_q[i] && entry_q[i].push_prev);
      next_o = next_o || (valid_q[i] && entry_q[i].push_next);
    end
  end
  assign retires_o = valid_q[0] && (ended_q[0] || ends[entry_q[0].unit]);
  assign full_o = stays[Depth-1];
  assign runs_o = runs_q;
  assign valid_o = valid_q[0];
  assign push_prev_o = entry_q[0].push_prev;
  assign push_next_o = entry_q[0].push_next;
  assign opcode_o = entry_q[0].opcode;
  assign index_o = entry_q[0].index;

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
      if (retires_o && i + 1 < Depth) entry_q[i] <= entry_q[i + 1 < Depth ? i + 1 : i];
      if (!stays[i]) begin
        ended_q[i] <= ended_i;
        entry_q[i] <= '{unit: unit_i, push_prev: push_prev_i, push_next: push_next_i,
                        opcode: opcode_i, index: index_i};
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (!clear_i && push_i) assert (!full_o);
`endif
endmodule
