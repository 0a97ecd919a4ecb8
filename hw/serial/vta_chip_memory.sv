/// Memory on the chip behind an AXI4 port, from Base on, and a port for the host's words. The host comes
/// first. A burst outside is answered with SLVERR, writes nothing and reads what is somewhere.
/// Timing: a beat a cycle; one read burst and one write burst at a time. The host's read data follows
/// host_read_i by a cycle and stays until the next read of either side.
module vta_chip_memory #(
  parameter int BusBits = 64,
  parameter int Words = 32768,              // of BusBits; a multiple of a page
  parameter logic [63:0] Base = 64'd0       // a multiple of the next power of two above the memory
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     host_write_i,
  input  logic                     host_read_i,
  input  logic [$clog2(Words)-1:0] host_row_i,
  input  logic [BusBits-1:0]       host_data_i,
  output logic [BusBits-1:0]       host_data_o,
  input  logic                     ar_valid_i,
  output logic                     ar_ready_o,
  input  logic [63:0]              ar_address_i,
  input  logic [7:0]               ar_len_i,
  input  logic [1:0]               ar_id_i,
  output logic                     r_valid_o,
  input  logic                     r_ready_i,
  output logic [BusBits-1:0]       r_data_o,
  output logic [1:0]               r_id_o,
  output logic [1:0]               r_resp_o,
  output logic                     r_last_o,
  input  logic                     aw_valid_i,
  output logic                     aw_ready_o,
  input  logic [63:0]              aw_address_i,
  input  logic                     w_valid_i,
  output logic                     w_ready_o,
  input  logic [BusBits-1:0]       w_data_i,
  input  logic                     w_strobe_i,  // of the whole beat
  input  logic                     w_last_i,
  output logic                     b_valid_o,
  input  logic                     b_ready_i,
  output logic [1:0]               b_resp_o
);
  localparam int RowBits = $clog2(Words);
  localparam int ByteBits = $clog2(BusBits / 8);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  logic ar_inside, aw_inside, unused_bits;
  logic [RowBits-1:0] ar_row, aw_row;
  assign ar_row = ar_address_i[ByteBits +: RowBits];
  assign aw_row = aw_address_i[ByteBits +: RowBits];
  assign ar_inside = ar_address_i[63:ByteBits+RowBits] == Base[63:ByteBits+RowBits] &&
                     32'(ar_row) < 32'(Words);
  assign aw_inside = aw_address_i[63:ByteBits+RowBits] == Base[63:ByteBits+RowBits] &&
                     32'(aw_row) < 32'(Words);
  assign unused_bits = ^{ar_address_i[ByteBits-1:0], aw_address_i[ByteBits-1:0]};

  // A beat is fetched where nothing waits in front of it; it stays in the memory's own register.
  logic reading_q, r_valid_q, r_last_q, r_bad_q, r_done, fetch;
  logic [RowBits-1:0] r_row_q;
  logic [7:0] r_left_q;  // beats to fetch behind the next one
  logic [1:0] r_id_q;
  assign r_done = !r_valid_q || r_ready_i;
  assign fetch = reading_q && r_done && !host_read_i;
  assign ar_ready_o = !reading_q && !r_valid_q;
  assign r_valid_o = r_valid_q;
  assign r_last_o = r_last_q;
  assign r_id_o = r_id_q;
  assign r_resp_o = r_bad_q ? SLVERR : OKAY;

  logic writing_q, w_bad_q, b_valid_q, write;
  logic [RowBits-1:0] w_row_q;
  assign aw_ready_o = !writing_q && !b_valid_q;
  assign w_ready_o = writing_q && !host_write_i;
  assign write = w_valid_i && w_ready_o && w_strobe_i && !w_bad_q;
  assign b_valid_o = b_valid_q;
  assign b_resp_o = w_bad_q ? SLVERR : OKAY;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      r_valid_q <= 1'b0;
      r_last_q <= 1'b0;
      writing_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      if (ar_valid_i && ar_ready_o) reading_q <= 1'b1;
      if (r_done) r_valid_q <= fetch;
      if (fetch) begin
        r_last_q <= r_left_q == '0;
        reading_q <= r_left_q != '0;
      end
      if (aw_valid_i && aw_ready_o) writing_q <= 1'b1;
      if (w_valid_i && w_ready_o && w_last_i) begin
        writing_q <= 1'b0;
        b_valid_q <= 1'b1;
      end
      if (b_valid_q && b_ready_i) b_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ar_valid_i && ar_ready_o) begin
      r_row_q <= ar_row;
      r_bad_q <= !ar_inside;
      r_left_q <= ar_len_i;
      r_id_q <= ar_id_i;
    end else if (fetch) begin
      r_row_q <= r_row_q + 1'b1;
      r_left_q <= r_left_q - 1'b1;
    end
    if (aw_valid_i && aw_ready_o) begin
      w_row_q <= aw_row;
      w_bad_q <= !aw_inside;
    end else if (w_valid_i && w_ready_o) begin
      w_row_q <= w_row_q + 1'b1;
    end
  end

  // A beat that waits for R must not be overwritten by the host's read: it is kept.
  logic [BusBits-1:0] data, kept_q;
  logic is_kept_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) is_kept_q <= 1'b0;
    else if (r_done) is_kept_q <= 1'b0;
    else if (host_read_i) is_kept_q <= 1'b1;
    if (!is_kept_q) kept_q <= data;
  end
  assign r_data_o = is_kept_q ? kept_q : data;
  assign host_data_o = data;

  // A memory for each bit of the bus: its block RAMs are as deep as they can be, so that few outputs have
  // to be chosen from and few wires cross the chip.
  for (genvar i = 0; i < BusBits; i++) begin : g_bit
    vta_ram #(.Width(1), .Depth(Words)) u_ram (
      .clk_i, .write_i(host_write_i || write), .write_row_i(host_write_i ? host_row_i : w_row_q),
      .write_lanes_i(1'b1), .write_data_i(host_write_i ? host_data_i[i] : w_data_i[i]),
      .read_i(host_read_i || fetch), .read_row_i(host_read_i ? host_row_i : r_row_q),
      .read_data_o(data[i])
    );
  end

`ifndef SYNTHESIS
  if (Words % (4096 / (BusBits / 8)) != 0) $error("memory has to be whole pages");
  if (Base % (64'd1 << (ByteBits + RowBits)) != 0) $error("memory has to be aligned");
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(host_read_i && host_write_i));
  end
`endif
endmodule
