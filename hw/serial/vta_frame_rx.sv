/// Takes frames apart: the first bytes into registers, the data behind them into a buffer. A frame is told
/// of only when it ended with as many bytes as it says and with its CRC; then it stays until taken_i.
/// What arrives while one stays is lost, up to the next delimiter; so is a frame with a damaged byte, a
/// wrong escape or too many bytes.
/// Timing: good_o rises two cycles after the byte of the delimiter; read_data_o a cycle after read_at_i.
module vta_frame_rx (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic        error_i,
  input  logic [7:0]  data_i,
  output logic        good_o,
  input  logic        taken_i,
  output logic [7:0]  operation_o,
  output logic [7:0]  sequence_o,
  output logic [15:0] length_o,
  output logic [31:0] address_o,
  output logic [15:0] words_o,
  input  logic [$clog2(vta_serial_pkg::DataBytes)-1:0] read_at_i,
  output logic [7:0]  read_data_o
);
  localparam int Ahead = vta_serial_pkg::HeaderBytes + vta_serial_pkg::PrefixBytes;
  localparam int Most = Ahead + vta_serial_pkg::DataBytes + vta_serial_pkg::CrcBytes;
  localparam int CountBits = $clog2(Most + 1);
  localparam int AtBits = $clog2(vta_serial_pkg::DataBytes);

  logic [CountBits-1:0] count_q;  // bytes of the frame so far, Most at the most
  logic [8*Ahead-1:0] ahead_q;
  logic [31:0] crc_q, crc;
  logic escape_q, bad_q, good_q, byte_valid, is_delimiter, is_bad;
  logic [7:0] unstuffed;
  logic [CountBits-1:0] at;

  assign is_delimiter = valid_i && data_i == vta_serial_pkg::Delimiter;
  always_comb begin
    byte_valid = valid_i && !is_delimiter;
    is_bad = error_i;
    unstuffed = data_i;
    if (escape_q) begin
      unique case (data_i)
        vta_serial_pkg::EscapedDelimiter: unstuffed = vta_serial_pkg::Delimiter;
        vta_serial_pkg::EscapedEscape: unstuffed = vta_serial_pkg::Escape;
        default: is_bad = error_i || byte_valid;
      endcase
    end else if (data_i == vta_serial_pkg::Escape) begin
      byte_valid = 1'b0;
    end
  end

  assign at = count_q - CountBits'(Ahead);
  vta_crc32 u_crc (.crc_i(crc_q), .data_i(unstuffed), .crc_o(crc));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      crc_q <= vta_serial_pkg::CrcStart;
      escape_q <= 1'b0;
      bad_q <= 1'b0;
      good_q <= 1'b0;
    end else begin
      if (taken_i) good_q <= 1'b0;
      if (is_delimiter) begin
        good_q <= (good_q && !taken_i) ||
                  (!good_q && !bad_q && !escape_q && crc_q == vta_serial_pkg::CrcResidue &&
                   16'(count_q) == length_o + 16'(vta_serial_pkg::HeaderBytes + vta_serial_pkg::CrcBytes));
        count_q <= '0;
        crc_q <= vta_serial_pkg::CrcStart;
        escape_q <= 1'b0;
        bad_q <= 1'b0;
      end else begin
        if (valid_i) escape_q <= !escape_q && data_i == vta_serial_pkg::Escape;
        if (is_bad || (good_q && (valid_i || error_i))) bad_q <= 1'b1;
        if (byte_valid) begin
          if (count_q == CountBits'(Most)) bad_q <= 1'b1;
          else count_q <= count_q + 1'b1;
          crc_q <= crc;
        end
      end
    end
  end

  // What is in there stays while the frame is worked on.
  logic store;
  assign store = byte_valid && !good_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Ahead; i++)
      if (store && count_q == CountBits'(i)) ahead_q[8*i +: 8] <= unstuffed;
  end
  vta_ram #(.Width(8), .Depth(vta_serial_pkg::DataBytes)) u_data (
    .clk_i,
    .write_i(store && count_q >= CountBits'(Ahead) && at < CountBits'(vta_serial_pkg::DataBytes)),
    .write_row_i(at[AtBits-1:0]), .write_lanes_i(1'b1), .write_data_i(unstuffed),
    .read_i(good_q), .read_row_i(read_at_i), .read_data_o
  );

  assign good_o = good_q;
  assign {words_o, address_o, length_o, sequence_o, operation_o} = ahead_q;
endmodule
