/// Short queue in registers, the oldest word in one of its own.
/// Timing: a pushed word can be popped in the next cycle; one push and one pop a cycle.
module vta_queue #(
  parameter int Width = 32,
  parameter int Depth = 4
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             full_o,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i
);
  localparam int CountBits = $clog2(Depth) + 1;

  logic [Width-1:0] data_q, next;
  logic [CountBits-1:0] count_q;  // of all words
  logic valid_q, more_q, full_q;  // more: than one
  logic store, load;

  assign full_o = full_q;
  assign valid_o = valid_q;
  assign data_o = data_q;
  assign load = pop_i && more_q;
  assign store = push_i && valid_q && (!pop_i || more_q);

  always_ff @(posedge clk_i) begin
    if (load) begin
      data_q <= next;
    end else if (pop_i || !valid_q) begin
      if (push_i) data_q <= data_i;
      else data_q <= 'x;
    end
  end

  // The words behind the oldest.
  if (Depth == 2) begin : g_word
    logic [Width-1:0] next_q;
    always_ff @(posedge clk_i) if (store) next_q <= data_i;
    assign next = next_q;
  end else begin : g_words
    localparam int IndexBits = $clog2(Depth - 1);
    logic [Width-1:0] mem [0:(1<<IndexBits)-1];
    logic [IndexBits-1:0] write_q, read_q;
    assign next = mem[read_q];
    always_ff @(posedge clk_i) if (store) mem[write_q] <= data_i;
    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        write_q <= '0;
        read_q <= '0;
      end else begin
        if (store) write_q <= write_q + 1'b1;
        if (load) read_q <= read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      count_q <= '0;
      valid_q <= 1'b0;
      more_q <= 1'b0;
      full_q <= 1'b0;
    end else begin
      if (push_i != pop_i) begin
        more_q <= push_i ? valid_q : count_q > CountBits'(2);
        valid_q <= push_i || more_q;
        full_q <= push_i && count_q == CountBits'(Depth - 1);
        count_q <= count_q + {{(CountBits-1){pop_i}}, 1'b1};
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      if (pop_i) assert (valid_o);
      if (push_i) assert (!full_o);
    end
  end
`endif
endmodule
