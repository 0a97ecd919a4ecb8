/// vta_tokens says of a counter whether it is not 0, and whether it has space.
module tokens (
  input logic clk_i, clear_i, push_i, pop_i
);
  logic some, space, begun_q;
  logic [2:0] count_q;
  vta_tokens u_tokens (
    .clk_i, .clear_i, .push_i, .pop_i, .some_o(some), .space_o(space)
  );

  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    count_q <= clear_i ? 3'd0 : count_q + 3'(push_i) - 3'(pop_i);
  end
  always_comb begin
    assume (begun_q || clear_i);
    assume (!begun_q || ((!push_i || space) && (!pop_i || some)));
  end
  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      assert (some == (count_q != 3'd0));
      assert (space == (32'(count_q) < vta_pkg::TokenCapacity));
    end
  end
endmodule
