/// Receives bytes of a UART (8N1, lowest bit first). A byte without a stop bit is told as an error, and the
/// next begins when the line has been high again.
/// Timing: BitSixteenths / 16 clocks a bit, 4 at least; each is looked at in its middle.
module vta_uart_rx #(
  parameter int BitSixteenths = 64
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       uart_i,
  output logic       valid_o,  // for one cycle
  output logic       error_o,  // the same, instead of valid_o
  output logic [7:0] data_o
);
  localparam int PhaseBits = $clog2(BitSixteenths + 16);
  typedef enum logic [1:0] {Idle, Start, Data, Stop} state_e;

  state_e state_q;
  (* ASYNC_REG = "TRUE" *) logic early_q, line_q;
  logic armed_q;                  // the line was high
  logic [PhaseBits-1:0] phase_q;  // sixteenths of a clock until the middle of the bit
  logic [2:0] at_q;
  logic [7:0] data_q;
  logic middle, valid_q, error_q;

  assign middle = phase_q < PhaseBits'(16);
  assign valid_o = valid_q;
  assign error_o = error_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i) begin
    early_q <= uart_i;
    line_q <= early_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      armed_q <= 1'b0;
      phase_q <= '0;
      at_q <= '0;
      data_q <= '0;
      valid_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      valid_q <= 1'b0;
      error_q <= 1'b0;
      if (line_q) armed_q <= 1'b1;
      phase_q <= middle ? phase_q + PhaseBits'(BitSixteenths - 16) : phase_q - PhaseBits'(16);
      unique case (state_q)
        Idle: if (armed_q && !line_q) begin
          state_q <= Start;
          phase_q <= PhaseBits'(BitSixteenths / 2 - 16);
        end
        Start: if (middle) state_q <= line_q ? Idle : Data;
        Data: if (middle) begin
          data_q <= {line_q, data_q[7:1]};
          at_q <= at_q + 1'b1;
          if (at_q == '1) state_q <= Stop;
        end
        Stop: if (middle) begin
          state_q <= Idle;
          valid_q <= line_q;
          error_q <= !line_q;
          armed_q <= line_q;
        end
        default: state_q <= Idle;
      endcase
    end
  end
endmodule
