/// One operand's offset in the loops of a GEMM or ALU instruction: o * factor_out + i * factor_in, with
/// a bit for what does not fit. The micro-op that meets that bit faults, so it need not stay.
module vta_offset #(
  parameter int Bits = 11
) (
  input  logic            clk_i,
  input  logic            start_i,
  input  logic            next_in_i,   // the inner loop steps
  input  logic            next_out_i,  // the outer loop steps
  input  logic [Bits-1:0] factor_out_i,
  input  logic [Bits-1:0] factor_in_i,
  output logic [Bits:0]   offset_o     // top bit: does not fit
);
  logic [Bits:0] in_q, out_sum, in_sum;
  logic [Bits-1:0] out_q;

  assign out_sum = {1'b0, out_q} + {1'b0, factor_out_i};
  assign in_sum = {1'b0, in_q[Bits-1:0]} + {1'b0, factor_in_i};
  assign offset_o = in_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      out_q <= '0;
      in_q <= '0;
    end else if (next_out_i) begin
      out_q <= out_sum[Bits-1:0];
      in_q <= out_sum;
    end else if (next_in_i) begin
      in_q <= in_sum;
    end
  end
endmodule
