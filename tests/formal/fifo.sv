/// vta_fifo says and gives what a list of words does, each at the cycle that its head states.
module fifo (
  input logic       clk_i, clear_i, push_i, pop_i,
  input logic [3:0] data_i
);
  localparam int Depth = 4, Most = Depth + 2;

  logic full, valid, empty;
  logic [3:0] data;
  vta_fifo #(.Width(4), .Depth(Depth)) u_fifo (
    .clk_i, .clear_i, .push_i, .data_i, .full_o(full), .valid_o(valid), .data_o(data),
    .pop_i, .empty_o(empty)
  );

  // The list: how many words, the number of the oldest, cycles until each may show, and the word of
  // one number, whichever that is.
  (* anyconst *) logic [3:0] which;
  logic [3:0] first_q, word_q;
  logic [2*Most+1:0] wait_q, waits;
  logic [2:0] count_q, left;
  logic begun_q;
  initial begun_q = 1'b0;
  assign left = count_q - 3'(pop_i);
  for (genvar w = 0; w < Most; w++) begin : g_word
    logic [1:0] was;
    assign was = pop_i ? wait_q[2*w+2 +: 2] : wait_q[2*w +: 2];
    assign waits[2*w +: 2] = push_i && left == 3'(w) ? (left == 3'd0 ? 2'd0 : 2'd2) :
                             was == 2'd0 ? 2'd0 : was - 2'd1;
  end
  assign waits[2*Most +: 2] = 2'd0;
  always_ff @(posedge clk_i) begin
    begun_q <= 1'b1;
    count_q <= clear_i ? 3'd0 : left + 3'(push_i);
    first_q <= clear_i ? 4'd0 : first_q + 4'(pop_i);
    if (push_i && first_q + 4'(count_q) == which) word_q <= data_i;
    wait_q <= waits;
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
      assert (valid == (count_q != 3'd0 && wait_q[1:0] == 2'd0));
      assert (empty == (count_q == 3'd0));
      assert (!full || count_q >= 3'(Depth));
      assert (full || count_q < 3'(Most));
      if (valid && first_q == which) assert (data == word_q);
    end
  end
endmodule
