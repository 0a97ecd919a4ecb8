/// One dependency queue: a counter of tokens that holds at most TokenCapacity.
/// Timing: a pushed token can be popped in the next cycle; all outputs are registers.
module vta_tokens (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        push_i,
  input  logic        pop_i,
  output logic        some_o,
  output logic        space_o
);
  // The counter lags a cycle behind the flags, so that a push or a pop that comes late meets one gate.
  logic [15:0] count_q, count;
  logic some_q, space_q, push_q, pop_q;

  assign some_o = some_q;
  assign space_o = space_q;
  assign count = count_q + 16'(push_q) - 16'(pop_q);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      count_q <= '0;
      push_q <= 1'b0;
      pop_q <= 1'b0;
      some_q <= 1'b0;
      space_q <= 1'b1;
    end else begin
      count_q <= count;
      push_q <= push_i;
      pop_q <= pop_i;
      if (push_i && !pop_i) begin
        some_q <= 1'b1;
        space_q <= count != 16'(vta_pkg::TokenCapacity - 1);
      end else if (pop_i && !push_i) begin
        some_q <= count != 16'd1;
        space_q <= 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      if (push_i) assert (space_o);
      if (pop_i) assert (some_o);
      if (push_q || pop_q)
        assert (some_q == (count != '0) && space_q == (count != 16'(vta_pkg::TokenCapacity)));
    end
  end
`endif
endmodule
