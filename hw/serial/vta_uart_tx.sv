/// Sends bytes on a UART (8N1, lowest bit first).
/// Timing: BitSixteenths / 16 clocks a bit; no pause between bytes that are there in time.
module vta_uart_tx #(
  parameter int BitSixteenths = 64
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       uart_o
);
  localparam int PhaseBits = $clog2(BitSixteenths + 16);

  logic [PhaseBits-1:0] phase_q;  // sixteenths of a clock until the bit ends
  logic [3:0] left_q;             // bits, with the one that is sent; 0: idle
  logic [8:0] bits_q;             // the one that is sent is the lowest
  logic bit_ends;

  assign bit_ends = phase_q < PhaseBits'(16);
  assign ready_o = left_q == '0 || (left_q == 4'd1 && bit_ends);
  assign uart_o = bits_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= '0;
      left_q <= '0;
      bits_q <= '1;
    end else begin
      phase_q <= bit_ends ? phase_q + PhaseBits'(BitSixteenths - 16) : phase_q - PhaseBits'(16);
      if (bit_ends && left_q != '0) begin
        left_q <= left_q - 1'b1;
        bits_q <= {1'b1, bits_q[8:1]};
      end
      if (valid_i && ready_o) begin
        left_q <= 4'd10;
        bits_q <= {data_i, 1'b0};
        if (left_q == '0) phase_q <= PhaseBits'(BitSixteenths - 16);
      end
    end
  end
endmodule
