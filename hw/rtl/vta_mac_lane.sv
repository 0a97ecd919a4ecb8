/// One output of the matrix product: the dot product of an input row and a weight row.
/// Timing: partial sums of four products one cycle after valid_i; their sum is combinational on them.
module vta_mac_lane (
  input  logic                         clk_i,
  input  logic                         valid_i,
  input  logic [vta_pkg::BlockIn*8-1:0] inp_i,
  input  logic [vta_pkg::BlockIn*8-1:0] wgt_i,
  output logic [31:0]                  sum_o
);
`ifdef VTA_SPLIT_LANES
  /* verilator no_inline_module */
`endif
  localparam int Groups = vta_pkg::BlockIn / 4;

  logic [Groups*18-1:0] part_q;
  logic signed [31:0] sum;

  if (vta_pkg::Multiplier == vta_pkg::MultiplierLut) begin : g_lut
    logic [vta_pkg::BlockIn*16-1:0] products;
    for (genvar i = 0; i < vta_pkg::BlockIn; i++) begin : g_product
      vta_multiplier u_multiplier (
        .a_i(inp_i[i*8 +: 8]), .b_i(wgt_i[i*8 +: 8]), .product_o(products[i*16 +: 16])
      );
    end
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        for (int g = 0; g < Groups; g++) begin
          part_q[g*18 +: 18] <= 18'($signed(products[(4*g+0)*16 +: 16])) +
                                18'($signed(products[(4*g+1)*16 +: 16])) +
                                18'($signed(products[(4*g+2)*16 +: 16])) +
                                18'($signed(products[(4*g+3)*16 +: 16]));
        end
      end
    end
  end else begin : g_dsp
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        for (int g = 0; g < Groups; g++) begin
          part_q[g*18 +: 18] <=
              18'($signed(inp_i[(4*g+0)*8 +: 8]) * $signed(wgt_i[(4*g+0)*8 +: 8])) +
              18'($signed(inp_i[(4*g+1)*8 +: 8]) * $signed(wgt_i[(4*g+1)*8 +: 8])) +
              18'($signed(inp_i[(4*g+2)*8 +: 8]) * $signed(wgt_i[(4*g+2)*8 +: 8])) +
              18'($signed(inp_i[(4*g+3)*8 +: 8]) * $signed(wgt_i[(4*g+3)*8 +: 8]));
        end
      end
    end
  end

  always_comb begin
    sum = '0;
    for (int g = 0; g < Groups; g++) sum = sum + 32'($signed(part_q[g*18 +: 18]));
  end
  assign sum_o = sum;
endmodule
