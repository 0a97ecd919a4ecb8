/// One dependency queue: a counter of tokens that holds at most TokenCapacity.
/// Timing: a pushed token can be popped in the next cycle; all outputs are registers.
module vta_tokens (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        push_i,
  input  logic        pop_i,
  output logic [15:0] count_o,
  output logic        some_o,   // count_o is not 0
  output logic        space_o
);
  logic [15:0] count_q;
  logic some_q, space_q;

  assign count_o = count_q;
  assign some_o = some_q;
  assign space_o = space_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      some_q <= 1'b0;
      space_q <= 1'b1;
    end else if (clear_i) begin
      count_q <= '0;
      some_q <= 1'b0;
      space_q <= 1'b1;
    end else if (push_i && !pop_i) begin
      count_q <= count_q + 16'd1;
      some_q <= 1'b1;
      space_q <= count_q != 16'(vta_pkg::TokenCapacity - 1);
    end else if (pop_i && !push_i) begin
      count_q <= count_q - 16'd1;
      some_q <= count_q != 16'd1;
      space_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (push_i) assert (space_o);
      if (pop_i) assert (count_q != '0);
      assert (32'(count_q) <= vta_pkg::TokenCapacity);
    end
  end
`endif
endmodule
