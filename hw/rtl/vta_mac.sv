/// The matrix product of one micro-op: batch rows of inputs with block_out rows of weights.
/// Timing: the sums are valid in the cycle after valid_i.
module vta_mac (
  input  logic                           clk_i,
  input  logic                           valid_i,
  input  logic [vta_pkg::InpBits-1:0]    inp_i,
  input  logic [vta_pkg::WgtBits-1:0]    wgt_i,
  output logic [vta_pkg::AccBits-1:0]    sum_o
);
  localparam int RowBits = vta_pkg::BlockIn * 8;

  for (genvar b = 0; b < vta_pkg::Batch; b++) begin : g_batch
    for (genvar k = 0; k < vta_pkg::BlockOut; k++) begin : g_lane
      vta_mac_lane u_lane (
        .clk_i, .valid_i, .inp_i(inp_i[b*RowBits +: RowBits]), .wgt_i(wgt_i[k*RowBits +: RowBits]),
        .sum_o(sum_o[(b*vta_pkg::BlockOut + k)*32 +: 32])
      );
    end
  end
endmodule
