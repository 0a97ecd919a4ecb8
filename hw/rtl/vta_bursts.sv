/// Walks the rows of a two-dimensional transfer and cuts them into AXI bursts that cross no
/// BurstBeats boundary, and so no 4 KiB page. It ends after limit_i elements, in the middle of a row
/// if need be.
/// Timing: the first burst two cycles after start_i, then one a cycle.
module vta_bursts (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic                            start_i,   // x_size_i and y_size_i are not 0
  input  logic [vta_pkg::AddressBits-1:0] base_i,
  input  logic [31:0]                     first_i,   // element
  input  logic [15:0]                     x_size_i,
  input  logic [15:0]                     y_size_i,
  input  logic [15:0]                     x_stride_i,
  input  logic [3:0]                      log_bytes_i,  // of an element
  input  logic [32:0]                     limit_i,
  input  logic                            hold_i,    // waits before the next row
  output logic                            busy_o,
  output logic                            cut_o,     // the limit was met
  output logic                            valid_o,
  output logic [vta_pkg::AddressBits-1:0] address_o,
  output logic [7:0]                      beats_o,   // less one
  input  logic                            ready_i
);
  localparam int AddressBits = vta_pkg::AddressBits;
  localparam int BurstBits = vta_pkg::BurstBeats > 1 ? $clog2(vta_pkg::BurstBeats) : 1;

  logic [AddressBits-1:0] row_q;              // byte address of the next row
  logic [AddressBits-vta_pkg::LogBeatBytes-1:0] beat_q;  // of the next burst
  logic [28:0] left_q;                        // beats left in the row
  logic [28:0] row_bytes;
  logic [15:0] x_size_q, row_elements;
  logic [3:0] log_bytes_q;
  logic [32:0] limit_q;
  logic [31:0] stride_q;
  logic [15:0] rows_q;                        // rows after this one
  logic busy_q, active_q, cut_q;              // active: a row is being walked

  logic [28:0] row_beats;
  logic [8:0] room, beats;
  logic last, next_row, more;

  localparam logic [28:0] BeatMask = 29'((1 << vta_pkg::LogBeatBytes) - 1);
  assign row_elements = limit_q < 33'(x_size_q) ? limit_q[15:0] : x_size_q;
  assign row_bytes = 29'(row_elements) << log_bytes_q;
  assign row_beats = (row_bytes + (29'(row_q) & BeatMask) + BeatMask) >> vta_pkg::LogBeatBytes;
  if (vta_pkg::BurstBeats > 1) begin : g_room
    assign room = 9'(vta_pkg::BurstBeats) - 9'(beat_q[BurstBits-1:0]);
  end else begin : g_single
    assign room = 9'd1;
  end
  assign beats = left_q < 29'(room) ? 9'(left_q) : room;
  assign last = left_q == 29'(beats);
  assign more = rows_q != '0 && limit_q != '0;
  assign next_row = busy_q && more && !hold_i && (!active_q || (ready_i && last));

  assign busy_o = busy_q;
  assign cut_o = cut_q;
  assign valid_o = active_q;
  assign address_o = {beat_q, {vta_pkg::LogBeatBytes{1'b0}}};
  assign beats_o = 8'(beats - 9'd1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      active_q <= 1'b0;
    end else if (clear_i) begin
      busy_q <= 1'b0;
      active_q <= 1'b0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      active_q <= 1'b0;
    end else begin
      if (active_q && ready_i && last) begin
        active_q <= next_row;
        busy_q <= more;
      end else if (next_row) begin
        active_q <= 1'b1;
      end else if (!active_q && !more) begin
        busy_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      row_q <= base_i + (AddressBits'(first_i) << log_bytes_i);
      x_size_q <= x_size_i;
      log_bytes_q <= log_bytes_i;
      limit_q <= limit_i;
      cut_q <= 1'b0;
      stride_q <= 32'(x_stride_i) << log_bytes_i;
      rows_q <= y_size_i;
    end else begin
      if (active_q && ready_i) begin
        beat_q <= beat_q + (AddressBits-vta_pkg::LogBeatBytes)'(beats);
        left_q <= left_q - 29'(beats);
      end
      if (next_row) begin
        beat_q <= row_q[AddressBits-1:vta_pkg::LogBeatBytes];
        left_q <= row_beats;
        row_q <= row_q + AddressBits'(stride_q);
        rows_q <= rows_q - 1'b1;
        limit_q <= limit_q - 33'(row_elements);
      end
      if (busy_q && rows_q != '0 && limit_q < 33'(x_size_q)) cut_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i) assert (!busy_q && x_size_i != '0 && y_size_i != '0);
  end
`endif
endmodule
