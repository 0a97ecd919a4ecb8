/// The CRC register behind one more byte: reflected, lowest bit first.
/// Source: isa/spec/serial.h.
module vta_crc32 (
  input  logic [31:0] crc_i,
  input  logic [7:0]  data_i,
  output logic [31:0] crc_o
);
  always_comb begin
    crc_o = crc_i ^ {24'd0, data_i};
    for (int i = 0; i < 8; i++)
      crc_o = {1'b0, crc_o[31:1]} ^ (crc_o[0] ? vta_serial_pkg::CrcPolynomial : 32'd0);
  end
endmodule
