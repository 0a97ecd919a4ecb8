/// Makes frames: delimiter, the bytes that it is given, their CRC, delimiter, with what has to be escaped.
/// Timing: as the UART takes them.
module vta_frame_tx (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  input  logic       last_i,
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  typedef enum logic [1:0] {Begin, Bytes, Crc, End} state_e;

  state_e state_q;
  logic escaped_q;  // the escape of this byte is sent
  logic [1:0] at_q;
  logic [31:0] crc_q, crc;
  logic [7:0] plain;
  logic escapes, sent;

  assign plain = state_q == Crc ? ~crc_q[7:0] : data_i;
  assign escapes = plain == vta_serial_pkg::Delimiter || plain == vta_serial_pkg::Escape;
  always_comb begin
    valid_o = 1'b1;
    data_o = vta_serial_pkg::Delimiter;
    if (state_q == Begin || state_q == Bytes) valid_o = valid_i;
    if (state_q == Bytes || state_q == Crc) begin
      data_o = plain;
      if (escapes && !escaped_q) data_o = vta_serial_pkg::Escape;
      else if (plain == vta_serial_pkg::Delimiter) data_o = vta_serial_pkg::EscapedDelimiter;
      else if (plain == vta_serial_pkg::Escape) data_o = vta_serial_pkg::EscapedEscape;
    end
  end
  assign sent = valid_o && ready_i && (escaped_q || !escapes);
  assign ready_o = state_q == Bytes && ready_i && (escaped_q || !escapes);

  vta_crc32 u_crc (.crc_i(crc_q), .data_i, .crc_o(crc));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Begin;
      escaped_q <= 1'b0;
      at_q <= '0;
      crc_q <= vta_serial_pkg::CrcStart;
    end else begin
      unique case (state_q)
        Begin: if (valid_o && ready_i) begin
          state_q <= Bytes;
          crc_q <= vta_serial_pkg::CrcStart;
        end
        Bytes: if (valid_o && ready_i) begin
          escaped_q <= escapes && !escaped_q;
          if (sent) begin
            crc_q <= crc;
            if (last_i) state_q <= Crc;
          end
        end
        Crc: if (ready_i) begin
          escaped_q <= escapes && !escaped_q;
          if (sent) begin
            crc_q <= {8'd0, crc_q[31:8]};
            at_q <= at_q + 1'b1;
            if (at_q == '1) state_q <= End;
          end
        end
        End: if (ready_i) state_q <= Begin;
        default: state_q <= Begin;
      endcase
    end
  end
endmodule
