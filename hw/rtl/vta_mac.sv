/// The matrix product of one micro-op: batch rows of inputs with block_out rows of weights.
/// Timing: the sums of what enters are valid in the second cycle after it, whatever the multipliers
/// are made of, and anything else without valid_i[2].
module vta_mac (
  input  logic                           clk_i,
  input  logic [2:0]                     valid_i,  // by stage: what enters it
  input  logic [vta_pkg::InpBits-1:0]    inp_i,
  input  logic [vta_pkg::WgtBits-1:0]    wgt_i,
  output logic [vta_pkg::AccBits-1:0]    sum_o
);
  localparam int RowBits = vta_pkg::BlockIn * 8;
  localparam int Outputs = vta_pkg::BlockOut;

  for (genvar b = 0; b < vta_pkg::Batch; b++) begin : g_batch
    if (vta_pkg::Multiplier == vta_pkg::MultiplierPacked) begin : g_packed
      logic [31:0] excess_q;
      vta_mac_excess u_excess (
        .clk_i, .valid_i(valid_i[1:0]), .inp_i(inp_i[b*RowBits +: RowBits]), .excess_o(excess_q)
      );
      for (genvar k = 0; k < Outputs; k += 2) begin : g_pair
        vta_mac_pair u_pair (
          .clk_i, .valid_i, .inp_i(inp_i[b*RowBits +: RowBits]),
          .low_i(wgt_i[k*RowBits +: RowBits]), .high_i(wgt_i[(k+1)*RowBits +: RowBits]),
          .excess_i(excess_q), .low_o(sum_o[(b*Outputs + k)*32 +: 32]),
          .high_o(sum_o[(b*Outputs + k + 1)*32 +: 32])
        );
      end
    end else begin : g_single
      for (genvar k = 0; k < Outputs; k++) begin : g_lane
        vta_mac_lane u_lane (
          .clk_i, .valid_i, .inp_i(inp_i[b*RowBits +: RowBits]),
          .wgt_i(wgt_i[k*RowBits +: RowBits]), .sum_o(sum_o[(b*Outputs + k)*32 +: 32])
        );
      end
    end
  end
endmodule
