/// Queue in a block memory, with its head in registers. It holds two words more than the memory.
/// Timing: a word that nothing waits in front of can be popped in the next cycle, another one three
/// cycles after its push; one push and one pop a cycle.
module vta_fifo #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             full_o,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i,
  output logic             empty_o
);
  localparam int IndexBits = $clog2(Depth);

  logic [IndexBits-1:0] write_q, read_q;
  logic [IndexBits:0] stored_q;                // words in the memory that are not read yet
  logic some_q, full_q, read_valid_q, valid_q; // some: stored_q is not 0; read_valid: one is read
  logic push, free, direct, store, read;
  logic [Width-1:0] read_data, data_q;

  assign full_o = full_q;
  assign empty_o = !some_q && !read_valid_q && !valid_q;
  assign valid_o = valid_q;
  assign data_o = data_q;
  assign push = push_i && !full_q;
  assign free = !valid_q || pop_i;
  always_comb begin
    {direct, store} = '0;
    if (push) begin
      direct = free && !some_q && !read_valid_q;
      store = !direct;
    end
  end
  assign read = some_q && (free || !read_valid_q);

  vta_ram #(.Width(Width), .Depth(Depth)) u_ram (
    .clk_i, .write_i(store), .write_row_i(write_q), .write_lanes_i(1'b1), .write_data_i(data_i),
    .read_i(read), .read_row_i(read_q), .read_data_o(read_data)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      write_q <= '0;
      read_q <= '0;
      stored_q <= '0;
      some_q <= 1'b0;
      full_q <= 1'b0;
      read_valid_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (store) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      if (store != read) begin
        some_q <= store || stored_q != (IndexBits+1)'(1);
        full_q <= store && stored_q == (IndexBits+1)'(Depth - 1);
        stored_q <= stored_q + {{IndexBits{read}}, 1'b1};
      end
      read_valid_q <= read || (read_valid_q && !free);
      valid_q <= direct || read_valid_q || (valid_q && !pop_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      if (read_valid_q) data_q <= read_data;
      else if (push_i) data_q <= data_i;
      else data_q <= 'x;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!clear_i) begin
      if (pop_i) assert (valid_q);
      if (push_i) assert (!full_o);
    end
  end
`endif
endmodule
