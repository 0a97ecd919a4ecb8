/// One dependency queue: a counter of tokens that holds at most TokenCapacity.
/// Timing: a pushed token can be popped in the next cycle.
module vta_tokens (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        push_i,
  input  logic        pop_i,
  output logic [15:0] count_o,
  output logic        space_o
);
  logic [15:0] count_q;

  assign count_o = count_q;
  assign space_o = count_q < 16'(vta_pkg::TokenCapacity);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else count_q <= count_q + 16'(push_i) - 16'(pop_i);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (push_i) assert (space_o);
      if (pop_i) assert (count_q != '0);
      assert (count_q <= 16'(vta_pkg::TokenCapacity));
    end
  end
`endif
endmodule
