/// The data of one read client: reserves room for each burst it may ask for, and keeps the beats
/// until the client takes them.
/// Timing: room_o is a register; a beat that the client is ready for reaches it in the next cycle.
module vta_read_buffer #(
  parameter int Beats = 16,
  parameter int Bursts = 8,
  parameter int Burst = 16  // beats of the longest one
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  output logic                        room_o,      // for the longest burst
  input  logic                        grant_i,
  input  logic [7:0]                  beats_i,     // less one, of the burst that is granted
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

  logic [CountBits-1:0] free_q;  // words that no burst has reserved
  logic [7:0] slots_q, slots;    // bursts that may still be asked for
  logic words_q, slot_q, idle_q, pop, full, empty;
  logic unused_flags;

  assign room_o = words_q && slot_q;
  assign pop = valid_o && ready_i;
  assign slots = slots_q + 8'(beat_i && last_i);
  assign idle_o = idle_q;
  assign unused_flags = full ^ empty;

  vta_fifo #(.Width(vta_pkg::BusBits + 1), .Depth(Beats)) u_fifo (
    .clk_i, .clear_i, .push_i(beat_i), .data_i({error_i, data_i}), .full_o(full),
    .valid_o, .data_o({error_o, data_o}), .pop_i(pop), .empty_o(empty)
  );

  // Room is for the longest burst behind the one that is granted, so that its length plays no part.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      free_q <= CountBits'(Beats);
      words_q <= 1'b1;
    end else begin
      words_q <= 32'(free_q) >= (grant_i ? 2 * Burst : Burst);
      free_q <= free_q - (grant_i ? CountBits'(beats_i) + 1'b1 : '0) + CountBits'(pop);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slots_q <= 8'(Bursts);
      slot_q <= 1'b1;
      idle_q <= 1'b1;
    end else if (grant_i || (beat_i && last_i)) begin
      slots_q <= slots - 8'(grant_i);
      slot_q <= grant_i ? slots > 8'd1 : slots != 8'd0;
      idle_q <= !grant_i && slots == 8'(Bursts);
    end
  end

`ifndef SYNTHESIS
  // A clear forgets what is owed: where it ends before that is there, only another one lets ask again.
  logic clear_q, owed_q;
  always_ff @(posedge clk_i) begin
    clear_q <= clear_i;
    if (!rst_ni) owed_q <= 1'b0;
    else if (clear_q) if (!clear_i) owed_q <= !idle_q;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (grant_i)
        assert (room_o && 32'(beats_i) < Burst && 32'(beats_i) < 32'(free_q) &&
                !(clear_q && !clear_i ? !idle_q : owed_q));
      if (beat_i) assert (slots_q != 8'(Bursts));
      if (pop)
        assert (clear_i || (clear_q ? !idle_q : owed_q) || free_q != CountBits'(Beats));
    end
  end
`endif
endmodule
