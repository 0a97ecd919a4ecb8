/// The data of one read client: reserves room for each burst it may ask for, and keeps the beats
/// until the client takes them.
module vta_read_buffer #(
  parameter int Beats = 16,
  parameter int Bursts = 8
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  input  logic [7:0]                  beats_i,     // less one, of the burst that is asked for
  output logic                        room_o,      // for that burst
  input  logic                        grant_i,
  input  logic                        beat_i,
  input  logic                        last_i,
  input  logic                        error_i,
  input  logic [vta_pkg::BusBits-1:0] data_i,
  output logic                        valid_o,
  output logic [vta_pkg::BusBits-1:0] data_o,
  output logic                        error_o,
  input  logic                        ready_i,
  output logic                        idle_o       // nothing outstanding
);
  localparam int CountBits = $clog2(Beats) + 1;

  logic [CountBits-1:0] reserved_q;
  logic [7:0] bursts_q;
  logic pop, full, empty;
  logic unused_flags;

  assign room_o = bursts_q < 8'(Bursts) &&
                  32'(reserved_q) + 32'(beats_i) + 32'd1 <= 32'(Beats);
  assign pop = valid_o && ready_i;
  assign idle_o = bursts_q == '0;
  assign unused_flags = full ^ empty;

  vta_fifo #(.Width(vta_pkg::BusBits + 1), .Depth(Beats)) u_fifo (
    .clk_i, .rst_ni, .clear_i, .push_i(beat_i), .data_i({error_i, data_i}), .full_o(full),
    .valid_o, .data_o({error_o, data_o}), .pop_i(pop), .empty_o(empty)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_q <= '0;
      bursts_q <= '0;
    end else begin
      if (clear_i) reserved_q <= '0;
      else reserved_q <= reserved_q + (grant_i ? CountBits'(beats_i) + 1'b1 : '0) - CountBits'(pop);
      bursts_q <= bursts_q + 8'(grant_i) - 8'(beat_i && last_i);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (grant_i) assert (room_o);
      assert (bursts_q <= 8'(Bursts));
      if (beat_i) assert (bursts_q != '0);
      if (pop && !clear_i) assert (reserved_q != '0);
    end
  end
`endif
endmodule
