/// vta_queue says and gives what a list of words does.
module queue (
  input logic       clk_i, clear_i, push_i, pop_i,
  input logic [3:0] data_i
);
  localparam int Depth = 4;

  logic full, valid;
  logic [3:0] data;
  vta_queue #(.Width(4), .Depth(Depth)) u_queue (
    .clk_i, .clear_i, .push_i, .data_i, .full_o(full), .valid_o(valid), .data_o(data),
    .pop_i
  );

  // The list, oldest word lowest.
  logic [4*Depth+3:0] list_q, rest;
  logic [2:0] count_q, left;
  logic begun_q;
  initial begun_q = 1'b0;
  assign rest = pop_i ? list_q >> 4 : list_q;
  assign left = count_q - 3'(pop_i);
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    count_q <= clear_i ? 3'd0 : left + 3'(push_i);
    list_q <= push_i ? (rest & ~(20'hf << {left, 2'b00})) | (20'(data_i) << {left, 2'b00}) : rest;
  end

  always_comb begin
    assume (begun_q || clear_i);
    if (begun_q) begin
      assume (!pop_i || valid);
      assume (!push_i || !full);
    end
  end
  always_ff @(posedge clk_i) begin
    if (begun_q) begin
      assert (valid == (count_q != 3'd0));
      assert (full == (count_q == 3'(Depth)));
      if (valid) assert (data == list_q[3:0]);
    end
  end
endmodule
