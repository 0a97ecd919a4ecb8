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

  logic [3:0] at_q;
  logic [7:0] letter;
  logic [3:0] digit;
  logic taken;

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

  vta_uart_tx #(.BitSixteenths(16 * vta_selftest_pkg::BitCycles)) u_tx (
    .clk_i, .rst_ni, .valid_i(send_i), .ready_o(taken), .data_i(letter), .uart_o
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) at_q <= '0;
    else if (send_i && taken) at_q <= at_q == 4'(Last) ? '0 : at_q + 1'b1;
  end
endmodule
