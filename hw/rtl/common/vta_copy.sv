/// A register whose value others have, too, each for what is near it. Synthesis would make them one again,
/// were they not in a module that stays.
/// Timing: one cycle.
(* keep_hierarchy = "yes" *)
module vta_copy #(
  parameter int Width = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  logic [Width-1:0] data_q;
  always_ff @(posedge clk_i) data_q <= data_i;
  assign data_o = data_q;
endmodule
