/// Cuts a span of bytes into AXI bursts that cross no boundary of Burst beats, and so no 4 KiB page.
/// Timing: the first burst two cycles after the span is taken, then one a cycle, up to two ahead of
/// the bus; the next span is taken with the last burst of the one before.
module vta_cut #(
  parameter int Burst = 16,  // beats, a power of two
  parameter int Bits = 29    // of a span's length
) (
  input  logic                            clk_i,
  input  logic                            clear_i,
  input  logic                            valid_i,
  input  logic [vta_pkg::AddressBits-1:0] address_i,
  input  logic [Bits-1:0]                 last_i,    // bytes less one
  output logic                            ready_o,
  output logic                            busy_o,
  output logic                            valid_o,
  output logic [vta_pkg::AddressBits-1:0] address_o,
  output logic [7:0]                      beats_o,   // less one
  input  logic                            ready_i
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int LogBeat = vta_pkg::LogBeatBytes;
  localparam int LogBurst = LogBeat + $clog2(Burst);
  localparam int BlockBits = AddressBits - LogBurst;
  localparam int EndBits = (Bits > LogBurst ? Bits : LogBurst) + 1;

  // A block is what one burst may cover at most.
  logic valid_q, last, push, full;
  logic [BlockBits-1:0] block_q;
  logic [EndBits-LogBurst-1:0] blocks_q;  // after this one
  logic [EndBits-1:0] stop;               // the span's last byte, counted from its first block
  logic [AddressBits-LogBeat-1:0] beat;   // the burst's first
  logic [7:0] beats;

  assign stop = ready_o && valid_i ? EndBits'(address_i[LogBurst-1:0]) + EndBits'(last_i) : 'x;
  assign last = blocks_q == '0;
  assign push = valid_q && !full;
  assign ready_o = !valid_q || (last && !full);
  assign busy_o = valid_q || valid_o;

  always_ff @(posedge clk_i) begin
    if (clear_i) valid_q <= 1'b0;
    else if (ready_o) valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      block_q <= block_q + 1'b1;
      blocks_q <= blocks_q - 1'b1;
    end
    if (ready_o) begin
      block_q <= valid_i ? address_i[AddressBits-1:LogBurst] : 'x;
      blocks_q <= valid_i ? stop[EndBits-1:LogBurst] : 'x;
    end
  end

  // Which beats of the block.
  if (Burst > 1) begin : g_beats
    localparam int BeatBits = LogBurst - LogBeat;
    logic [BeatBits-1:0] first_q, stop_q, end_beat;
    assign end_beat = last ? stop_q : '1;
    assign beat = push ? {block_q, first_q} : 'x;
    assign beats = push ? 8'(end_beat) - 8'(first_q) : 'x;
    always_ff @(posedge clk_i) begin
      if (ready_o) begin
        first_q <= address_i[LogBurst-1:LogBeat];
        stop_q <= stop[LogBurst-1:LogBeat];
      end else if (push) begin
        first_q <= '0;
      end
    end
  end else begin : g_single
    assign beat = block_q;
    assign beats = 8'd0;
  end
  logic unused_low;
  assign unused_low = ^{stop, address_i[LogBeat-1:0]};

  vta_queue #(.Width(AddressBits - LogBeat + 8), .Depth(2)) u_queue (
    .clk_i, .clear_i, .push_i(push), .data_i({beat, beats}), .full_o(full), .valid_o,
    .data_o({address_o[AddressBits-1:LogBeat], beats_o}), .pop_i(valid_o && ready_i)
  );
  assign address_o[LogBeat-1:0] = '0;
endmodule
