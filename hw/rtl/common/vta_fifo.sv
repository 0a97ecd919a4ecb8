/// Queue in a block memory, with the head in the memory's output register.
/// Timing: a pushed word can be popped two cycles later; one push and one pop a cycle.
module vta_fifo #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
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
  logic [IndexBits:0] stored_q;  // words in the memory, the head not counted
  logic valid_q, refill, push;

  assign full_o = stored_q == (IndexBits+1)'(Depth);
  assign empty_o = stored_q == '0 && !valid_q;
  assign valid_o = valid_q;
  assign push = push_i && !full_o;
  assign refill = stored_q != '0 && (!valid_q || pop_i);

  vta_ram #(.Width(Width), .Depth(Depth)) u_ram (
    .clk_i, .write_i(push), .write_row_i(write_q), .write_lanes_i(1'b1), .write_data_i(data_i),
    .read_i(refill), .read_row_i(read_q), .read_data_o(data_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      stored_q <= '0;
      valid_q <= 1'b0;
    end else if (clear_i) begin
      write_q <= '0;
      read_q <= '0;
      stored_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (refill) read_q <= read_q + 1'b1;
      stored_q <= stored_q + (IndexBits+1)'(push) - (IndexBits+1)'(refill);
      valid_q <= refill || (valid_q && !pop_i);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (pop_i) assert (valid_q);
      if (push_i && !clear_i) assert (!full_o);
    end
  end
`endif
endmodule
