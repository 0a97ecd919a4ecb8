/// Sends four letters, a space, a value in hexadecimal and the end of the line on a UART (8N1), again
/// and again while send_i is high.
/// Timing: vta_selftest_pkg::BitCycles a bit.
module vta_uart (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        send_i,
  input  logic [31:0] word_i,
  input  logic [31:0] value_i,
  output logic        uart_o
);
  localparam int Last = 14;  // of the characters
  localparam int CycleBits = $clog2(vta_selftest_pkg::BitCycles);

  logic [3:0] at_q, bit_q;
  logic [CycleBits-1:0] cycle_q;
  logic [9:0] frame_q;  // start bit, eight bits, stop bit; the next one to send is the lowest
  logic [7:0] letter;
  logic [3:0] digit;
  logic bit_ends;

  assign digit = value_i[4 * (4'd12 - at_q) +: 4];
  always_comb begin
    unique case (at_q)
      4'd0, 4'd1, 4'd2, 4'd3: letter = word_i[8 * (4'd3 - at_q) +: 8];
      4'd4: letter = " ";
      4'd13: letter = 8'd13;
      4'd14: letter = 8'd10;
      default: letter = digit < 4'd10 ? 8'd48 + 8'(digit) : 8'd87 + 8'(digit);
    endcase
  end
  assign bit_ends = cycle_q == CycleBits'(vta_selftest_pkg::BitCycles - 1);
  assign uart_o = frame_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q <= '0;
      bit_q <= '0;
      cycle_q <= '0;
      frame_q <= '1;
    end else if (send_i) begin
      cycle_q <= bit_ends ? '0 : cycle_q + 1'b1;
      if (bit_ends) begin
        bit_q <= bit_q == 4'd9 ? '0 : bit_q + 1'b1;
        frame_q <= {1'b1, frame_q[9:1]};
        if (bit_q == 4'd0) begin
          frame_q <= {1'b1, letter, 1'b0};
          at_q <= at_q == 4'(Last) ? '0 : at_q + 1'b1;
        end
      end
    end
  end
endmodule
